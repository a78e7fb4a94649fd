//! A record as a JSON object.

use std::borrow::Cow;
use std::io::Write;

use super::Known;
use super::ply::{Parts, letter, promoted};
use super::walk::{Half, Pair, Step, walk};
use crate::game::{Check, Position, Side};
use crate::notation::{Letters, check_sign, pdtl, write_hex};
use crate::syntax::{Head, Item, Record, Spelt, said_in};

/// Which list of a line is being written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    None,
    Comments,
    Pairs,
}

/// The main line, or a variation.
struct Line {
    list: List,
    /// The last pair has a list of variations.
    variations: bool,
    /// A key stands in the object already.
    begun: bool,
}

struct Writer<'a> {
    record: &'a Record<'a>,
    known: Option<Known<'a>>,
    lines: Vec<Line>,
    out: &'a mut Vec<u8>,
}

/// Writes a record as an object, on one line, without a line end; with the position behind each ply if positions are `known`.
pub(super) fn write(record: &Record<'_>, known: Option<Known<'_>>, out: &mut Vec<u8>) {
    let mut writer = Writer { record, known, lines: Vec::new(), out };
    writer.tags();
    walk(record, |step| writer.step(&step));
    writer.finish();
}

/// Writes a string with its quotes.
fn string(text: &str, out: &mut Vec<u8>) {
    // Nothing but memory can be lacking.
    let _ = serde_json::to_writer(out, text);
}

/// Bytes that are UTF-8, as all are that the form lets through.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

impl Writer<'_> {
    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn key(&mut self, key: &str) {
        if let Some(line) = self.lines.last_mut()
            && std::mem::replace(&mut line.begun, true)
        {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.raw(key);
        self.raw("\":");
    }

    fn begin(&mut self) {
        self.out.push(b'{');
        self.lines.push(Line { list: List::None, variations: false, begun: false });
    }

    fn tags(&mut self) {
        self.begin();
        self.key("tags");
        for (index, tag) in self.record.tags.iter().enumerate() {
            self.raw(if index == 0 { "[[" } else { ",[" });
            string(&text(tag.name_text(self.record.text)), self.out);
            self.out.push(b',');
            string(&text(tag.value(self.record.text)), self.out);
            self.out.push(b']');
        }
        self.raw(if self.record.tags.is_empty() { "[]" } else { "]" });
        if let Some(known) = self.known {
            self.key("pdtl");
            self.position(known.start);
        }
    }

    fn position(&mut self, position: Option<&Position>) {
        let Some(position) = position else { return self.raw("null") };
        self.out.push(b'"');
        pdtl::write(position, &Letters::STANDARD, self.out);
        self.out.push(b'"');
    }

    fn step(&mut self, step: &Step<'_>) {
        match step {
            Step::Comment(item) => self.lone_comment(*item),
            Step::Pair(pair) => self.pair(pair),
            Step::Open(label) => self.open(*label),
            Step::Close => {
                self.end_line();
                self.lines.pop();
                self.out.push(b'}');
            }
            Step::Result(result) => {
                self.end_line();
                self.key("result");
                string(result.text(), self.out);
            }
        }
    }

    fn list(&mut self) -> List {
        self.lines.last().map_or(List::None, |line| line.list)
    }

    fn set_list(&mut self, list: List) {
        self.lines.iter_mut().last().into_iter().for_each(|line| line.list = list);
    }

    /// One before the first pair of a line, or behind the result, when the main line has ended.
    fn lone_comment(&mut self, item: Item) {
        if self.list() == List::Comments {
            self.out.push(b',');
        } else {
            let is_final = self.list() == List::Pairs;
            self.key(if is_final { "final_comments" } else { "comments" });
            self.out.push(b'[');
            self.set_list(List::Comments);
        }
        self.comment(item);
    }

    /// Begins the list of pairs, or ends the last pair.
    fn next_pair(&mut self) {
        match self.list() {
            List::Pairs => {
                self.end_pair();
                self.out.push(b',');
            }
            list => {
                if list == List::Comments {
                    self.out.push(b']');
                }
                self.key("pairs");
                self.out.push(b'[');
                self.set_list(List::Pairs);
            }
        }
    }

    fn end_pair(&mut self) {
        let line = self.lines.last_mut();
        let variations = line.is_some_and(|line| std::mem::take(&mut line.variations));
        self.raw(if variations { "]}" } else { "}" });
    }

    /// Ends a line's list of pairs, which is there even if it is empty.
    fn end_line(&mut self) {
        match self.list() {
            List::Pairs => self.end_pair(),
            list => {
                if list == List::Comments {
                    self.out.push(b']');
                }
                self.key("pairs");
                self.out.push(b'[');
            }
        }
        self.out.push(b']');
        // Comments that follow are others.
        self.set_list(List::Pairs);
    }

    fn pair(&mut self, pair: &Pair) {
        self.next_pair();
        self.raw("{\"number\":");
        match pair.number {
            // Nothing but memory can be lacking.
            Some(number) => drop(write!(self.out, "{number}")),
            None => self.raw("null"),
        }
        for half in pair.halves.iter().flatten() {
            self.raw(if half.side == Side::White { ",\"white\":" } else { ",\"black\":" });
            self.half(half);
        }
        for (index, comment) in pair.comments.iter().enumerate() {
            self.raw(if index == 0 { ",\"comments\":[" } else { "," });
            self.comment(*comment);
        }
        if !pair.comments.is_empty() {
            self.out.push(b']');
        }
    }

    fn half(&mut self, half: &Half) {
        let parts = Parts::of(half.ply, half.side);
        self.raw("{\"piece\":\"");
        self.out.push(letter(parts.piece) as u8);
        self.raw("\",\"from\":\"");
        write_hex(parts.from, self.out);
        self.raw("\",\"to\":\"");
        write_hex(parts.to, self.out);
        self.raw("\"");
        // None of these has a sign that a string can't have.
        let mut field = |key: &str, value: &str| [",\"", key, "\":\"", value, "\""].map(|part| self.raw(part));
        let mut sign = [0; 4];
        if let Some((capture, captured)) = parts.captures {
            field("capture", capture);
            field("captured", letter(captured).encode_utf8(&mut sign));
        }
        if let Some(promoted) = promoted(parts.promotion) {
            field("promotion", promoted.encode_utf8(&mut sign));
        }
        if let Some(castling) = parts.castling {
            field("castling", castling.code());
        }
        if half.ply.check() != Check::None {
            field("sign", check_sign(half.ply.check()));
        }
        if !half.valuations.is_empty() {
            self.raw(",\"valuation\":");
            string(&half.valuation(self.record), self.out);
        }
        if half.offer {
            self.raw(",\"offer\":true");
        }
        if let Some(known) = self.known {
            self.raw(",\"pdtl\":");
            self.position(known.behind(half.item));
        }
        self.out.push(b'}');
    }

    /// A comment without braces and outer blanks, and without `@W: ` or `@B: `; only one whose braces would not hold it
    /// keeps its sign.
    fn comment(&mut self, item: Item) {
        let whole = text(item.text(self.record.text)).replace("\r\n", "\n").replace('\r', "\n");
        let in_braces = !item.spelt.has(Spelt::OTHER);
        if !in_braces && whole.contains('}') {
            self.raw("{\"line\":");
            string(&whole[..1], self.out);
            self.raw(",\"text\":");
            string(&whole[1..], self.out);
            return self.out.push(b'}');
        }
        let (inside, automatic) = said_in(whole.as_bytes());
        let inside = text(inside);
        let inside = &*inside;
        let head = Head::read(["{ ", inside].concat().as_bytes());
        let mark = head.player.map_or(0, |_| mark_len(inside, head));
        self.out.push(b'{');
        if let Some(player) = head.player {
            let (name, usual) = if player == Side::White { ("white", "@W: ") } else { ("black", "@B: ") };
            self.raw("\"player\":");
            string(name, self.out);
            if &inside[..mark] != usual {
                self.raw(",\"mark\":");
                string(&inside[..mark], self.out);
            }
            self.out.push(b',');
        }
        if automatic {
            self.raw("\"automatic\":true,");
        }
        self.raw("\"text\":");
        string(&inside[mark..], self.out);
        self.out.push(b'}');
    }

    fn open(&mut self, label: Option<u32>) {
        let line = self.lines.last_mut();
        let more = line.is_some_and(|line| std::mem::replace(&mut line.variations, true));
        self.raw(if more { "," } else { ",\"variations\":[" });
        self.begin();
        if let Some(label) = label {
            self.key("label");
            self.raw(&label.to_string());
        }
    }

    fn finish(mut self) {
        if self.list() == List::Comments {
            self.out.push(b']');
        }
        self.out.push(b'}');
    }
}

/// How long `@W` is, with its colon if it has one, and the blanks behind it.
fn mark_len(inside: &str, head: Head) -> usize {
    // A brace and a blank have been put before it.
    let rest = &inside[head.colon_at - "{ ".len()..];
    let behind = rest.trim_start_matches(|sign: char| sign.is_ascii_whitespace());
    let behind = behind.strip_prefix(':').filter(|_| head.colon).unwrap_or(behind);
    inside.len() - behind.trim_start_matches(|sign: char| sign.is_ascii_whitespace()).len()
}
