//! A JSON object to the text of a record, in the layout of the canonical form.

use std::borrow::Cow;
use std::ops::Range;

use super::Known;
use super::ply::{Said, one_of};
use super::tokens::{Slip, Tokens};
use crate::filter::form::stands_for_itself;
use crate::filter::write::write_movetext;
use crate::game::{Ply, Side};
use crate::notation::{GameResult, Letters, pdtl, valuation};
use crate::replay::Replayer;
use crate::source::{RECORD_BOUND, Splitter};
use crate::syntax::{Begins, Head, Item, ItemKind, Reader, Record, Spelt};

const NONE: u32 = u32::MAX;

/// Some of the nodes of a vector, which name each the next one.
#[derive(Clone, Copy)]
struct List {
    first: u32,
    last: u32,
}

impl List {
    const EMPTY: List = List { first: NONE, last: NONE };

    /// Adds a node, which is about to be pushed, and gives the one before it.
    fn add(&mut self, node: usize) -> Option<usize> {
        let node = node as u32;
        let before = std::mem::replace(&mut self.last, node);
        if before == NONE {
            self.first = node;
        }
        Some(before as usize).filter(|_| before != NONE)
    }
}

struct Remark {
    item: Item,
    next: u32,
}

/// The main line, or a variation.
struct Line {
    label: Option<u32>,
    comments: List,
    pairs: List,
    next: u32,
}

struct Pair {
    /// 1 and [`Spelt::UNKNOWN`] where it is unknown.
    number: Item,
    halves: [Option<Half>; 2],
    comments: List,
    variations: List,
    next: u32,
}

#[derive(Clone, Copy)]
struct Half {
    ply: Ply,
    /// The first of its valuations, and the one behind the last.
    valuations: (usize, usize),
    offer: bool,
    claim: Claim,
}

/// What stands behind the moves.
struct End {
    result: GameResult,
    comments: List,
}

/// A tag's text, and where in the line it stands.
struct TagText {
    name: Range<usize>,
    value: Range<usize>,
    at: usize,
}

/// What is said of a ply, to be compared with how the record's text is read.
#[derive(Clone, Copy)]
struct Claim {
    ply: Ply,
    /// Where in the line it is said.
    at: usize,
    /// The position behind it: where in `texts` it stands, and where in the line.
    position: Option<(usize, usize, usize)>,
}

/// An object that is being read.
struct Object {
    keys: &'static [&'static str],
    fresh: bool,
    at: usize,
    /// The keys that were read, as bits.
    seen: u32,
}

impl Object {
    /// Begins one that may have these keys.
    fn open(tokens: &mut Tokens<'_>, what: &str, keys: &'static [&'static str]) -> Result<Object, Slip> {
        let at = tokens.place();
        tokens.open(b'{', what)?;
        Ok(Object { keys, fresh: true, at, seen: 0 })
    }

    /// The next key; nothing at the end.
    fn key(&mut self, tokens: &mut Tokens<'_>) -> Result<Option<&'static str>, Slip> {
        let Some((key, at)) = tokens.key(&mut self.fresh)? else { return Ok(None) };
        let Some(number) = self.keys.iter().position(|known| *known == key) else {
            return Err(Slip { at, what: format!("the key `{key}` stands where only {} can", self.keys.join(", ")) });
        };
        if self.seen >> number & 1 != 0 {
            return Err(Slip { at, what: format!("a second `{key}` in an object") });
        }
        self.seen |= 1 << number;
        Ok(Some(self.keys[number]))
    }

    fn has(&self, key: &str) -> bool {
        self.keys.iter().position(|known| *known == key).is_some_and(|number| self.seen >> number & 1 != 0)
    }

    /// That these of its keys are there.
    fn needs(&self, keys: &[&str]) -> Result<(), Slip> {
        match keys.iter().find(|key| !self.has(key)) {
            Some(key) => Err(Slip { at: self.at, what: format!("`{key}` is missing in this object") }),
            None => Ok(()),
        }
    }
}

/// What is being read, with what is around it; as deep as the text is.
enum Frame {
    Line(Object, usize),
    Pairs(usize, bool),
    Pair(Object, usize),
    Variations(usize, bool),
}

/// What to go on with.
enum Next {
    /// What lies in the frame at hand.
    Inner(Frame),
    /// More of that frame.
    Same,
    /// The frame around it.
    Outer,
}

impl From<Option<Frame>> for Next {
    fn from(inner: Option<Frame>) -> Next {
        inner.map_or(Next::Outer, Next::Inner)
    }
}

const RECORD_KEYS: [&str; 6] = ["tags", "pdtl", "comments", "pairs", "result", "final_comments"];
const LINE_KEYS: [&str; 3] = ["label", "comments", "pairs"];
const PAIR_KEYS: [&str; 5] = ["number", "white", "black", "comments", "variations"];
const PLY_KEYS: [&str; 11] =
    ["piece", "from", "to", "capture", "captured", "promotion", "castling", "sign", "valuation", "offer", "pdtl"];
const COMMENT_KEYS: [&str; 5] = ["text", "player", "mark", "automatic", "line"];

/// Makes records of JSON, one after another, with the same memory.
#[derive(Default)]
pub(crate) struct FromJson {
    /// What items and tags refer to.
    texts: Vec<u8>,
    tags: Vec<TagText>,
    lines: Vec<Line>,
    pairs: Vec<Pair>,
    remarks: Vec<Remark>,
    valuations: Vec<Item>,
    claims: Vec<Claim>,
    items: Vec<Item>,
    reader: Reader,
    replayer: Replayer,
}

impl FromJson {
    /// Adds to `out` the record that an object on a line describes.
    ///
    /// # Errors
    /// What of the line cannot be a record, and where. That the record is a faulty one is for its reader to say.
    pub(crate) fn read(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), Slip> {
        self.forget();
        let mut tokens = Tokens::new(line)?;
        let end = self.record(&mut tokens)?;
        tokens.end()?;
        self.lay_out(&end);
        self.write(out);
        self.check(out)
    }

    fn forget(&mut self) {
        self.texts.clear();
        self.tags.clear();
        self.lines.clear();
        self.pairs.clear();
        self.remarks.clear();
        self.valuations.clear();
        self.claims.clear();
        self.items.clear();
    }

    /// Reads all of the object.
    fn record(&mut self, tokens: &mut Tokens<'_>) -> Result<End, Slip> {
        let mut end = End { result: GameResult::Unfinished, comments: List::EMPTY };
        let mut frames = vec![Frame::Line(Object::open(tokens, "an object, a record,", &RECORD_KEYS)?, 0)];
        self.lines.push(Line { label: None, comments: List::EMPTY, pairs: List::EMPTY, next: NONE });
        while let Some(frame) = frames.last_mut() {
            let next = match frame {
                Frame::Line(object, line) => self.part_of_line(tokens, object, *line, &mut end)?,
                Frame::Pair(object, pair) => self.part_of_pair(tokens, object, *pair)?,
                Frame::Pairs(line, fresh) => {
                    tokens.another(fresh, b']')?.then(|| self.begin_pair(tokens, *line)).transpose()?.into()
                }
                Frame::Variations(pair, fresh) => {
                    tokens.another(fresh, b']')?.then(|| self.begin_variation(tokens, *pair)).transpose()?.into()
                }
            };
            match next {
                Next::Inner(inner) => frames.push(inner),
                Next::Same => {}
                Next::Outer => drop(frames.pop()),
            }
        }
        Ok(end)
    }

    fn part_of_line(
        &mut self,
        tokens: &mut Tokens<'_>,
        object: &mut Object,
        line: usize,
        end: &mut End,
    ) -> Result<Next, Slip> {
        match object.key(tokens)? {
            None => {
                object.needs(if line == 0 { &["tags", "pairs", "result"] } else { &["pairs"] })?;
                return Ok(Next::Outer);
            }
            Some("pairs") => {
                tokens.open(b'[', "an array of pairs")?;
                return Ok(Next::Inner(Frame::Pairs(line, true)));
            }
            Some("tags") => self.tags(tokens)?,
            Some("comments") => self.lines[line].comments = self.comments(tokens)?,
            Some("label") => self.lines[line].label = Some(tokens.number("a label's number")?),
            Some("result") => {
                end.result = one_of(tokens, &GameResult::ALL, |result| result.text())?;
            }
            Some("final_comments") => end.comments = self.comments(tokens)?,
            // Where the first ply is played from is what the PDTL tag says.
            Some(_) => drop(position(tokens)?),
        }
        Ok(Next::Same)
    }

    fn part_of_pair(&mut self, tokens: &mut Tokens<'_>, object: &mut Object, pair: usize) -> Result<Next, Slip> {
        match object.key(tokens)? {
            None => {
                let one = if object.has("black") { "black" } else { "white" };
                object.needs(&["number", one])?;
                return Ok(Next::Outer);
            }
            Some("variations") => {
                tokens.open(b'[', "an array of variations")?;
                return Ok(Next::Inner(Frame::Variations(pair, true)));
            }
            Some("number") => {
                if !tokens.null() {
                    let number = tokens.number("a pair's number, or null,")?;
                    self.pairs[pair].number = item(ItemKind::Number, 0, 0, number, Spelt(0));
                }
            }
            Some("comments") => self.pairs[pair].comments = self.comments(tokens)?,
            Some(player) => {
                let side = if player == "white" { Side::White } else { Side::Black };
                self.pairs[pair].halves[side as usize] = Some(self.half(tokens, side)?);
            }
        }
        Ok(Next::Same)
    }

    fn begin_pair(&mut self, tokens: &mut Tokens<'_>, line: usize) -> Result<Frame, Slip> {
        let object = Object::open(tokens, "an object, a pair,", &PAIR_KEYS)?;
        let number = item(ItemKind::Number, 0, 0, 1, Spelt::UNKNOWN);
        let index = self.pairs.len();
        if let Some(before) = self.lines[line].pairs.add(index) {
            self.pairs[before].next = index as u32;
        }
        let (comments, variations) = (List::EMPTY, List::EMPTY);
        self.pairs.push(Pair { number, halves: [None, None], comments, variations, next: NONE });
        Ok(Frame::Pair(object, index))
    }

    fn begin_variation(&mut self, tokens: &mut Tokens<'_>, pair: usize) -> Result<Frame, Slip> {
        let object = Object::open(tokens, "an object, a variation,", &LINE_KEYS)?;
        let index = self.lines.len();
        if let Some(before) = self.pairs[pair].variations.add(index) {
            self.lines[before].next = index as u32;
        }
        self.lines.push(Line { label: None, comments: List::EMPTY, pairs: List::EMPTY, next: NONE });
        Ok(Frame::Line(object, index))
    }

    fn tags(&mut self, tokens: &mut Tokens<'_>) -> Result<(), Slip> {
        tokens.open(b'[', "an array of tags")?;
        let mut fresh = true;
        while tokens.another(&mut fresh, b']')? {
            let at = tokens.place();
            tokens.open(b'[', "an array of a tag's name and value")?;
            let name = self.add(tokens.string("a tag's name")?.as_bytes());
            tokens.open(b',', "`,`")?;
            let value = self.add(tokens.string("a tag's value")?.as_bytes());
            tokens.open(b']', "`]`")?;
            self.tags.push(TagText { name: name..value, value: value..self.texts.len(), at });
        }
        Ok(())
    }

    /// Keeps a text; gives where it begins.
    fn add(&mut self, text: &[u8]) -> usize {
        let at = self.texts.len();
        self.texts.extend_from_slice(text);
        at
    }

    fn add_all(&mut self, parts: &[&str]) -> usize {
        let at = self.texts.len();
        parts.iter().for_each(|part| self.texts.extend_from_slice(part.as_bytes()));
        at
    }

    fn comments(&mut self, tokens: &mut Tokens<'_>) -> Result<List, Slip> {
        tokens.open(b'[', "an array of comments")?;
        let (mut list, mut fresh) = (List::EMPTY, true);
        while tokens.another(&mut fresh, b']')? {
            let item = self.comment(tokens)?;
            let index = self.remarks.len();
            if let Some(before) = list.add(index) {
                self.remarks[before].next = index as u32;
            }
            self.remarks.push(Remark { item, next: NONE });
        }
        Ok(list)
    }

    fn comment(&mut self, tokens: &mut Tokens<'_>) -> Result<Item, Slip> {
        let mut object = Object::open(tokens, "an object, a comment,", &COMMENT_KEYS)?;
        let (mut text, mut player, mut mark, mut automatic, mut line) = Default::default();
        let mut text_at = object.at;
        while let Some(key) = object.key(tokens)? {
            match key {
                "text" => (text_at, text) = (tokens.place(), tokens.string("a comment's text")?),
                "player" => player = Some(one_of(tokens, &["white", "black"], |name| *name)?),
                "mark" => mark = Some(tokens.string("a mark, as in `@W: `,")?),
                "automatic" => automatic = tokens.boolean()?,
                _ => line = Some(one_of(tokens, &[";", "%"], |sign| *sign)?),
            }
        }
        object.needs(&["text"])?;
        let slip = |at, what: &str| Err(Slip { at, what: what.to_owned() });
        if let Some(sign) = line {
            if player.is_some() || mark.is_some() || automatic {
                return slip(
                    object.at,
                    "a `line` with `player`, `mark` or `automatic`: its text says all that it says",
                );
            }
            if text.contains(['\n', '\r']) {
                return slip(text_at, "a line end in a comment that ends with its line");
            }
            let at = self.add_all(&[sign, &text]);
            return Ok(self.item(ItemKind::Comment, at, 0, Spelt::OTHER));
        }
        if mark.is_some() && player.is_none() {
            return slip(object.at, "a `mark` without a `player`");
        }
        let usual = player.map_or("", |player| if player == "white" { "@W: " } else { "@B: " });
        let mark = mark.as_deref().unwrap_or(usual);
        if mark.contains('}') || text.contains('}') {
            return slip(text_at, "`}` in a comment, which ends it");
        }
        let at = self.add_all(&[if automatic { "{: " } else { "{ " }, mark, &text, "}"]);
        match (Head::read(&self.texts[at..]).player, player) {
            (Some(Side::White), Some("white")) | (Some(Side::Black), Some("black")) | (None, None) => {
                Ok(self.item(ItemKind::Comment, at, 0, Spelt(0)))
            }
            (None, Some(_)) => slip(object.at, "`mark` begins with neither `@W` nor `@B`, as its player has it"),
            (Some(side), _) => {
                let what =
                    format!("the text says `@{}`, and `player` does not", if side == Side::White { 'W' } else { 'B' });
                Err(Slip { at: text_at, what })
            }
        }
    }

    /// An item whose text reaches from `at` to the end of the texts.
    fn item(&self, kind: ItemKind, at: usize, value: u32, spelt: Spelt) -> Item {
        item(kind, at, self.texts.len() - at, value, spelt)
    }

    fn half(&mut self, tokens: &mut Tokens<'_>, side: Side) -> Result<Half, Slip> {
        let mut object = Object::open(tokens, "an object, a ply,", &PLY_KEYS)?;
        let mut said = Said::NOTHING;
        let (mut valuations, mut offer, mut claimed) = ((0, 0), false, None);
        while let Some(key) = object.key(tokens)? {
            match key {
                _ if said.read(key, tokens)? => {}
                "valuation" => valuations = self.valuation(tokens)?,
                "offer" => offer = tokens.boolean()?,
                _ => {
                    let place = tokens.place();
                    claimed = position(tokens)?.map(|text| (self.add(text.as_bytes()), self.texts.len(), place));
                }
            }
        }
        let ply = said.ply(side).map_err(|what| Slip { at: object.at, what: what.to_owned() })?;
        Ok(Half { ply, valuations, offer, claim: Claim { ply, at: object.at, position: claimed } })
    }

    fn valuation(&mut self, tokens: &mut Tokens<'_>) -> Result<(usize, usize), Slip> {
        let at = tokens.place();
        let signs = tokens.string("a valuation")?;
        let first = self.valuations.len();
        for sign in signs.split(' ') {
            let nag = (1..=7).find(|nag| valuation(*nag) == Some(sign)).unwrap_or(0);
            if sign.is_empty() || nag == 0 && !stands_for_itself(sign.as_bytes()) {
                return Err(Slip { at, what: format!("`{sign}` is no valuation, as `!` or `?!` is") });
            }
            let start = self.add(sign.as_bytes());
            let item = self.item(ItemKind::Valuation, start, nag, Spelt(0));
            self.valuations.push(item);
        }
        Ok((first, self.valuations.len()))
    }

    /// Turns the tree into items, in the order of a text.
    fn lay_out(&mut self, end: &End) {
        /// A line that is laid out so far.
        struct Ahead {
            pair: u32,
            variation: u32,
            open: usize,
        }
        self.lay_out_comments(self.lines[0].comments);
        let mut lines = vec![Ahead { pair: self.lines[0].pairs.first, variation: NONE, open: 0 }];
        while let Some(line) = lines.last_mut() {
            if let Some(variation) = self.lines.get(line.variation as usize) {
                line.variation = variation.next;
                let (open, pair, comments) = (self.items.len(), variation.pairs.first, variation.comments);
                self.items.push(item(ItemKind::Open, 0, 0, NONE, Spelt(0)));
                self.items.extend(variation.label.map(|label| item(ItemKind::Label, 0, 0, label, Spelt(0))));
                self.lay_out_comments(comments);
                lines.push(Ahead { pair, variation: NONE, open });
            } else if let Some(pair) = self.pairs.get(line.pair as usize) {
                (line.pair, line.variation) = (pair.next, pair.variations.first);
                let (number, halves, comments) = (pair.number, pair.halves, pair.comments);
                self.items.push(number);
                self.lay_out_plies(halves);
                self.lay_out_comments(comments);
            } else {
                let open = line.open;
                lines.pop();
                if !lines.is_empty() {
                    self.items[open].value = self.items.len() as u32;
                    self.items.push(item(ItemKind::Close, 0, 0, open as u32, Spelt(0)));
                }
            }
        }
        self.items.push(item(ItemKind::Result, 0, 0, end.result as u32, Spelt(0)));
        self.lay_out_comments(end.comments);
    }

    fn lay_out_comments(&mut self, list: List) {
        let mut next = list.first;
        while let Some(remark) = self.remarks.get(next as usize) {
            self.items.push(remark.item);
            next = remark.next;
        }
    }

    fn lay_out_plies(&mut self, halves: [Option<Half>; 2]) {
        if halves[0].is_none() {
            self.items.push(item(ItemKind::Ellipsis, 0, 0, 0, Spelt(0)));
        }
        for (half, spelt) in halves.into_iter().zip([Spelt(0), Spelt::BLACK]) {
            let Some(half) = half else { continue };
            self.items.push(item(ItemKind::Ply, 0, 0, half.ply.to_bits(), spelt));
            self.items.extend_from_slice(&self.valuations[half.valuations.0..half.valuations.1]);
            if half.offer {
                self.items.push(item(ItemKind::Offer, 0, 0, 0, Spelt(0)));
            }
            self.claims.push(half.claim);
        }
    }

    /// Writes the record: its tags as they are, a line each, then the movetext.
    fn write(&self, out: &mut Vec<u8>) {
        let mut letters = None;
        for tag in &self.tags {
            let (name, value) = (&self.texts[tag.name.clone()], &self.texts[tag.value.clone()]);
            if name == b"Redefine" {
                letters = letters.or(Letters::parse(value).ok());
            }
            out.extend_from_slice(&[b"[", name, b" \"", value, b"\"]\n"].concat());
        }
        write_movetext(&self.texts, &self.items, &letters.unwrap_or(Letters::STANDARD), out);
    }

    /// That the text says what the object does: neither a tag nor a comment may hold what would be read as something else.
    fn check(&mut self, text: &[u8]) -> Result<(), Slip> {
        if text.len() > RECORD_BOUND {
            return Err(Slip {
                at: 0,
                what: format!("a record of {} bytes: 64 MiB are the most that are read", text.len()),
            });
        }
        let (mut splitter, mut others) = (Splitter::default(), Vec::new());
        splitter.scan(text, true, &mut others);
        if !others.is_empty() {
            return Err(Slip { at: 0, what: "a text in this record would be read as another record".to_owned() });
        }
        let FromJson { reader, replayer, tags, claims, texts, .. } = self;
        let mut record = reader.read(text, Begins::Line);
        let told = |tag: &TagText| (&texts[tag.name.clone()], &texts[tag.value.clone()]);
        let read = |tag: usize| record.tags.get(tag).map(|tag| (tag.name_text(text), tag.value(text)));
        let wrong = tags.iter().enumerate().find(|(index, tag)| read(*index) != Some(told(tag))).map(|(_, tag)| tag);
        if let Some(tag) = wrong.or_else(|| tags.last().filter(|_| record.tags.len() > tags.len())) {
            let what = "a tag that would be read otherwise: a name is letters and digits, a value is on one line, with `\\\"` for `\"`";
            return Err(Slip { at: tag.at, what: what.to_owned() });
        }
        check_plies(&mut record, replayer, claims, texts)
    }
}

/// That plies, and positions where some are given, are those that the object names.
fn check_plies(record: &mut Record<'_>, replayer: &mut Replayer, claims: &[Claim], texts: &[u8]) -> Result<(), Slip> {
    let items = record.items;
    let plies = || items.iter().enumerate().filter(|(_, item)| item.kind == ItemKind::Ply);
    let differs = |((_, item), claim): &((usize, &Item), &Claim)| item.value != claim.ply.to_bits();
    let wrong = plies().zip(claims).find(differs).map(|(_, claim)| claim);
    if let Some(claim) = wrong.or_else(|| claims.last().filter(|_| plies().count() != claims.len())) {
        return Err(Slip { at: claim.at, what: "a ply that would be read otherwise".to_owned() });
    }
    if claims.iter().all(|claim| claim.position.is_none()) {
        return Ok(());
    }
    let mut after = Vec::new();
    replayer.replay_and(record, |item, position| after.push((item, *position)));
    let (known, mut found) = (Known { start: None, after: &after }, Vec::new());
    for ((index, _), claim) in plies().zip(claims) {
        let Some((start, end, at)) = claim.position else { continue };
        found.clear();
        known.behind(index).into_iter().for_each(|position| pdtl::write(position, &Letters::STANDARD, &mut found));
        // Where a line has stopped, something else is said of the record.
        if !found.is_empty() && found != texts[start..end] {
            let what = format!("this ply leads to another position, {}", String::from_utf8_lossy(&found));
            return Err(Slip { at, what });
        }
    }
    Ok(())
}

fn item(kind: ItemKind, at: usize, len: usize, value: u32, spelt: Spelt) -> Item {
    Item { at: at as u32, len: len as u32, value, kind, spelt }
}

/// A position, or nothing for `null`.
fn position<'a>(tokens: &mut Tokens<'a>) -> Result<Option<Cow<'a, str>>, Slip> {
    if tokens.null() { Ok(None) } else { tokens.string("a position, or null,").map(Some) }
}
