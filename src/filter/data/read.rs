//! A JSON object to the text of a record, in the layout of the canonical form.

use super::tokens::{Slip, Tokens};
use super::{CAPTURES, Known};
use crate::filter::form::stands_for_itself;
use crate::filter::write::write_movetext;
use crate::game::{Capture, Castling, Check, Hex, Kind, Ply, Promotion, Shape, Side};
use crate::notation::{GameResult, Letters, check_sign, pdtl, quick_hex, standard, valuation};
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

/// What is said of a ply, to be compared with how the record's text is read.
#[derive(Clone, Copy)]
struct Claim {
    ply: Ply,
    /// Where in the line it is said.
    at: usize,
    /// Where in `texts` the position behind it stands, and where in the line.
    position: Option<(usize, usize, usize)>,
}

/// An object that is being read.
struct Object {
    fresh: bool,
    at: usize,
    /// The keys that were read, as bits.
    seen: u32,
}

impl Object {
    /// Begins one.
    fn open(tokens: &mut Tokens<'_>, what: &str) -> Result<Object, Slip> {
        let at = tokens.place();
        tokens.open(b'{', what)?;
        Ok(Object { fresh: true, at, seen: 0 })
    }

    /// The number of the next key among `keys`; nothing at the end.
    fn key(&mut self, tokens: &mut Tokens<'_>, keys: &[&str]) -> Result<Option<usize>, Slip> {
        let Some((key, at)) = tokens.key(&mut self.fresh)? else { return Ok(None) };
        let Some(number) = keys.iter().position(|known| *known == key) else {
            return Err(Slip { at, what: format!("the key `{key}` stands where only {} can", keys.join(", ")) });
        };
        if self.seen >> number & 1 != 0 {
            return Err(Slip { at, what: format!("a second `{key}` in an object") });
        }
        self.seen |= 1 << number;
        Ok(Some(number))
    }

    fn has(&self, number: usize) -> bool {
        self.seen >> number & 1 != 0
    }

    /// That these of its keys are there.
    fn needs(&self, keys: &[&str], numbers: &[usize]) -> Result<(), Slip> {
        match numbers.iter().find(|number| !self.has(**number)) {
            Some(number) => Err(Slip { at: self.at, what: format!("`{}` is missing in this object", keys[*number]) }),
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

const RECORD_KEYS: [&str; 6] = ["pairs", "comments", "tags", "result", "final_comments", "pdtl"];
const LINE_KEYS: [&str; 3] = ["pairs", "comments", "label"];
const PAIR_KEYS: [&str; 5] = ["number", "white", "black", "comments", "variations"];
const PLY_KEYS: [&str; 11] =
    ["piece", "from", "to", "capture", "captured", "promotion", "castling", "sign", "valuation", "offer", "pdtl"];
const COMMENT_KEYS: [&str; 5] = ["text", "player", "mark", "automatic", "line"];

/// Makes records of JSON, one after another, with the same memory.
#[derive(Default)]
pub(crate) struct FromJson {
    /// What items and tags refer to.
    texts: Vec<u8>,
    /// Of each tag: where in `texts` its name begins, where its value does and ends, and where in the line it stands.
    tags: Vec<(usize, usize, usize, usize)>,
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
        let (result, last) = self.record(&mut tokens)?;
        tokens.end()?;
        self.lay_out(result, last);
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

    /// Reads all of the object; gives the result and the comments behind it.
    fn record(&mut self, tokens: &mut Tokens<'_>) -> Result<(GameResult, List), Slip> {
        let (mut result, mut last) = (GameResult::Unfinished, List::EMPTY);
        let mut frames = vec![Frame::Line(Object::open(tokens, "an object, a record,")?, 0)];
        self.lines.push(Line { label: None, comments: List::EMPTY, pairs: List::EMPTY, next: NONE });
        while let Some(frame) = frames.last_mut() {
            let inner = match frame {
                Frame::Line(object, line) => {
                    let keys: &[&str] = if *line == 0 { &RECORD_KEYS } else { &LINE_KEYS };
                    match (object.key(tokens, keys)?, *line) {
                        (None, 0) => object.needs(keys, &[0, 2, 3]).map(|()| None)?,
                        (None, _) => object.needs(keys, &[0]).map(|()| None)?,
                        (Some(0), line) => {
                            tokens.open(b'[', "an array of pairs")?;
                            Some(Frame::Pairs(line, true))
                        }
                        (Some(key), line) => {
                            match (key, line) {
                                (1, _) => self.lines[line].comments = self.comments(tokens)?,
                                (2, 0) => self.tags(tokens)?,
                                (2, _) => self.lines[line].label = Some(tokens.number("a label's number")?),
                                (3, _) => result = game_result(tokens)?,
                                (4, _) => last = self.comments(tokens)?,
                                _ => {
                                    // Where the first ply is played from is what the PDTL tag says.
                                    if !tokens.null() {
                                        tokens.string("a position, or null,")?;
                                    }
                                }
                            }
                            continue;
                        }
                    }
                }
                Frame::Pairs(line, fresh) => {
                    tokens.another(fresh, b']')?.then(|| self.begin_pair(tokens, *line)).transpose()?
                }
                Frame::Pair(object, pair) => match object.key(tokens, &PAIR_KEYS)? {
                    None if !object.has(1) && !object.has(2) => object.needs(&PAIR_KEYS, &[0, 1]).map(|()| None)?,
                    None => object.needs(&PAIR_KEYS, &[0]).map(|()| None)?,
                    Some(4) => {
                        tokens.open(b'[', "an array of variations")?;
                        Some(Frame::Variations(*pair, true))
                    }
                    Some(key) => {
                        let pair = *pair;
                        self.part_of_pair(tokens, key, pair)?;
                        continue;
                    }
                },
                Frame::Variations(pair, fresh) => {
                    tokens.another(fresh, b']')?.then(|| self.begin_variation(tokens, *pair)).transpose()?
                }
            };
            match inner {
                Some(inner) => frames.push(inner),
                None => drop(frames.pop()),
            }
        }
        Ok((result, last))
    }

    fn begin_pair(&mut self, tokens: &mut Tokens<'_>, line: usize) -> Result<Frame, Slip> {
        let object = Object::open(tokens, "an object, a pair,")?;
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
        let object = Object::open(tokens, "an object, a variation,")?;
        let index = self.lines.len();
        if let Some(before) = self.pairs[pair].variations.add(index) {
            self.lines[before].next = index as u32;
        }
        self.lines.push(Line { label: None, comments: List::EMPTY, pairs: List::EMPTY, next: NONE });
        Ok(Frame::Line(object, index))
    }

    fn part_of_pair(&mut self, tokens: &mut Tokens<'_>, key: usize, pair: usize) -> Result<(), Slip> {
        match key {
            0 => {
                if !tokens.null() {
                    let number = tokens.number("a pair's number, or null,")?;
                    self.pairs[pair].number = item(ItemKind::Number, 0, 0, number, Spelt(0));
                }
            }
            3 => self.pairs[pair].comments = self.comments(tokens)?,
            _ => {
                let side = if key == 1 { Side::White } else { Side::Black };
                self.pairs[pair].halves[side as usize] = Some(self.half(tokens, side)?);
            }
        }
        Ok(())
    }

    fn tags(&mut self, tokens: &mut Tokens<'_>) -> Result<(), Slip> {
        tokens.open(b'[', "an array of tags")?;
        let mut fresh = true;
        while tokens.another(&mut fresh, b']')? {
            let place = tokens.place();
            tokens.open(b'[', "an array of a tag's name and value")?;
            let name = self.add(tokens.string("a tag's name")?.as_bytes());
            tokens.open(b',', "`,`")?;
            let value = self.add(tokens.string("a tag's value")?.as_bytes());
            tokens.open(b']', "`]`")?;
            self.tags.push((name, value, self.texts.len(), place));
        }
        Ok(())
    }

    /// Keeps a text; gives where it begins.
    fn add(&mut self, text: &[u8]) -> usize {
        let at = self.texts.len();
        self.texts.extend_from_slice(text);
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
        let mut object = Object::open(tokens, "an object, a comment,")?;
        let (mut text, mut player, mut mark, mut automatic, mut line) = Default::default();
        let mut text_at = object.at;
        while let Some(key) = object.key(tokens, &COMMENT_KEYS)? {
            match key {
                0 => (text_at, text) = (tokens.place(), tokens.string("a comment's text")?),
                1 => player = one_of(tokens, &["white", "black"], |name| *name)?,
                2 => mark = Some(tokens.string("a mark, as in `@W: `,")?),
                3 => automatic = tokens.boolean()?,
                _ => line = one_of(tokens, &[";", "%"], |sign| *sign)?,
            }
        }
        object.needs(&COMMENT_KEYS, &[0])?;
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
            let at = self.add(sign.as_bytes());
            self.add(text.as_bytes());
            return Ok(self.item(ItemKind::Comment, at, 0, Spelt::OTHER));
        }
        let usual = player.map_or("", |player| if player == "white" { "@W: " } else { "@B: " });
        let mark = mark.as_deref().unwrap_or(usual);
        if mark.contains('}') || text.contains('}') {
            return slip(text_at, "`}` in a comment, which ends it");
        }
        let at = self.add(if automatic { b"{: " } else { b"{ " });
        for part in [mark, text.as_ref(), "}"] {
            self.add(part.as_bytes());
        }
        let read = Head::read(&self.texts[at..]).player;
        match (read, player) {
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
        let mut object = Object::open(tokens, "an object, a ply,")?;
        let mut said = Said::default();
        let (mut valuations, mut offer, mut position) = ((0, 0), false, None);
        while let Some(key) = object.key(tokens, &PLY_KEYS)? {
            match key {
                0 => said.piece = Some(piece(tokens)?),
                1 => said.from = Some(place(tokens)?),
                2 => said.to = Some(place(tokens)?),
                3 => said.capture = number_of(tokens, &CAPTURES[1..])?.map_or(0, |sign| sign + 1),
                4 => said.captured = Some(piece(tokens)?),
                5 => said.promotion = promotion(tokens)?,
                6 => said.castling = castling(tokens)?,
                7 => said.check = one_of(tokens, &Check::ALL_SIGNS[1..], |check| check_sign(*check))?,
                8 => valuations = self.valuation(tokens)?,
                9 => offer = tokens.boolean()?,
                _ => {
                    let place = tokens.place();
                    if !tokens.null() {
                        let start = self.add(tokens.string("a position, or null,")?.as_bytes());
                        position = Some((start, self.texts.len(), place));
                    }
                }
            }
        }
        if said.castling.is_none() {
            object.needs(&PLY_KEYS, &[0, 1, 2])?;
        }
        let ply = said.ply(side).map_err(|what| Slip { at: object.at, what: what.to_owned() })?;
        Ok(Half { ply, valuations, offer, claim: Claim { ply, at: object.at, position } })
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
    fn lay_out(&mut self, result: GameResult, last: List) {
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
        self.items.push(item(ItemKind::Result, 0, 0, result as u32, Spelt(0)));
        self.lay_out_comments(last);
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
        for &(name, value, end, _) in &self.tags {
            let (name, value) = (&self.texts[name..value], &self.texts[value..end]);
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
        let told = |tag: &(usize, usize, usize, usize)| (&texts[tag.0..tag.1], &texts[tag.1..tag.2]);
        let read = |tag: usize| record.tags.get(tag).map(|tag| (tag.name_text(text), tag.value(text)));
        let differs = |(index, tag): &(usize, &(usize, usize, usize, usize))| read(*index) != Some(told(tag));
        let wrong = tags.iter().enumerate().find(differs).map(|(_, tag)| tag);
        if let Some(tag) = wrong.or_else(|| tags.last().filter(|_| record.tags.len() > tags.len())) {
            let what = "a tag that would be read otherwise: a name is letters and digits, a value is on one line, with `\\\"` for `\"`";
            return Err(Slip { at: tag.3, what: what.to_owned() });
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

/// What an object says of a ply.
#[derive(Default)]
struct Said {
    piece: Option<Kind>,
    from: Option<Hex>,
    to: Option<Hex>,
    /// The number of its sign among [`CAPTURES`].
    capture: usize,
    captured: Option<Kind>,
    promotion: Option<Promotion>,
    castling: Option<Castling>,
    check: Option<Check>,
}

impl Said {
    fn ply(&self, side: Side) -> Result<Ply, &'static str> {
        let check = self.check.unwrap_or(Check::None);
        let promotion = self.promotion.unwrap_or(Promotion::None);
        let capture = [Capture::None, Capture::Taken, Capture::Passing, Capture::LongPassing][self.capture & 3];
        let captures = capture != Capture::None;
        if captures != self.captured.is_some() {
            return Err("`capture` and `captured` stand together, or not at all");
        }
        if let Some(castling) = self.castling {
            let is = |said: Option<Hex>, hex| said.is_none_or(|said| said == hex);
            let is_kings = self.piece.is_none_or(|piece| piece == Kind::King)
                && is(self.from, Castling::king_home(side))
                && is(self.to, castling.king_to(side));
            if !is_kings || captures || promotion != Promotion::None {
                return Err("`castling` with other values than those of its king");
            }
            return Ok(Ply::new(Shape::Castle(castling), check));
        }
        let (Some(piece), Some(from), Some(to)) = (self.piece, self.from, self.to) else {
            return Err("`piece`, `from` and `to` are needed");
        };
        if piece == Kind::Pawn && from == to && !captures && promotion != Promotion::None {
            return Ok(Ply::new(Shape::Promote { at: from, promotion }, check));
        }
        let captured = self.captured.unwrap_or(Kind::Pawn);
        Ok(Ply::new(Shape::Step { piece, from, to, capture, captured, promotion }, check))
    }
}

fn quoted<T>(names: &[T], name: impl Fn(&T) -> &str) -> String {
    names.iter().map(|value| format!("`{}`", name(value))).collect::<Vec<_>>().join(", ")
}

/// The number of a string among these.
fn number_of(tokens: &mut Tokens<'_>, names: &[&str]) -> Result<Option<usize>, Slip> {
    let at = tokens.place();
    let read = tokens.string(&format!("one of {}", quoted(names, |name| name)))?;
    match names.iter().position(|name| *name == read) {
        None => {
            Err(Slip { at, what: format!("`{read}` stands where one of {} was expected", quoted(names, |name| name)) })
        }
        found => Ok(found),
    }
}

/// The value with the name that a string is.
fn one_of<T: Copy>(
    tokens: &mut Tokens<'_>,
    values: &[T],
    name: impl Fn(&T) -> &'static str,
) -> Result<Option<T>, Slip> {
    let names: Vec<&str> = values.iter().map(&name).collect();
    Ok(number_of(tokens, &names)?.map(|number| values[number]))
}

fn game_result(tokens: &mut Tokens<'_>) -> Result<GameResult, Slip> {
    Ok(one_of(tokens, &GameResult::ALL, |result| result.text())?.unwrap_or(GameResult::Unfinished))
}

fn castling(tokens: &mut Tokens<'_>) -> Result<Option<Castling>, Slip> {
    let all: Vec<Castling> = Castling::all().collect();
    one_of(tokens, &all, |castling| castling.code())
}

/// A letter of §2.4.
fn piece(tokens: &mut Tokens<'_>) -> Result<Kind, Slip> {
    const WHAT: &str = "the letter of a piece, one of P, E, J, N, G, R, V, D, K,";
    let at = tokens.place();
    let letter = tokens.string(WHAT)?;
    let kind = if let [letter] = letter.as_bytes() { standard(*letter) } else { None };
    kind.ok_or_else(|| Slip { at, what: format!("`{letter}` stands where {WHAT} was expected") })
}

fn promotion(tokens: &mut Tokens<'_>) -> Result<Option<Promotion>, Slip> {
    const WHAT: &str = "`&`, or the letter of what a pawn becomes,";
    let at = tokens.place();
    let letter = tokens.string(WHAT)?;
    let found = match letter.as_bytes() {
        b"&" => Some(Promotion::Awaiting),
        [letter] => standard(*letter).and_then(Promotion::to),
        _ => None,
    };
    found.map(Some).ok_or_else(|| Slip { at, what: format!("`{letter}` stands where {WHAT} was expected") })
}

fn place(tokens: &mut Tokens<'_>) -> Result<Hex, Slip> {
    let at = tokens.place();
    let name = tokens.string("a hex")?;
    // What follows a hex would be no part of it.
    let found = quick_hex(name.as_bytes()).filter(|(_, len)| *len == name.len());
    found.map(|(hex, _)| hex).ok_or_else(|| Slip { at, what: format!("`{name}` is no hex") })
}
