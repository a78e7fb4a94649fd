//! **The** writer: tags and items to text.

use super::form::{CheckSigns, Form, Layout, is_precise, refusal};
use super::tags::{Tags, close_of};
use super::take::{Changes, Taken};
use crate::game::{Check, Ply, Side};
use crate::notation::{GameResult, Letters, check_sign, read_ply, reference, valuation, write_ply};
use crate::syntax::{Fault, Faults, Head, Item, ItemKind, Record, Setup, Spelt, said_in, whole_pair};

/// Writes a record in this form.
///
/// Layout is that of §13.6: a pair a line, its comments and variations behind it, each on its lines, with dots in front
/// in variations. What is there already is copied.
///
/// # Errors
/// The first fault that keeps the record from being written (§13.3); then nothing is.
pub fn write(record: &Record<'_>, form: &Form, out: &mut Vec<u8>) -> Result<(), Fault> {
    if let Some(fault) = refusal(record, form) {
        return Err(fault);
    }
    let own = record.setup.letters.as_ref();
    let other = form.letters.other_than(own);
    let unchanged = Changes::default();
    let tags = Tags::new(record, form, &unchanged, other);
    if form.layout == Layout::AsItStands
        && other.is_none()
        && let Some(text) = untouched(record, form)
        && tags.stand()
    {
        out.extend_from_slice(text);
        out.push(b'\n');
        return Ok(());
    }
    tags.write(out);
    if other.is_none()
        && form.has(record)
        && let (Some(first), Some(last)) = (record.items.first(), record.items.last())
    {
        out.extend_from_slice(&record.text[first.at as usize..last.end()]);
        out.push(b'\n');
        return Ok(());
    }
    Movetext::new(record, form, (own.unwrap_or(&Letters::STANDARD), other), out).write();
    Ok(())
}

/// Writes a part of a record that can be written in this form as one of its own. Its layout is always new.
pub(super) fn write_part(record: &Record<'_>, part: &Taken, form: &Form, out: &mut Vec<u8>) {
    let Record { text, tags, setup, id, ordinary_pgn, .. } = *record;
    let record = &Record {
        text,
        tags,
        items: &part.items,
        faults: &mut Faults::default(),
        setup,
        id,
        tidy: false,
        ordinary_pgn,
    };
    let own = setup.letters.as_ref();
    let other = form.letters.other_than(own);
    Tags::new(record, form, &part.changes, other).write(out);
    Movetext::new(record, form, (own.unwrap_or(&Letters::STANDARD), other), out).write();
}

/// Writes a movetext in canonical form; `items` have the values of those of a record, and lie in `text` where they have a text
/// of their own: comments, and valuations that the format does not know.
pub(super) fn write_movetext(text: &[u8], items: &[Item], letters: &Letters, out: &mut Vec<u8>) {
    let setup = Setup { letters: Some(*letters), has_pdtl: false, position: None, replayed: true };
    let (tags, faults) = (&[], &mut Faults::default());
    let record = Record { text, tags, items, faults, setup, id: None, tidy: false, ordinary_pgn: false };
    Movetext::new(&record, &Form::CANONICAL, (letters, None), out).write();
}

/// The text of a record from its first tag to its result or the comment behind it, if there is nothing to mend or to
/// change in it, tags and letters apart.
fn untouched<'a>(record: &Record<'a>, form: &Form) -> Option<&'a [u8]> {
    let stand = record.faults.iter().all(|fault| fault.kind.is_loose())
        && (form.has(record) || record.items.iter().all(|item| form.keeps(item, record.text)));
    let (first, last) = (record.tags.first()?, record.items.last()?);
    let text = record.text.get(first.at as usize..last.end()).filter(|_| stand)?;
    memchr::memchr(b'\r', text).is_none().then_some(text)
}

/// What stands behind the ply that was written last.
#[derive(Clone, Copy, Default)]
struct Tail {
    /// The ply's sign for mate, and whose it is.
    mate: Option<Side>,
    /// There is a valuation, and whether it stays apart from a mark that is glued to it.
    valued: Option<bool>,
    offer: bool,
    /// The end mark, and whether it is glued to the ply.
    end: Option<bool>,
}

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// Nothing of the movetext.
    Nothing,
    /// `(`: the first pair is glued to it.
    Open,
    /// `(` and a label: the first pair stands behind a blank.
    Label,
    /// A pair: `)` is glued to it.
    Pair,
    /// Something that has its lines for itself.
    Other,
}

/// **Decision**: lines of deeper variations begin with no more dots, which mean nothing (§8.5); a record of variations
/// in variations would grow with the square of its length.
const MOST_DOTS: usize = 64;

struct Movetext<'a, 'b> {
    record: &'a Record<'a>,
    form: &'a Form,
    /// The letters of the record.
    own: &'a Letters,
    /// The letters to write, if they are others.
    other: Option<&'a Letters>,
    /// Whole pairs are written as they are where that is right.
    copies: bool,
    out: &'b mut Vec<u8>,
    /// Variations around.
    depth: usize,
    behind: Behind,
    tail: Tail,
    /// Who mates in the main line.
    mate: Option<Side>,
    /// Comments of the line at hand were written behind their pair already.
    remarked: bool,
}

impl<'a, 'b> Movetext<'a, 'b> {
    fn new(
        record: &'a Record<'a>,
        form: &'a Form,
        (own, other): (&'a Letters, Option<&'a Letters>),
        out: &'b mut Vec<u8>,
    ) -> Movetext<'a, 'b> {
        let (behind, tail) = (Behind::Nothing, Tail::default());
        let copies = other.is_none() && form.leaves_pairs();
        Movetext { record, form, own, other, copies, out, depth: 0, behind, tail, mate: None, remarked: false }
    }

    fn is_canonical(&self) -> bool {
        self.form.layout == Layout::Canonical
    }

    fn write(mut self) {
        let items = self.record.items;
        let mut index = 0;
        let mut has_result = false;
        while let Some(&item) = items.get(index) {
            match item.kind {
                ItemKind::Number => {
                    index = self.copy(index).unwrap_or_else(|| self.pair(item, index + 1));
                    continue;
                }
                ItemKind::Comment if !self.remarked && self.form.keeps(&item, self.record.text) => {
                    self.comment(item, false);
                }
                ItemKind::Open if self.form.keep.variations => self.open(items.get(index + 1)),
                ItemKind::Open => index = close_of(item, index),
                ItemKind::Close => self.close(),
                ItemKind::Result if !has_result => {
                    has_result = true;
                    self.result(item);
                }
                _ => {}
            }
            index = index.saturating_add(1);
        }
        if !has_result {
            self.new_line(0);
            let told = self.mate.map_or(GameResult::Unfinished, GameResult::of_mate);
            self.out.extend_from_slice(told.text().as_bytes());
        }
        self.out.push(b'\n');
    }

    fn new_line(&mut self, dots: usize) {
        if self.behind != Behind::Nothing {
            self.out.push(b'\n');
        }
        self.out.resize(self.out.len() + dots.min(MOST_DOTS), b'.');
        self.behind = Behind::Other;
    }

    /// Copies the whole pairs from a number on that stand as they are to be written, one a line; gives the item to go on with,
    /// or nothing if there is none.
    fn copy(&mut self, index: usize) -> Option<usize> {
        if !self.copies || self.depth > 0 {
            return None;
        }
        let (items, text) = (self.record.items, self.record.text);
        let start = items[index].at as usize;
        let (mut next, mut end) = (index, start);
        while let Some(pair) = items.get(next..).and_then(whole_pair)
            && stands_as_written(pair, text)
            && (next == index || &text[end..pair[0].at as usize] == b"\n")
            && self.is_over(next + pair.len())
        {
            (next, end) = (next + pair.len(), pair[3].end());
        }
        if next == index {
            return None;
        }
        self.new_line(0);
        self.out.extend_from_slice(&text[start..end]);
        self.behind = Behind::Pair;
        self.mate = None;
        Some(next)
    }

    /// Whether nothing more of a pair comes before the number of the next one, comments and variations apart.
    fn is_over(&self, mut index: usize) -> bool {
        while let Some(item) = self.record.items.get(index) {
            index = match item.kind {
                ItemKind::Comment => index + 1,
                ItemKind::Open => close_of(*item, index).saturating_add(1),
                kind => return kind == ItemKind::Number,
            };
        }
        false
    }

    /// Writes a pair whose number has been read, with what stands behind its plies; gives the item to go on with. What
    /// lies between its plies follows it (§7.1).
    fn pair(&mut self, number: Item, mut index: usize) -> usize {
        match self.behind {
            Behind::Open => {}
            Behind::Label => self.out.push(b' '),
            _ => self.new_line(self.depth),
        }
        self.number(number);
        let items = self.record.items;
        let mut between = None;
        while let Some(&item) = items.get(index) {
            match item.kind {
                ItemKind::Number | ItemKind::Result | ItemKind::Close => break,
                ItemKind::Comment | ItemKind::Open => {
                    if between.is_none() && self.form.keeps(&item, self.record.text) {
                        between = Some(index);
                    }
                    index = if item.kind == ItemKind::Open { close_of(item, index) } else { index };
                }
                ItemKind::Ellipsis => {
                    let own = if item.len == 0 { "…".as_bytes() } else { item.text(self.record.text) };
                    self.out.extend_from_slice(self.form.separators.ellipsis().map_or(own, str::as_bytes));
                }
                ItemKind::Ply => self.ply(item),
                ItemKind::Valuation => self.valuation(item),
                ItemKind::Offer => self.tail.offer = self.form.keep.offers,
                ItemKind::End => {
                    let glued = item.spelt.has(Spelt::GLUED) && items[index - 1].kind == ItemKind::Ply;
                    self.tail.end = Some(glued);
                }
                _ => {}
            }
            index = index.saturating_add(1);
        }
        if self.depth == 0 {
            let is_last = items.get(index).is_none_or(|item| item.kind != ItemKind::Number);
            if is_last && self.tail.end.is_none() {
                // The end mark is missing: it has one place (§6.11).
                self.tail.end = Some(true);
            }
            self.mate = self.tail.mate;
        }
        self.end_ply();
        self.behind = Behind::Pair;
        let next = between.unwrap_or(index);
        if self.is_canonical() {
            self.remarks(next);
            self.remarked = true;
        }
        next
    }

    /// Writes the comments of the pair that was written last, whose other items begin at `index`: on White's ply, on
    /// Black's, on neither, a program's before another one (§13.6).
    fn remarks(&mut self, mut index: usize) {
        let items = self.record.items;
        let mut remarks = Vec::new();
        while let Some(&item) = items.get(index) {
            match item.kind {
                ItemKind::Number | ItemKind::Result | ItemKind::Close => break,
                ItemKind::Open => index = close_of(item, index),
                ItemKind::Comment if self.form.keeps(&item, self.record.text) => remarks.push(item),
                _ => {}
            }
            index = index.saturating_add(1);
        }
        remarks.sort_by_cached_key(|item| {
            let head = Head::read(item.text(self.record.text));
            (head.player.is_none(), head.player.map(|side| side as u8), !head.automatic)
        });
        remarks.into_iter().for_each(|remark| self.comment(remark, true));
    }

    fn number(&mut self, item: Item) {
        if item.spelt.has(Spelt::PLAIN) {
            self.out.extend_from_slice(item.text(self.record.text));
        } else {
            self.out.extend_from_slice(item.value.to_string().as_bytes());
            self.out.push(if item.spelt.has(Spelt::UNKNOWN) { b'?' } else { b'.' });
        }
        self.out.push(b' ');
    }

    fn ply(&mut self, item: Item) {
        let side = item.spelt.side();
        if side == Side::Black {
            self.end_ply();
            self.out.extend_from_slice(b", ");
        }
        let ply = Ply::from_bits(item.value).filter(|_| !item.spelt.has(Spelt::UNREAD));
        match ply {
            Some(ply) if !self.can_be_copied(item, side) => {
                let signs = self.form.separators.of_ply(item.spelt);
                write_ply(ply, self.other.unwrap_or(self.own), signs, self.out);
            }
            _ => self.out.extend_from_slice(item.text(self.record.text)),
        }
        if self.form.signs == CheckSigns::Plain
            && let Some(ply) = ply.filter(|ply| is_precise(*ply))
        {
            self.out.truncate(self.out.len() - check_sign(ply.check()).len());
            self.out.extend_from_slice(check_sign(Check::Plain).as_bytes());
        }
        self.tail.mate = ply.filter(|ply| ply.mates()).map(|_| side);
    }

    /// Whether a ply's word is right, and in the letters and signs to write.
    fn can_be_copied(&self, item: Item, side: Side) -> bool {
        if self.other.is_none() && item.spelt.has(Spelt::PLAIN) {
            return self.form.separators.are_of(&item);
        }
        // Two spellings of a figurine are right.
        let mut good = self.other.is_none() && !self.is_canonical() && self.form.separators.are_of(&item);
        if good {
            let read = read_ply(item.text(self.record.text), self.own, side, &mut |_| good = false);
            good &= read.ply.is_some() && read.len == item.len as usize;
        }
        good
    }

    fn valuation(&mut self, item: Item) {
        if !self.form.keep.valuations {
            return;
        }
        let text = item.text(self.record.text);
        let sign = valuation(item.value);
        self.out.push(b' ');
        self.out.extend_from_slice(sign.map_or(text, |sign| sign.as_bytes()));
        // An unknown sign reaches as far as its word does.
        self.tail.valued = Some(sign.is_some() || matches!(text, [b'?' | b'!' | b'$', ..]));
    }

    /// What stands behind a ply and its valuation, in its order (§6.10).
    fn end_ply(&mut self) {
        let tail = std::mem::take(&mut self.tail);
        if tail.offer {
            self.out.extend_from_slice(if tail.valued.is_some() { b"(=)" } else { b" (=)" });
        }
        match tail.end {
            // `#` ends the game itself (§6.11).
            _ if tail.mate.is_some() => {}
            Some(_) if self.is_canonical() && self.depth > 0 => {}
            Some(glued) => {
                let glued = tail.offer || tail.valued.unwrap_or(glued || self.is_canonical());
                self.out.extend_from_slice(if glued { b":" } else { b" :" });
            }
            None => {}
        }
    }

    /// Writes a comment with its text untouched but for line ends, which are LF, and the letters of its references
    /// (§13.4). `;` and `%` comments get braces (§9.3), unless a brace within would end them: such a one stays. In canonical
    /// form one blank parts the text from its braces, and whose ply it is about from the text, if it is about one, a colon
    /// (§9.5).
    fn comment(&mut self, item: Item, on_pair: bool) {
        let text = item.text(self.record.text);
        let in_braces = !item.spelt.has(Spelt::OTHER);
        let stays = !in_braces && text.contains(&b'}');
        // Behind dots `%` would begin no comment.
        self.new_line(if stays { 0 } else { self.depth });
        let start = self.out.len();
        if stays || in_braces && !self.is_canonical() {
            self.references(text);
        } else {
            self.in_braces(text);
        }
        if on_pair && !stays {
            let head = Head::read(&self.out[start..]);
            if head.player.is_some() && !head.colon {
                self.out.insert(start + head.colon_at, b':');
            }
        }
        end_lines_with_lf(self.out, start);
    }

    fn in_braces(&mut self, comment: &[u8]) {
        let (inside, automatic) = said_in(comment);
        self.out.extend_from_slice(if automatic { b"{: " } else { b"{ " });
        self.references(inside);
        self.out.extend_from_slice(if inside.is_empty() { b"}" } else { b" }" });
    }

    fn references(&mut self, text: &[u8]) {
        match self.other {
            Some(letters) => reference::reletter(text, self.own, letters, self.out),
            None => self.out.extend_from_slice(text),
        }
    }

    fn open(&mut self, next: Option<&Item>) {
        self.new_line(self.depth);
        self.out.push(b'(');
        self.depth += 1;
        self.behind = Behind::Open;
        self.remarked = false;
        if let Some(label) = next.filter(|item| item.kind == ItemKind::Label) {
            if self.is_canonical() {
                self.out.extend_from_slice(format!("$[{}]", label.value).as_bytes());
            } else {
                self.out.extend_from_slice(label.text(self.record.text));
            }
            self.behind = Behind::Label;
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.behind == Behind::Other {
            self.new_line(self.depth);
        }
        self.out.push(b')');
        self.behind = Behind::Other;
        // There is a pair that the variation is an alternative to.
        self.remarked = self.is_canonical();
    }

    fn result(&mut self, item: Item) {
        self.new_line(0);
        self.remarked = false;
        if item.spelt.has(Spelt::PLAIN) {
            self.out.extend_from_slice(item.text(self.record.text));
        } else {
            self.out.extend_from_slice(item.result().map_or("", GameResult::text).as_bytes());
        }
    }
}

/// Whether a whole pair is right, with one blank where one belongs; no ply of it mates, which would end the game.
fn stands_as_written(pair: &[Item; 4], text: &[u8]) -> bool {
    let [number, white, comma, black] = pair;
    pair.iter().all(|item| item.spelt.has(Spelt::PLAIN))
        && [white, black].map(|item| item.spelt.side()) == [Side::White, Side::Black]
        && &text[number.end()..white.at as usize] == b" "
        && &text[white.end()..black.at as usize] == b", "
        && comma.at as usize == white.end()
        && ![white, black].into_iter().any(|item| Ply::from_item(item.value).mates())
}

/// Turns CRLF and a lone CR from byte `start` on into LF (§1.4).
fn end_lines_with_lf(text: &mut Vec<u8>, start: usize) {
    if memchr::memchr(b'\r', &text[start..]).is_none() {
        return;
    }
    let written = text.split_off(start);
    let mut bytes = written.into_iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' if bytes.peek() == Some(&b'\n') => {}
            b'\r' => text.push(b'\n'),
            _ => text.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::{Part, PieceLetters, Separators};
    use crate::replay::Replayer;
    use crate::syntax::{Begins, Reader};

    const TAGS: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X01-V\"]\n[Annotator \"Me\"]\n";

    /// What a form makes of a record, or the name of the fault that refuses it.
    fn formed(text: &str, form: &Form) -> Result<String, &'static str> {
        let mut reader = Reader::default();
        let mut record = reader.read(text.as_bytes(), Begins::File);
        Replayer::default().replay(&mut record);
        let mut out = Vec::new();
        write(&record, form, &mut out).map_err(|fault| fault.kind.name())?;
        Ok(String::from_utf8(out).expect("UTF-8"))
    }

    fn form(parts: &str) -> Form {
        let part = |name| *Part::ALL.iter().find(|part| part.name() == name).expect(name);
        parts.split(',').filter(|name| !name.is_empty()).fold(Form::WHOLE, |form, name| form.without(part(name)))
    }

    /// Strips parts of a movetext, and sees that more of the same changes nothing.
    fn stripped(parts: &str, movetext: &str) -> String {
        let once = formed(&format!("{TAGS}{movetext}"), &form(parts)).expect(movetext);
        assert_eq!(formed(&once, &form(parts)).as_ref(), Ok(&once));
        once.strip_prefix(TAGS).expect("tags stay").to_owned()
    }

    fn refused(parts: &str, movetext: &str) -> Option<&'static str> {
        formed(&format!("{TAGS}{movetext}"), &form(parts)).err()
    }

    /// Has all that there is.
    const RICH: &str = "\
{ about }
1. H6-H12 ?!, I23-I19 ?!(=)
{: @W: 0.3 }
{ @W: odd }
2. JF6-C15 ?!, GH26-Z11 (=)
{ @B: on
two lines }
(2. E7-E13, E21-E15
.{ @W: a }
.(2. F8-F12, F20-F16 !
..(2. …, E21-E15)
..{: @B: 0.0 }
.)
.3. F8-F12)
($[2] 2. G7-G11)
3. L5-L7, NG25-L17 ◇
4. EH4-H8 ??, GZ11-L5
5. I5-I9, NL17-G9
6. K4-K10, GL5-H6#
0-3
{ the end }
";

    #[test]
    fn a_record_without_faults_and_with_nothing_to_leave_out_stays_byte_for_byte() {
        let odd = "\n{ a }  \n\n1. E7-E13, E21-E15\t:\n\n(1. F8-F12, F20-F16\n2. G7-G11)\n\n*";
        for text in [RICH, odd] {
            let expected = text.trim_end().to_owned() + "\n";
            assert_eq!(stripped("", text), expected);
            assert_eq!(stripped("addresses,optional-tags,redefine", text), expected);
        }
    }

    #[test]
    fn comments_go_alone() {
        let expected = "\
1. H6-H12 ?!, I23-I19 ?!(=)
2. JF6-C15 ?!, GH26-Z11 (=)
(2. E7-E13, E21-E15
.(2. F8-F12, F20-F16 !
..(2. …, E21-E15)
.)
.3. F8-F12)
($[2] 2. G7-G11)
3. L5-L7, NG25-L17 ◇
4. EH4-H8 ??, GZ11-L5
5. I5-I9, NL17-G9
6. K4-K10, GL5-H6#
0-3
";
        assert_eq!(stripped("comments", RICH), expected);
        assert_eq!(stripped("comments,auto-comments", RICH), expected);
        let odd = "{ a } 1. { b } E7-E13, { c } E21-E15 : { d }\n; e\n(1. F8-F12 ; f\n)\n* { g }\n";
        assert_eq!(stripped("comments", odd), "1. E7-E13, E21-E15 :\n(1. F8-F12)\n*\n");
    }

    #[test]
    fn comments_of_programs_go_and_what_is_told_to_the_linter_stays() {
        let expected = RICH.replace("{: @W: 0.3 }\n", "").replace("..{: @B: 0.0 }\n", "");
        assert_eq!(stripped("auto-comments", RICH), expected);
        let text = "{: ctl-lint ignore T103: so be it }\n{: ctl-lint }\n{ : mine }\n1. E7-E13, E21-E15 :\n{:}\n{:  ctl-lint\n ignore M1}\n{:ctl-linter}\n*\n";
        assert_eq!(
            stripped("auto-comments", text),
            "{: ctl-lint ignore T103: so be it }\n{: ctl-lint }\n{ : mine }\n1. E7-E13, E21-E15 :\n{:  ctl-lint\n ignore M1}\n*\n"
        );
        assert_eq!(stripped("comments", text), "1. E7-E13, E21-E15 :\n*\n");
    }

    #[test]
    fn variations_go_with_their_comments() {
        let at = |what: &str| RICH.find(what).expect(what);
        let expected = format!("{}{}", &RICH[..at("(2. E7")], &RICH[at("3. L5")..]);
        assert_eq!(stripped("variations", RICH), expected);
        assert_eq!(
            stripped("variations", "1. E7-E13 (1. F8-F12 {a}), E21-E15 : {b}\n(1. …, F20-F16) {c}\n*"),
            "1. E7-E13, E21-E15 :\n{b}\n{c}\n*\n"
        );
    }

    #[test]
    fn where_a_valuation_goes_the_end_mark_stands_behind_a_blank() {
        for (text, expected) in [
            ("1. E7-E13 !?, E21-E15 ◇:\n*", "1. E7-E13, E21-E15 :\n*\n"),
            ("1. E7-E13, E21-E15 !(=):\n*", "1. E7-E13, E21-E15 (=):\n*\n"),
            ("1. E7-E13, E21-E15 (=)!:\n*", "1. E7-E13, E21-E15 (=):\n*\n"),
            ("1. E7-E13 $1, E21-E15 $24 :\n*", "1. E7-E13, E21-E15 :\n*\n"),
            ("1. E7-E13 ! ?, E21-E15!:\n*", "1. E7-E13, E21-E15 :\n*\n"),
            ("1. E7-E13, E21-E15:\n(1. F8-F12 !: )\n*", "1. E7-E13, E21-E15:\n(1. F8-F12 :)\n*\n"),
        ] {
            assert_eq!(stripped("valuations", text), expected);
        }
        assert_eq!(
            stripped("valuations", RICH),
            RICH.replace(" ?!(", " (").replace(" ?!", "").replace(" ◇", "").replace(" ??", "").replace(" !", "")
        );
    }

    #[test]
    fn valuations_that_stay_are_written_as_the_format_wants_them() {
        for (text, expected) in [
            ("1. E7-E13!, E21-E15:?\n*", "1. E7-E13 !, E21-E15 ?:\n*\n"),
            ("1. E7-E13 $6, E21-E15 (=) $7:\n*", "1. E7-E13 ?!, E21-E15 ◇(=):\n*\n"),
            ("1. E7-E13 $24, E21-E15 ! ??\n*", "1. E7-E13 $24, E21-E15 ! ??:\n*\n"),
            ("1. E7-E13 ±, E21-E15 !!!(=):\n*", "1. E7-E13 ±, E21-E15 !!!(=):\n*\n"),
            ("1. E7-E13, E21-E15 ±\n*", "1. E7-E13, E21-E15 ± :\n*\n"),
        ] {
            assert_eq!(stripped("", text), expected);
        }
    }

    #[test]
    fn draw_offers_go() {
        for (text, expected) in [
            ("1. E7-E13 (=), E21-E15 (=):\n*", "1. E7-E13, E21-E15 :\n*\n"),
            ("1. E7-E13 !(=), E21-E15 ?(=):\n*", "1. E7-E13 !, E21-E15 ?:\n*\n"),
            ("1. E7-E13(=), E21-E15(=):\n(1. F8-F12 (=))\n*", "1. E7-E13, E21-E15 :\n(1. F8-F12)\n*\n"),
        ] {
            assert_eq!(stripped("draw-offers", text), expected);
        }
        let text = format!("{TAGS}1. E7-E13 (=), E21-E15 (=):\n*\n");
        let without = Form::MINIMAL.without(Part::DrawOffers);
        assert_eq!(formed(&text, &without), Ok(format!("{TAGS}1. E7-E13, E21-E15 :\n*\n")));
    }

    #[test]
    fn checks_lose_their_precision_and_mate_stays() {
        let text = "\
1. H6-H12, I23-I19
2. JF6-C15, GH26-Z11
3. L5-L7, NG25-L17
4. EH4-H8, GZ11-L5
5. I5-I9, NL17-G9
(5. K4-K10, GL5-H6+^ !
.6. KG1-H4, GH6×RI3++
.{ @B: ~gH6×RI3++ }
.7. KH4×GI3+∞ (=))
6. K4-K10, GL5-H6#
0-3
";
        let expected = text.replace("+^", "+").replace("+∞", "+").replacen("RI3++", "RI3+", 1);
        assert_eq!(stripped("check-precision", text), expected);
        assert_eq!(stripped("check-precision", &text.replace("+^", "^+").replace(" !", "!")), expected);
        let main = "1. H6-H12, I23-I19\n2. JF6-C15+∞, GH26-Z11++ :\n*\n";
        let minimal = Form::MINIMAL.without(Part::CheckPrecision);
        let expected = format!("{TAGS}{}", main.replace("+∞", "+").replace("++", "+"));
        assert_eq!(formed(&format!("{TAGS}{main}"), &minimal), Ok(expected));
    }

    /// The same game in other letters.
    const LETTERED: &str = "\
1. H6-H12 ?!, I23-I19
{ @W: ~P and ~pI19, ~A[d], against ~c }
2. AF6-C15, GH26-Z11
{ @W: ~A looks at line 15; ~Aleph, ~ T, ~T8, ~TT8 }
3. L5-L7, CG25-L17
4. EH4-H8, GZ11-L5
5. I5-I9, CL17-G9
(5. K4-K10, GL5-H6+^
.{: @B: wins ~TI3 by ~gL5-H6+^ ~GH6×TI3 $24 #4@B }
.6. KG1-H4, GH6×TI3
.(6. …, GH6-K12)
.7. KH4×GI3)
6. K4-K10, GL5-H6#
(6. TI3-I7)
0-3
; ~t and ~q
";
    const IN_STANDARD: &str = "\
1. H6-H12 ?!, I23-I19
{ @W: ~P and ~pI19, ~J[d], against ~n }
2. JF6-C15, GH26-Z11
{ @W: ~J looks at line 15; ~Aleph, ~ T, ~T8, ~RT8 }
3. L5-L7, NG25-L17
4. EH4-H8, GZ11-L5
5. I5-I9, NL17-G9
(5. K4-K10, GL5-H6+^
.{: @B: wins ~RI3 by ~gL5-H6+^ ~GH6×RI3 $24 #4@B }
.6. KG1-H4, GH6×RI3
.(6. …, GH6-K12)
.7. KH4×GI3)
6. K4-K10, GL5-H6#
(6. RI3-I7)
0-3
{ ~r and ~q }
";

    #[test]
    fn redefined_letters_go_from_all_that_is_kept() {
        let text = format!("{TAGS}[Redefine \"A@J, C@N, T@R\"]\n{LETTERED}");
        assert_eq!(formed(&text, &form("redefine")), Ok(format!("{TAGS}{IN_STANDARD}")));
        let moves = formed(&text, &form("redefine,comments,variations,valuations"));
        assert_eq!(moves, formed(&text, &Form::MINIMAL));
        // Where letters stay, only what has a fault is written anew.
        let own = formed(&text, &form("valuations")).expect("it has no fault that matters");
        assert_eq!(own, text.replace(" ?!", "").replace("; ~t and ~q", "{ ~t and ~q }"));
    }

    #[test]
    fn figurines_go_too_and_spellings_of_the_record_stay_where_letters_do() {
        let figurines = |text: &str| {
            let signs = [("JF6", "♗F6"), ("~J", "~♗"), ("~n", "~♞"), ("~r", "~♜"), ("~P", "~♙"), ("~pI", "~♟I")];
            let signs = signs.into_iter().chain([("GH26", "🩓H26"), ("NG2", "♘G2"), ("EH4", "☖H4"), ("~gL", "~🩓L")]);
            let signs = signs.chain([("GZ", "🩐Z"), ("GL5", "🩓L5"), ("NL1", "♘L1"), ("KG1", "♔G1"), ("GH6", "🩐H6")]);
            let signs = signs.chain([("×RI3", "×♖I3"), ("RI3-", "♖I3-"), ("KH4×G", "♔H4×🩓"), ("~RI", "~♖I")]);
            signs.fold(text.to_owned(), |text, (letter, sign)| text.replace(letter, sign))
        };
        let movetext = IN_STANDARD.replace("~RT8", "~RT9").replace("~r and ~q", "~r");
        let text = format!("{TAGS}[Redefine \"FAN\"]\n{}", figurines(&movetext));
        assert!(text.contains("5. I5-I9, ♘L17-G9\n(5. K4-K10, 🩓L5-H6+^\n.{: @B: wins ~♖I3 by ~🩓L5-H6+^ ~🩐H6×♖I3"));
        assert_eq!(formed(&text, &form("redefine")), Ok(format!("{TAGS}{movetext}")));
        let plain = formed(&text, &form("check-precision"));
        assert_eq!(plain, Ok(text.replacen("L5-H6+^\n", "L5-H6+\n", 1)));
        let mended = formed(&text.replacen("4. ☖", "4. ☖\u{FE0F}", 1), &form(""));
        assert_eq!(mended, Ok(text));
    }

    #[test]
    fn the_pdtl_and_castlings_are_in_the_letters_too() {
        let standard = format!(
            "{TAGS}[PDTL \"/27:dk/25:r2r/24:pe3/21:5g2/7:3P4/3:R2R/1:1K/ w RKRrkr - 1 25\"]\n\
             25. KRD-FG+∞, DE27-E25\n(25. …, KRR-FGG)\n26. RG7×GI21, KRK-HIO :\n*\n"
        );
        let lettered = "/27:qk/25:t2t/24:pe3/21:5g2/7:3P4/3:T2T/1:1K/ w TKTtkt - 1 25";
        let text = format!(
            "{TAGS}[Redefine \"Q@D, T@R\"]\n[PDTL \"{lettered}\"]\n\
             25. KTD-FG+∞, QE27-E25\n(25. …, KTT-FGG)\n26. TG7×GI21, KTK-HIO :\n*\n"
        );
        assert_eq!(formed(&text, &form("redefine")).as_ref(), Ok(&standard));
        assert_eq!(formed(&text, &form("check-precision")), Ok(text.replace("+∞", "+")));
    }

    fn lettered(letters: &str, form: &Form) -> Form {
        Form { letters: PieceLetters::These(Letters::tradition(letters).expect(letters)), ..form.clone() }
    }

    #[test]
    fn letters_go_from_any_set_to_any_other() {
        let standard = format!("{TAGS}{IN_STANDARD}");
        let catalan =
            format!("{TAGS}[Redefine \"A@J, C@N, T@R\"]\n{}", LETTERED.replace("; ~t and ~q", "{ ~t and ~q }"));
        let formed = |text: &str, letters: &str| formed(text, &lettered(letters, &Form::WHOLE)).expect("no fault");
        for (text, letters, other) in
            [(&standard, "ca", &catalan), (&catalan, "standard", &standard), (&standard, "standard", &standard)]
        {
            assert_eq!(formed(text, letters), **other);
        }
        let german = formed(&catalan, "de");
        assert!(german.contains("[Redefine \"L@J, S@N, T@R, W@V\"]\n1. H6-H12 ?!, I23-I19\n{ @W: ~P and ~pI19, ~L[d], against ~s }\n2. LF6-C15"));
        for letters in ["standard", "ca", "es", "it", "en", "de", "fr", "fan"] {
            let there = formed(&german, letters);
            assert_eq!(formed(&there, letters), there);
            assert_eq!(formed(&there, "de"), german, "{letters}\n{there}");
        }
        assert!(formed(&german, "fan").contains("~♙ and ~♟I19, ~♗[d], against ~♞ }\n2. ♗F6-C15, 🩐H26-Z11\n"));
    }

    #[test]
    fn the_redefine_tag_stands_just_before_the_pdtl() {
        let pdtl = "[PDTL \"/27:dk/25:r2r/24:pe3/21:5g2/7:3P4/3:R2R/1:1K/ w RKRrkr ‐ 1 25\"]";
        let moves = "25. KRD-FG+∞, DE27-E25\n26. RG7×GI21, KRK-HIO :\n*\n";
        let text = format!("{TAGS}{pdtl}\n[Mode \"OTB\"]\n{moves}");
        let english = lettered("en", &Form::WHOLE);
        let expected = format!(
            "{TAGS}[Redefine \"B@J, W@V, Q@D\"]\n{}\n[Mode \"OTB\"]\n{}",
            pdtl.replace("dk", "qk"),
            moves.replace("DE27", "QE27")
        );
        assert_eq!(formed(&text, &english).as_ref(), Ok(&expected));
        assert_eq!(formed(&expected, &lettered("standard", &Form::WHOLE)), Ok(text));
        assert_eq!(
            formed(&expected, &lettered("fr", &Form::CANONICAL)),
            Ok(format!(
                "{TAGS}[Mode \"OTB\"]\n[Redefine \"F@J, C@N, T@R, W@V\"]\n{}\n{}",
                pdtl.replace("r2r", "t2t").replace("R2R", "T2T").replace("RKRrkr ‐", "TKTtkt -"),
                moves.replace("KRD", "KTD").replace("RG7", "TG7").replace("KRK", "KTK").replace(" :", ":")
            ))
        );
    }

    /// The canonical form of a movetext, which is that of itself.
    fn canonical(movetext: &str) -> String {
        let once = formed(&format!("{TAGS}{movetext}"), &Form::CANONICAL).expect(movetext);
        assert_eq!(formed(&once, &Form::CANONICAL).as_ref(), Ok(&once));
        once.strip_prefix(TAGS).expect("tags stay").to_owned()
    }

    #[test]
    fn canonical_form_has_one_spelling_of_each_sign() {
        let behind = "..(2. …, E21-E15)\n..{: @B: 0.0 }\n";
        let before = "..{: @B: 0.0 }\n..(2. …, E21-E15)\n";
        assert_eq!(canonical(RICH), RICH.replace(behind, before));
        for (text, expected) in [
            ("1. E7‐E13, E21-E15 :\n*", "1. E7-E13, E21-E15:\n*\n"),
            ("01. E7-E13!, E21-E15 $2(=) :\n*", "1. E7-E13 !, E21-E15 ?(=):\n*\n"),
            ("1. H6-H12, I23-I19\n2. JF6-C15, GH26-Z11 ± :\n*", "1. H6-H12, I23-I19\n2. JF6-C15, GH26-Z11 ± :\n*\n"),
            (
                "1. E7-E13, E21-E15:\n(1. ..., F20-F16 : )\n(1. PF8-F12 !:)\n*",
                "1. E7-E13, E21-E15:\n(1. …, F20-F16)\n(1. F8-F12 !)\n*\n",
            ),
            ("1. E7-E13, F20-F16\n2. E13*F16, E21-E15 (=) :\n*", "1. E7-E13, F20-F16\n2. E13×F16, E21-E15 (=):\n*\n"),
        ] {
            assert_eq!(canonical(text), expected);
        }
    }

    #[test]
    fn canonical_comments_have_their_order_and_their_blanks() {
        for (text, expected) in [
            (
                "{before}\n{:  @W of all}\n1. E7-E13 { x } , { @B y} E21-E15 : (1. F8-F12 {@B: ~F14} )\n{@W\n  two  \n lines\n}\n\
                 {:  }\n{: @B: 1}\n{ : no}\n; @W : semi\n{:@W2}{:@W 3}\n*\n{@W after}",
                "{ before }\n{: @W of all }\n1. E7-E13, E21-E15:\n{: @W: 3 }\n{ @W:\n  two  \n lines }\n{ @W : semi }\n\
                 {: @B: 1 }\n{ @B: y }\n{: }\n{: @W2 }\n{ x }\n{ : no }\n(1. F8-F12\n.{ @B: ~F14 }\n)\n*\n{ @W after }\n",
            ),
            (
                "1. E7-E13, E21-E15 :\n($[1]\n{first} 1. F8-F12 {@B: none}\n(1. G7-G11)\n{@W: last}) {@W: outer}\n*",
                "1. E7-E13, E21-E15:\n{ @W: outer }\n($[1]\n.{ first }\n.1. F8-F12\n.{ @W: last }\n.{ @B: none }\n\
                 .(1. G7-G11)\n)\n*\n",
            ),
            ("1. E7-E13, E21-E15 :\n; a } b\n{@W: c}\n*", "1. E7-E13, E21-E15:\n{ @W: c }\n; a } b\n*\n"),
        ] {
            assert_eq!(canonical(text), expected);
        }
        let without = |form: &Form, text: &str| formed(&format!("{TAGS}{text}"), form).expect(text);
        let text = "1. E7-E13, E21-E15 :\n{@B: b}\n{:@W: a}\n(1. F8-F12\n{@W: c}\n)\n{ @W: d }\n*";
        assert_eq!(
            without(&Form::CANONICAL.without(Part::AutoComments).without(Part::Variations), text),
            format!("{TAGS}1. E7-E13, E21-E15:\n{{ @W: d }}\n{{ @B: b }}\n*\n")
        );
    }

    #[test]
    fn figurines_are_white_in_canonical_form() {
        let text = "[Redefine \"FAN\"]\n1. H6-H12, I23-I19\n2. ♗F6-C15, 🩓H26-Z11\n3. L5-L7, ♞G25-L17:\n*\n";
        assert_eq!(formed(&format!("{TAGS}{text}"), &form("")), Ok(format!("{TAGS}{text}")));
        let canonical = text.replace('🩓', "🩐").replace('♞', "♘");
        assert_eq!(formed(&format!("{TAGS}{text}"), &Form::CANONICAL), Ok(format!("{TAGS}{canonical}")));
    }

    #[test]
    fn signs_between_hexes_are_those_that_are_asked_for() {
        let ascii = Form { separators: Separators::Ascii, ..Form::WHOLE };
        let typographic = Form { separators: Separators::Typographic, ..Form::WHOLE };
        let text = "1. E7-E13, F20-F16\n{ E7-E13 … }\n(1. …, F20‐F16)\n2. E13×F16, E21‐E15 :\n3-0\n";
        let as_ascii =
            text.replace('…', "...").replace('×', "*").replace('‐', "-").replace("{ E7-E13 ...", "{ E7-E13 …");
        let as_typographic = text.replace('-', "‐").replace("3‐0", "3-0").replace("{ E7‐E13", "{ E7-E13");
        for from in [text, &as_ascii, &as_typographic] {
            let of = |form: &Form| formed(&format!("{TAGS}{from}"), form).expect(from).replace(TAGS, "");
            assert_eq!((of(&ascii), of(&typographic)), (as_ascii.clone(), as_typographic.clone()), "{from}");
        }
        // What has nothing to change stays byte for byte.
        let odd = format!("{TAGS}\n1. E7-E13,  E21-E15:\n\n*\n");
        assert_eq!(formed(&odd, &ascii).as_ref(), Ok(&odd));
        let tags = "[PDTL \"/27:1k/3:R2R/1:1K/ w RKR‐ ‐ 1 25\"]\n25. KRD‐FG :\n*\n";
        assert_eq!(formed(&format!("{TAGS}{tags}"), &ascii), Ok(format!("{TAGS}{}", tags.replace('‐', "-"))));
        assert_eq!(formed(&format!("{TAGS}{tags}"), &typographic), Ok(format!("{TAGS}{tags}")));
        let canonical = Form { separators: Separators::Ascii, ..Form::CANONICAL };
        let expected = "1. E7-E13, F20-F16\n{ E7-E13 … }\n(1. ..., F20-F16)\n2. E13*F16, E21-E15:\n3-0\n";
        assert_eq!(formed(&format!("{TAGS}{text}"), &canonical), Ok(format!("{TAGS}{expected}")));
    }

    #[test]
    fn what_lies_between_the_plies_of_a_pair_follows_it() {
        for (text, expected) in [
            (
                "1.\n{ a }\nE7-E13 ! { b } , (1. F8-F12) E21-E15 { c } (=) ? \n{ d }\n2. F8-F12: *",
                "1. E7-E13 !, E21-E15 ?(=)\n{ a }\n{ b }\n(1. F8-F12)\n{ c }\n{ d }\n2. F8-F12:\n*\n",
            ),
            ("1. E7-E13 (1. F8-F12), E21-E15 { a }\n*", "1. E7-E13, E21-E15:\n(1. F8-F12)\n{ a }\n*\n"),
            (
                "1. E7-E13, E21-E15 (1. F8-F12 {a} , F20-F16 {b}) {c} :\n*",
                "1. E7-E13, E21-E15 :\n(1. F8-F12, F20-F16\n.{a}\n.{b}\n)\n{c}\n*\n",
            ),
        ] {
            assert_eq!(stripped("", text), expected);
        }
    }

    #[test]
    fn comments_keep_their_text_and_their_place() {
        for (text, expected) in [
            (
                "{ before }\r\n{two\r\n\r\rlines } 1. E7-E13, E21-E15 :\r\n* {x}{ y }\r\n",
                "{ before }\n{two\n\n\nlines }\n1. E7-E13, E21-E15 :\n*\n{x}\n{ y }\n",
            ),
            (
                "; pgn @W:\n%escaped\n1. E7-E13, E21-E15 : ;\n* ; x } y\n",
                "{ pgn @W: }\n{ escaped }\n1. E7-E13, E21-E15 :\n{ }\n*\n; x } y\n",
            ),
            (
                "1. E7-E13, E21-E15 :\n(1. F8-F12, F20-F16 ; a } b\n.2. G7-G11)\n*",
                "1. E7-E13, E21-E15 :\n(1. F8-F12, F20-F16\n; a } b\n.2. G7-G11)\n*\n",
            ),
            (
                "1. E7-E13, E21-E15:\n($[1]\n{ first } 1. F8-F12)\n( { a } 1. G7-G11, G21-G17 {b} ({c} 1. …, F20-F16))\n()\n({d})*",
                "1. E7-E13, E21-E15:\n($[1]\n.{ first }\n.1. F8-F12)\n(\n.{ a }\n.1. G7-G11, G21-G17\n.{b}\n.(\n..{c}\n\
                 ..1. …, F20-F16)\n)\n()\n(\n.{d}\n)\n*\n",
            ),
        ] {
            assert_eq!(stripped("", text), expected);
        }
        let text = "{ a }\n[Variant \"C'escacs\"]\n{ b }\n[Id \"Me-X01\"]\n{ c }\n*\n";
        let expected = "[Variant \"C'escacs\"]\n[Id \"Me-X01\"]\n{ a }\n{ b }\n{ c }\n*\n";
        assert_eq!(formed(text, &form("")).as_deref(), Ok(expected));
    }

    #[test]
    fn layout_is_that_of_the_format() {
        for (text, expected) in [
            ("1. E7–E13 ,E21-E15 2.F8-F12,F20-F16 : *", "1. E7-E13, E21-E15\n2. F8-F12, F20-F16 :\n*\n"),
            (
                "1. E7-E13, E21-E15 : (1. F8-F12, F20-F16 2. g7-G11 (2. E7-E13 (2. H6-H12)) ) (1. …, F20-F16) *",
                "1. E7-E13, E21-E15 :\n(1. F8-F12, F20-F16\n.2. G7-G11\n.(2. E7-E13\n..(2. H6-H12)\n.)\n)\n\
                 (1. …, F20-F16)\n*\n",
            ),
        ] {
            assert_eq!(stripped("", text), expected);
        }
        let deep = format!("{{ a }}\n1. E7-E13, E21-E15 :\n{}{}\n*", "(1. F8-F12\n".repeat(70), ")".repeat(70));
        let written = stripped("comments", &deep);
        assert_eq!(written.lines().map(|line| line.bytes().take_while(|byte| *byte == b'.').count()).max(), Some(64));
    }

    #[test]
    fn what_refuses_a_record_depends_on_what_is_kept() {
        let variation = |text: &str| format!("1. E7-E13, E21-E15\n{text}\n2. F8-F12, F20-F16 :\n*\n");
        for (text, fault) in [
            ("(1. EE7-E9)", "other-origin"),
            ("(1. EE9-E11)", "empty-origin"),
            ("(1. E7-EX)", "no-ply"),
            ("(1. E7-{ a }\n)", "no-ply"),
            ("(1. F8-F13)", "no-hex"),
            ("(2. F8-F12)", "variation-number"),
            ("(1. F8-F12, F20-F16 3. G7-G11)", "number-order"),
            ("(1. F8-F12, F20-F16 xyz)", "stray-text"),
            ("(1. F8-F12 *)", "variation-result"),
            ("(1. F8-F12 $[2])", "label"),
            ("((1. F8-F12))", "before-pair"),
            (")", "lone-close"),
            ("$[1]", "label"),
        ] {
            let text = variation(text);
            assert_eq!(refused("comments", &text), Some(fault), "{text}");
            assert_eq!(refused("variations", &text), None, "{text}");
        }
        for (text, fault) in [("{ a } }", "lone-brace"), ("{ { b } }", "lone-brace")] {
            let text = variation(text);
            assert_eq!(refused("variations", &text), Some(fault), "{text}");
            assert_eq!(refused("comments", &text), None, "{text}");
        }
        for sign in ["±:", "$x", "?$[1]", "±!", "\"", "?*"] {
            let text = variation("").replace("F20-F16", &format!("F20-F16 {sign}"));
            assert_eq!(refused("comments", &text), Some("valuation"), "{text}");
            assert_eq!(refused("valuations", &text), None, "{text}");
        }
        let inside = variation("(1. F8-F12\n{ a } }\n)");
        assert_eq!(refused("valuations", &inside), Some("lone-brace"));
        assert_eq!((refused("comments", &inside), refused("variations", &inside)), (None, None));
        let only = variation("").replace("F8-F12, F20-F16 :", "F8-F12 :\n(2. …, F20-F16)");
        assert_eq!(refused("comments", &only), Some("no-black-ply"));
        assert_eq!(refused("variations", &only), None);
        for text in ["(1. F8-F12", "{ a"] {
            let text = variation(text);
            for parts in ["", "comments", "variations", "comments,variations"] {
                assert!(refused(parts, &text).is_some(), "{parts} {text}");
            }
        }
        for parts in ["", "comments", "variations", "comments,variations"] {
            assert_eq!(refused(parts, &variation("").replace("F8-F12", "EF10-F12")), Some("empty-origin"));
        }
    }

    #[test]
    fn a_comments_bytes_are_copied_whatever_they_are() {
        let text = [TAGS.as_bytes(), b"1. E7-E13, E21-E15 :\n{ \xFF\0 }\n(1. F8-F12\n.{ \xC3 }\n)\n*\n"].concat();
        let mut reader = Reader::default();
        let record = reader.read(&text, Begins::File);
        let mut out = Vec::new();
        assert_eq!(write(&record, &form("valuations"), &mut out), Ok(()));
        assert!(out == text);
        let at = text.iter().rposition(|byte| *byte == b'8').expect("F8 is there");
        let text = [&text[..at], b"\xFF", &text[at + 1..]].concat();
        let record = reader.read(&text, Begins::File);
        assert!(write(&record, &form("valuations"), &mut out).is_err());
        assert_eq!(write(&record, &form("variations"), &mut out), Ok(()));
    }
}
