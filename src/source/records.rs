//! Where records begin (§1.7, §1.8).
//!
//! The rules, to the byte. The lexer of a record follows the same ones for blanks, lines, comments and tag lines.
//!
//! - A **blank** is a space, tab, vertical tab, form feed or NUL, or a byte order mark (EF BB BF) anywhere. Looking
//!   over blanks ends after [`LOOK`] bytes of them.
//! - A **line** ends with LF, CRLF or a lone CR.
//! - **Comments** open at `{` and end with the first `}`, whatever stands between.
//! - **Hidden** is a line whose very first byte is `%`, and the rest of a line from a `;` at the line's start or
//!   behind a blank.
//! - A **tag line** is one whose first non-blank is `[` with an ASCII letter right behind it. It reaches to its line's
//!   end: neither `{` nor `;` means anything in it.
//! - None of these begins inside another. A line that begins inside a comment is no tag line and not hidden by `%`.
//! - **`[Variant`** is that, with no ASCII letter or digit right behind it.
//! - A **result** is `3-0`, `2-1`, `0-3`, `1-2`, `1-1` or `*`.
//! - A **movetext line** begins outside comments and, blanks and dots apart, with digits and `.` or `?`, with `(`, or
//!   with a result that no ASCII letter or digit follows.
//!
//! A record begins
//!
//! - (a) at the start of a tag line that is `[Variant`,
//! - (b) right behind a result with `[Variant` behind it on its line, outside comments, hidden text and tag lines, blanks
//!   between allowed; no ASCII letter or digit may stand before the result, unless it is `*`. The line is a tag line,
//! - (c) at the start of any tag line, if the record has a movetext line,
//! - (d) at the start of a line inside a comment whose first non-blank is `[Variant`, if `{` is the next brace in the
//!   [`LOOK`] bytes behind its `[`, or there is none in them: the comment was never closed (§1.8).
//!
//! Records tile the file; its first one begins at its first byte. Before the first `[Variant`, blanks, closed comments
//! and hidden text begin no record of their own, anything else does, an unclosed comment too: so a comment reaches to its
//! first `}` *in its record*, or else is unclosed and reaches to the record's end. A file with nothing else has no record.

use memchr::{memchr, memchr2, memchr3, memrchr2};

/// How many bytes a look reaches, forward for a brace (§1.8), or over blanks.
pub const LOOK: usize = 1 << 20;

/// The longest record that is read, in bytes (§1.11).
pub const RECORD_BOUND: usize = 64 << 20;

/// What a look back needs besides blanks: a result and the byte before it.
const BEFORE: usize = 8;
const MARK: &[u8] = b"\xEF\xBB\xBF";
const VARIANT: &[u8] = b"[Variant";
const RESULTS: [&[u8]; 5] = [b"3-0", b"2-1", b"0-3", b"1-2", b"1-1"];

#[derive(Clone, Copy, Debug)]
enum State {
    /// At the start of a line that has not been looked at.
    Head,
    /// Outside comments, tag lines and hidden text.
    Body,
    /// In a tag line or hidden text.
    Rest,
    Comment,
    /// In a comment, behind the `[` (`bracket`) of a `[Variant` on the line that starts at `line`.
    Doubt {
        line: usize,
        bracket: usize,
    },
    /// In a text in which every line is a record.
    Lines,
}

/// What a line begins with.
enum Head {
    Hidden,
    Empty,
    Tag { variant: bool },
    Moves,
    Other,
}

/// Finds where records begin, in a text that grows at its end and is forgotten at its start. The same places for
/// every way of growing.
#[derive(Clone, Debug)]
pub struct Splitter {
    /// All before it is settled, but for a line in doubt.
    at: usize,
    state: State,
    /// The current record has a movetext line.
    moves: bool,
    /// Nothing but blanks, comments and hidden text so far.
    lead: bool,
    /// With `moves`: the line of `at` begins with `%`. Without, heads tell.
    percent: bool,
}

impl Default for Splitter {
    fn default() -> Self {
        Splitter { at: 0, state: State::Head, moves: false, lead: true, percent: false }
    }
}

impl Splitter {
    /// Finds where lines begin, whatever they hold: each, with its LF, is a record.
    pub fn of_lines() -> Splitter {
        Splitter { state: State::Lines, lead: false, ..Splitter::default() }
    }

    /// Goes on in `text`, which starts with what was not forgotten and is shorter than 4 GiB; `last` says that
    /// it ends where the file ends. Adds to `starts` where a record begins and the one before it ends, in bytes from
    /// the start of `text`. The file's first record is not told: it begins at the file's first byte.
    pub fn scan(&mut self, text: &[u8], last: bool, starts: &mut Vec<u32>) {
        let mut line_end = None;
        loop {
            let step = match self.state {
                State::Head => self.head(text, last, starts),
                State::Body => self.body(text, last, &mut line_end, starts),
                State::Rest => self.rest(text),
                State::Comment => self.comment(text, last),
                State::Doubt { line, bracket } => self.doubt(text, last, line, bracket, starts),
                State::Lines => self.line(text, starts),
            };
            if step.is_none() {
                break;
            }
        }
    }

    /// Whether there was anything but blanks, comments and hidden text: with `false` at the end of the file it has no
    /// record.
    pub fn has_record(&self) -> bool {
        !self.lead
    }

    /// How many bytes need not be shown again. No record will begin in them.
    pub fn settled(&self) -> usize {
        let at = if let State::Doubt { line, .. } = self.state { line } else { self.at };
        at.saturating_sub(LOOK + BEFORE)
    }

    /// The next `text` begins this many bytes later: at most [`Splitter::settled`], or at the start of a record or at
    /// the end of the file.
    pub fn forget(&mut self, bytes: usize) {
        self.at = self.at.saturating_sub(bytes);
        if let State::Doubt { line, bracket } = &mut self.state {
            *line = line.saturating_sub(bytes);
            *bracket = bracket.saturating_sub(bytes);
        }
    }

    /// A record begins at `start`, with the tag line whose `[` is at `bracket`.
    fn begin(&mut self, start: usize, bracket: usize, starts: &mut Vec<u32>) {
        starts.push(start as u32);
        *self = Splitter { at: bracket + 1, state: State::Rest, moves: false, lead: false, percent: false };
    }

    // Each step gives `None` when it needs more text, or there is no more.

    fn head(&mut self, text: &[u8], last: bool, starts: &mut Vec<u32>) -> Option<()> {
        let line = self.at;
        if line >= text.len() {
            return None;
        }
        let (head, at) = look_at_head(text, line, last)?;
        self.at = at;
        match head {
            Head::Hidden => self.state = State::Rest,
            Head::Empty => self.at = text.len().min(at + 1),
            Head::Tag { variant: true } if !self.lead => self.begin(line, at, starts),
            Head::Tag { .. } => {
                self.lead = false;
                self.state = State::Rest;
            }
            Head::Moves => {
                self.lead = false;
                self.moves = true;
                self.percent = false;
                self.state = State::Body;
            }
            Head::Other => self.state = State::Body,
        }
        Some(())
    }

    /// Before movetext the heads of lines matter, so it stops at the line's end; behind it only these three bytes do.
    fn body(&mut self, text: &[u8], last: bool, line_end: &mut Option<usize>, starts: &mut Vec<u32>) -> Option<()> {
        let limit = if self.moves { text.len() } else { self.line_end(text, line_end) };
        let hit = memchr3(b'[', b'{', b';', &text[self.at..limit]).map(|k| self.at + k);
        self.look_for_lead(text, hit.unwrap_or(limit), last)?;
        let Some(i) = hit else {
            if limit < text.len() {
                self.at = limit + 1;
                self.state = State::Head;
                return Some(());
            }
            self.pass(text, limit);
            return None;
        };
        self.pass(text, i);
        match text[i] {
            _ if self.percent => self.state = State::Rest,
            b'{' => {
                self.at = i + 1;
                self.state = State::Comment;
            }
            b';' if blank_or_line_end_before(text, i) => self.state = State::Rest,
            b'[' => return self.bracket(text, i, last, starts),
            _ => {
                self.at = i + 1;
                self.lead = false;
            }
        }
        Some(())
    }

    /// The end of the line of `at`, or of the text; kept, lest a line of many braces be searched for each.
    fn line_end(&self, text: &[u8], kept: &mut Option<usize>) -> usize {
        if let Some(end) = kept.filter(|&end| end >= self.at) {
            return end;
        }
        let end = memchr2(b'\n', b'\r', &text[self.at..]).map_or(text.len(), |k| self.at + k);
        *kept = Some(end);
        end
    }

    /// Is what stands before `upto` still blank?
    fn look_for_lead(&mut self, text: &[u8], upto: usize, last: bool) -> Option<()> {
        while self.lead && self.at < upto {
            let next = skip_blanks(&text[..upto], self.at, last || upto < text.len())?;
            self.lead = next > self.at;
            self.at = next;
        }
        Some(())
    }

    /// Moves on to `i`, noting whether its line begins with `%`. A line that begins behind the text is left to be
    /// seen again.
    fn pass(&mut self, text: &[u8], i: usize) {
        self.at = match memrchr2(b'\n', b'\r', &text[self.at..i]) {
            Some(k) if self.at + k + 1 == text.len() => self.at + k,
            Some(k) => {
                self.percent = self.moves && text[self.at + k + 1] == b'%';
                i
            }
            None => i,
        };
    }

    fn bracket(&mut self, text: &[u8], i: usize, last: bool, starts: &mut Vec<u32>) -> Option<()> {
        let line = if peek(text, i + 1, last)?.is_ascii_alphabetic() { line_start(text, i) } else { None };
        if let Some(line) = line {
            self.begin(line, i, starts);
        } else if is_variant(text, i, last)?
            && let Some(result_end) = result_before(text, i)
        {
            self.begin(result_end, i, starts);
        } else {
            self.at = i + 1;
            self.lead = false;
        }
        Some(())
    }

    fn rest(&mut self, text: &[u8]) -> Option<()> {
        let end = memchr2(b'\n', b'\r', &text[self.at..]);
        self.at = end.map_or(text.len(), |k| self.at + k);
        end?;
        self.percent = false;
        if self.moves {
            self.state = State::Body;
        } else {
            self.at += 1;
            self.state = State::Head;
        }
        Some(())
    }

    fn comment(&mut self, text: &[u8], last: bool) -> Option<()> {
        let Some(k) = memchr2(b'}', b'[', &text[self.at..]) else {
            self.at = text.len();
            return None;
        };
        self.at += k;
        let i = self.at;
        if text[i] == b'}' {
            self.state = State::Body;
        } else if is_variant(text, i, last)?
            && let Some(line) = line_start(text, i)
        {
            self.state = State::Doubt { line, bracket: i };
        }
        self.at = i + 1;
        Some(())
    }

    fn line(&mut self, text: &[u8], starts: &mut Vec<u32>) -> Option<()> {
        self.at = memchr(b'\n', &text[self.at..]).map_or(text.len(), |k| self.at + k);
        // A line end with nothing behind it, so far, begins no line.
        let next = Some(self.at + 1).filter(|next| *next < text.len())?;
        starts.push(next as u32);
        self.at = next;
        Some(())
    }

    fn doubt(&mut self, text: &[u8], last: bool, line: usize, bracket: usize, starts: &mut Vec<u32>) -> Option<()> {
        let far = bracket + 1 + LOOK;
        let end = far.min(text.len());
        match memchr2(b'{', b'}', &text[self.at..end]).map(|k| self.at + k) {
            Some(i) if text[i] == b'}' => {
                self.at = i + 1;
                self.state = State::Body;
            }
            None if end < far && !last => {
                self.at = end;
                return None;
            }
            _ => self.begin(line, bracket, starts),
        }
        Some(())
    }
}

/// The byte at `i`; behind the file's end a line end; `None` where it has not been read.
fn peek(text: &[u8], i: usize, last: bool) -> Option<u8> {
    text.get(i).copied().or(last.then_some(b'\n'))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C | 0)
}

/// Where the blanks that begin at `from` end, at the first non-blank or once more than [`LOOK`] were seen.
fn skip_blanks(text: &[u8], from: usize, last: bool) -> Option<usize> {
    let mut i = from;
    while i - from <= LOOK {
        match peek(text, i, last)? {
            byte if is_blank(byte) => i += 1,
            0xEF if peek(text, i + 1, last)? == 0xBB && peek(text, i + 2, last)? == 0xBF => i += 3,
            _ => break,
        }
    }
    Some(i)
}

/// Where the blanks before `i` begin; `None` when there are more than [`LOOK`].
fn skip_blanks_back(text: &[u8], i: usize) -> Option<usize> {
    let mut j = i;
    while i - j <= LOOK {
        match text[..j].last() {
            Some(&byte) if is_blank(byte) => j -= 1,
            Some(0xBF) if text[..j].ends_with(MARK) => j -= 3,
            _ => return Some(j),
        }
    }
    None
}

/// The start of the line whose first non-blank is at `i`.
fn line_start(text: &[u8], i: usize) -> Option<usize> {
    skip_blanks_back(text, i).filter(|&j| matches!(text[..j].last(), None | Some(b'\n' | b'\r')))
}

fn blank_or_line_end_before(text: &[u8], i: usize) -> bool {
    match text[..i].last() {
        None | Some(b'\n' | b'\r') => true,
        Some(&byte) => is_blank(byte) || text[..i].ends_with(MARK),
    }
}

/// The end of the result that stands before `i`, blanks between allowed.
fn result_before(text: &[u8], i: usize) -> Option<usize> {
    let end = skip_blanks_back(text, i)?;
    let before = &text[..end];
    let alone = |result: &[u8]| {
        before.strip_suffix(result).is_some_and(|rest| !rest.last().is_some_and(u8::is_ascii_alphanumeric))
    };
    (before.ends_with(b"*") || RESULTS.into_iter().any(alone)).then_some(end)
}

/// `None`: not read far enough to tell.
fn is_variant(text: &[u8], at: usize, last: bool) -> Option<bool> {
    for (k, &byte) in VARIANT.iter().enumerate() {
        if peek(text, at + k, last)? != byte {
            return Some(false);
        }
    }
    Some(!peek(text, at + VARIANT.len(), last)?.is_ascii_alphanumeric())
}

/// What the line begins with, and where its first non-blank is.
fn look_at_head(text: &[u8], line: usize, last: bool) -> Option<(Head, usize)> {
    if text[line] == b'%' {
        return Some((Head::Hidden, line));
    }
    let at = skip_blanks(text, line, last)?;
    let head = match peek(text, at, last) {
        _ if at - line > LOOK => Head::Other,
        Some(b'\n' | b'\r') => Head::Empty,
        Some(b'[') if peek(text, at + 1, last)?.is_ascii_alphabetic() => {
            Head::Tag { variant: is_variant(text, at, last)? }
        }
        _ if is_movetext(text, at, last)? => Head::Moves,
        _ => Head::Other,
    };
    Some((head, at))
}

fn is_movetext(text: &[u8], from: usize, last: bool) -> Option<bool> {
    let mut at = skip_blanks(text, from, last)?;
    while at - from <= LOOK && peek(text, at, last)? == b'.' {
        at = skip_blanks(text, at + 1, last)?;
    }
    let mut end = at;
    while end - from <= LOOK && peek(text, end, last)?.is_ascii_digit() {
        end += 1;
    }
    if end - from > LOOK {
        return Some(false);
    }
    let behind = match peek(text, at, last)? {
        b'(' => return Some(true),
        b'*' => at + 1,
        _ if end == at => return Some(false),
        first => match peek(text, end, last)? {
            b'.' | b'?' => return Some(true),
            b'-' if end == at + 1 && RESULTS.contains(&&[first, b'-', peek(text, end + 1, last)?][..]) => end + 2,
            _ => return Some(false),
        },
    };
    Some(!peek(text, behind, last)?.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Where the records of `text` begin, the file's first too, with windows of this size; forgets what it may.
    fn starts_by(text: &[u8], window: usize) -> Vec<usize> {
        let mut splitter = Splitter::default();
        let (mut from, mut to, mut all) = (0, 0, vec![0]);
        loop {
            let last = to == text.len();
            let mut starts = Vec::new();
            splitter.scan(&text[from..to], last, &mut starts);
            all.extend(starts.iter().map(|&start| from + start as usize));
            if last {
                break;
            }
            let gone = starts.last().map_or(splitter.settled(), |&start| start as usize);
            splitter.forget(gone);
            from += gone;
            to = text.len().min(to + window);
        }
        if splitter.has_record() { all } else { Vec::new() }
    }

    /// `¦` marks where records begin.
    #[track_caller]
    fn check(marked: impl AsRef<str>) {
        let (mut text, mut want) = (String::new(), Vec::new());
        for (k, part) in marked.as_ref().split('¦').enumerate() {
            if k > 0 {
                want.push(text.len());
            }
            text.push_str(part);
        }
        for window in (1..=text.len().min(80)).chain([text.len().max(1)]) {
            assert_eq!(starts_by(text.as_bytes(), window), want, "window {window} of {text:?}");
        }
    }

    const V: &str = "[Variant \"C'escacs\"]\n";

    #[test]
    fn records_begin_at_variant_lines() {
        check(format!("¦{V}1. E7-E13\n*\n\n¦{V}*\n¦  \t{V}¦{V}"));
        check(format!("¦{V}*\r\n\r\n¦{V}*\r¦{V}*\n\r¦{V}"));
        check(format!("¦\u{FEFF}{V}*\n¦\u{FEFF}{V}*\n¦\0\0\0{V}"));
        check(format!("¦{V}[VariantX \"a\"]\n[Variants]\n¦[Variant"));
        check(format!("¦{V}x [Variant]\n.[Variant]\n[ Variant]\n[variant]\n"));
        check(format!("¦\n\n \n{V}\n\n"));
    }

    #[test]
    fn a_glued_variant_begins_a_record_behind_a_result() {
        for result in ["3-0", "2-1", "0-3", "1-2", "1-1", "*", "E7-E13 *", "E7*", "} 3-0", "x 1-1", "1. E7-E9 : *"] {
            for blanks in ["", " ", "\t \0"] {
                check(format!("¦{V}{result}¦{blanks}{V}1. E7-E13 :\n*\n"));
            }
        }
        for no in ["13-0", "A3-0", "3-0.", "3\u{2010}0", "; *", "% *", "{ * } "] {
            check(format!("¦{V}{no}{V}"));
            check(format!("¦{V}1. x\n{no}{V}"));
        }
        check(format!("¦{V}[Id * {V}"));
        check(format!("¦{V}*¦[Variant \"{{\"] * [Variant]\n*¦[Variant]\n"));
    }

    #[test]
    fn a_tag_line_behind_movetext_begins_a_record() {
        for moves in ["1. E7-E13", "1?", "..12.", " . (", "(", "3-0", "*", " 1-2 ", "*\u{00D7}", "001."] {
            check(format!("¦{V}[Id \"a\"]\n{moves}\n  \n¦ [Id \"b\"]\n[Lang]\n{moves}\n¦[Id]"));
        }
        for stray in
            ["E7-E13, E21-E15", "1 E7", "3-0a", "*a", "13-0", "-", "{ 1. }", "; 1.", "%1.", "{\n1.\n}", "{} 1."]
        {
            check(format!("¦{V}{stray}\n[Id \"b\"]\n"));
        }
        check("¦[Event \"a\"]\n[Site \"?\"]\n\n1. e4 e5 { [%clk 0:1] } 1-0\n\n¦[Event \"b\"]\n\n1. d4 [x] *\n");
        check(format!("¦1. E7-E13\n[1]\n[%a]\n[]\n x [Id]\n¦[Id]\n1. x\n¦{V}"));
    }

    #[test]
    fn what_precedes_the_first_variant() {
        check(format!("¦{{ a\nb }}\n\n{V}{{ c }}\n[Id]\n*\n{{ d }}\n\n¦{V}*"));
        check(format!("¦\u{FEFF}; a\n%b\n{{}} {{}} \u{FEFF}\n{V}"));
        check(format!("¦a\n¦{V}"));
        check(format!("¦{{}} a\n¦{V}"));
        check(format!("¦{{}};a\n¦{V}"));
        check(format!("¦\u{FEFF}[Id]\n1. x\n*\n¦{V}"));
        check(format!("¦{{ never closed\n¦{V}{{ a }}\n"));
        check(format!("¦{{\n{V}}}\n{V}"));
        check(format!("¦{{}} {V}¦{V}"));
        for none in ["", "\u{FEFF}", " \n\0\r\n", "{ a }", "\u{FEFF}{ [Variant }\n; x\n%\n", "{ never"] {
            check(none);
        }
        check("¦\u{FEFF}\u{00EF}");
        assert_eq!(starts_by(b"\xEF\xBB", 1), [0]);
    }

    #[test]
    fn comments_closed_and_unclosed() {
        let game = format!("¦{V}1. E7-E13, E21-E15\n");
        check(format!("{game}{{ copy:\n{V}1. H6-H12\n}}\n2. F8-F12 :\n*\n\n¦{V}*\n"));
        check(format!("{game}{{ @W:\n2. F8-F12\n*\n\n¦ {V}{{ a }}\n"));
        check(format!("{game}{{ @W:\n2. F8-F12\n*\n\n¦{V}1. x\n¦{V}*"));
        check(format!("{game}{{\n\n¦{V}1. x *\n{{ }} {{\n}}\n}}\n(\n)\n\n¦{V}*\n"));
        check(format!("{game}{{ a {V} b [Variant }}\n[1\n¦{V}"));
        check(format!("{game}{{ {{ }}\n¦{V}"));
        check(format!("{game}{{\n[Variants]\n"));
        check(format!("¦{V}[Id \"{{\"]\n[A \"x ; {{\"]\n¦{V}*"));
        check(format!("{game}x ; {{\n;{{\n%{{\n a;{{ }}\n %{{ }}\n¦{V}"));
        check(format!("{game}{{\n%}} {{\n; }} ; {{\n¦{V}"));
        check(format!("¦{V}x ; {{\n;{{\n%{{\n a;{{ }}\n %{{ }}\n¦{V}"));
        check(format!("{game}% * [Variant] {{\n2. x\n¦{V}"));
        check(format!("¦{V}{}x {{\n¦{V}", "{}".repeat(50)));
    }

    #[test]
    fn a_brace_is_looked_for_within_the_look() {
        for (far, want) in [(LOOK, 1), (LOOK + 1, 2)] {
            let mut text = format!("{V}{{\n[Variant ").into_bytes();
            text.resize(text.len() - 9 + far, b'x');
            text.extend_from_slice(b"}\n");
            for window in [1 << 10, 300_000, 3 << 20] {
                assert_eq!(starts_by(&text, window).len(), want, "{far} {window}");
            }
        }
    }

    #[test]
    fn blanks_are_looked_over_within_the_look() {
        for moves in ["", "1.\n"] {
            for (blanks, want) in [(LOOK, 2), (LOOK + 1, 1)] {
                let text = format!("{V}{moves}{}{V}", "\0".repeat(blanks));
                for window in [1 << 12, 300_000, 3 << 20] {
                    assert_eq!(starts_by(text.as_bytes(), window).len(), want, "{moves:?} {blanks} {window}");
                }
            }
        }
    }

    #[test]
    fn many_braces_and_brackets_on_a_line_take_no_time() {
        for part in ["{}", "[a", "{", ";", "[Variant", " [a", "\0[", "}{", "1.", "\n[Variant", "\n{\n[Variant"] {
            for begin in [V, "", "1.\n", "1.\n{"] {
                starts_by(format!("{begin}{}", part.repeat(1 << 18)).as_bytes(), 1 << 16);
            }
        }
    }

    proptest! {
        #[test]
        fn windows_do_not_matter(
            parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..40),
            window in 1_usize..30,
        ) {
            let text = parts.concat();
            prop_assert_eq!(starts_by(&text, window), starts_by(&text, text.len().max(1)));
        }

        #[test]
        fn a_record_alone_has_one_start(parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..40)) {
            let text = parts.concat();
            let starts = starts_by(&text, text.len().max(1));
            for (k, &start) in starts.iter().enumerate() {
                let end = starts.get(k + 1).copied().unwrap_or(text.len());
                let alone = starts_by(&text[start..end], 7);
                // The file's first may be an unclosed comment.
                prop_assert!(alone == [0] || (k == 0 && alone.is_empty()), "{:?}", alone);
            }
        }
    }

    const PARTS: [&[u8]; 25] = [
        b"[Variant \"C'escacs\"]",
        b"[Variant",
        b"[Id \"a\"]",
        b"[",
        b"{",
        b"}",
        b";",
        b"%",
        b" ",
        b"\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"*",
        b"3-0",
        b"1-",
        b"1. E7-E13",
        b"1",
        b".",
        b"?",
        b"(",
        b"\xEF\xBB\xBF",
        b"\xEF",
        b"\0",
        b"x",
    ];
}
