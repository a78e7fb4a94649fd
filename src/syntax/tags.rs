//! Tags: one a line, `[Name "value"]` (§3.1, §3.2).

use super::fault::{Fault, FaultKind, Faults, FileFault, TagFault};
use super::lexer::is_tag_line;
use crate::notation::first_char;

named! {
    /// The tags that the format knows (§3).
    pub enum TagName {
        /// §3.1
        Variant = "Variant",
        /// §3.20
        Event = "Event",
        /// §3.21
        Site = "Site",
        /// §3.22
        Date = "Date",
        /// §3.23
        Round = "Round",
        /// §3.24
        White = "White",
        /// §3.34
        WhiteNa = "WhiteNA",
        /// §3.10
        WhiteAlias = "WhiteAlias",
        /// §3.24
        Black = "Black",
        /// §3.34
        BlackNa = "BlackNA",
        /// §3.10
        BlackAlias = "BlackAlias",
        /// §3.25
        Result = "Result",
        /// §4
        Id = "Id",
        /// §3.22
        EventDate = "EventDate",
        /// §3.22
        MatchDate = "MatchDate",
        /// §3.27
        Termination = "Termination",
        /// §3.31
        Mode = "Mode",
        /// §3.32
        WhiteType = "WhiteType",
        /// §3.32
        BlackType = "BlackType",
        /// §3.33
        TimeControl = "TimeControl",
        /// §3.24
        Annotator = "Annotator",
        /// §3.35
        AnnotatorId = "AnnotatorId",
        /// §3.28
        Lang = "Lang",
        /// §3.9
        Title = "Title",
        /// §3.29
        Revisited = "Revisited",
        /// §3.36
        Model = "Model",
        /// §3.29
        Example = "Example",
        /// §5
        Redefine = "Redefine",
        /// §10
        Pdtl = "PDTL",
        /// Any other name.
        Unknown = "?",
    }
}

impl TagName {
    /// The tag of this name, and whether its case is right.
    #[inline]
    pub fn parse(name: &[u8]) -> (TagName, bool) {
        let found = PLACES[place(name)];
        if found.name().as_bytes() == name {
            return (found, true);
        }
        let alike = |tag: &&TagName| tag.name().as_bytes().eq_ignore_ascii_case(name);
        TagName::ALL.iter().find(alike).map_or((TagName::Unknown, true), |tag| (*tag, false))
    }
}

/// A place for a name that no two of the known ones share.
const fn place(name: &[u8]) -> usize {
    let (Some(first), Some(last)) = (name.first(), name.last()) else { return 0 };
    (*first as usize + 8 * *last as usize + 4 * name.len()) % PLACES.len()
}

/// The known tags by the places of their names.
static PLACES: [TagName; 64] = {
    let mut tags = [TagName::Unknown; 64];
    let mut index = 0;
    while index < TagName::ALL.len() {
        let tag = TagName::ALL[index];
        let place = place(tag.name().as_bytes());
        assert!(matches!((tag, tags[place]), (TagName::Unknown, _) | (_, TagName::Unknown)), "two in one place");
        if !matches!(tag, TagName::Unknown) {
            tags[place] = tag;
        }
        index += 1;
    }
    tags
};

/// A set of tags.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TagNames(u64);

impl TagNames {
    /// Whether it is among them.
    #[inline]
    pub const fn has(self, name: TagName) -> bool {
        self.0 >> name as u32 & 1 != 0
    }

    /// How many they are.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is one that is in both.
    #[inline]
    pub const fn meets(self, other: TagNames) -> bool {
        self.0 & other.0 != 0
    }
}

impl FromIterator<TagName> for TagNames {
    #[inline]
    fn from_iter<I: IntoIterator<Item = TagName>>(names: I) -> TagNames {
        TagNames(names.into_iter().fold(0, |names, name| names | 1 << name as u32))
    }
}

/// One tag. Places are bytes of the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag {
    /// Which one.
    pub name: TagName,
    /// Its bracket.
    pub at: u32,
    /// Behind its closing bracket, or where it breaks off.
    pub end: u32,
    /// Its name as written.
    pub name_at: u32,
    /// Length of the name in bytes.
    pub name_len: u32,
    /// Its value as written, escapes and all.
    pub value_at: u32,
    /// Length of the value in bytes.
    pub value_len: u32,
}

impl Tag {
    /// The value's bytes, escapes and all.
    pub fn value<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.value_at as usize..(self.value_at + self.value_len) as usize]
    }

    /// The name's bytes.
    pub fn name_text<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.name_at as usize..(self.name_at + self.name_len) as usize]
    }
}

/// Reads the tags of one line, `text[at..end]`, which starts with one.
pub fn read_line(text: &[u8], at: usize, end: usize, tags: &mut Vec<Tag>, faults: &mut Faults) {
    let mut at = at;
    loop {
        let mut line = Line { text, end, faults };
        let (tag, behind) = line.read(at);
        tags.push(tag);
        let rest = &text[behind..end];
        let Some(next) = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')) else {
            if !rest.is_empty() {
                fault(faults, FileFault::TrailingBlanks, behind, rest.len(), 0);
            }
            return;
        };
        at = behind + next;
        if !is_tag_line(&text[at..end]) {
            let len = rest[next..].trim_ascii_end().len();
            fault(faults, TagFault::Behind, at, len, 0);
            return;
        }
        // Written on a line of its own it would begin another record.
        let name_len = text[at + 1..end].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let initial = &text[at + 1..=at + name_len] == TagName::Variant.name().as_bytes();
        fault(faults, if initial { TagFault::VariantBehindTag } else { TagFault::TwoOnLine }, at, 1, 0);
    }
}

fn fault(faults: &mut Faults, kind: impl Into<FaultKind>, at: usize, len: usize, seen: u32) {
    let (at, len) = (at as u32, len as u32);
    faults.push(Fault { kind: kind.into(), aside: false, at, len, item: Fault::NO_ITEM, seen });
}

/// Bytes that a value has only escaped, or not at all, or that may begin such a character.
static IS_ODD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte as u8, b'"' | b'\\' | 0x00..=0x1F | 0x7F | 0xC2);
        byte += 1;
    }
    table
};

struct Line<'a, 'b> {
    text: &'a [u8],
    end: usize,
    faults: &'b mut Faults,
}

impl Line<'_, '_> {
    fn fault(&mut self, kind: TagFault, at: usize, len: usize) {
        fault(self.faults, kind, at, len, 0);
    }

    fn blanks(&self, at: usize) -> usize {
        self.text[at..self.end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// Reads the tag whose bracket is at `at`; gives it, and where what follows begins.
    fn read(&mut self, at: usize) -> (Tag, usize) {
        let name_at = at + 1;
        let name_len = self.text[name_at..self.end].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (name, good_case) = TagName::parse(&self.text[name_at..name_at + name_len]);
        if !good_case {
            let initial = name == TagName::Variant;
            self.fault(if initial { TagFault::VariantCase } else { TagFault::NameCase }, name_at, name_len);
        }
        let behind_name = name_at + name_len;
        let blanks = self.blanks(behind_name);
        let quote = behind_name + blanks;
        let mut tag = Tag {
            name,
            at: at as u32,
            end: 0,
            name_at: name_at as u32,
            name_len: name_len as u32,
            value_at: quote as u32,
            value_len: 0,
        };
        let end = if self.text[..self.end].get(quote) == Some(&b'"') {
            if blanks == 0 {
                self.fault(TagFault::NoBlank, quote, 1);
            }
            self.quoted(&mut tag, quote + 1)
        } else {
            self.unquoted(&mut tag, quote, blanks > 0)
        };
        tag.end = end as u32;
        (tag, end)
    }

    /// A value without an opening quote, or a name with a sign in it.
    fn unquoted(&mut self, tag: &mut Tag, at: usize, blank_before: bool) -> usize {
        let line = self.text[at..self.end].trim_ascii_end();
        let value_len = line.len() - usize::from(line.ends_with(b"]"));
        tag.value_len = value_len as u32;
        if blank_before || value_len == 0 {
            self.fault(TagFault::NoQuotes, at, value_len);
        } else {
            self.fault(TagFault::Name, at, first_char(line).map_or(1, char::len_utf8));
        }
        if line.len() == value_len {
            self.fault(TagFault::NoBracket, at + value_len, 0);
        }
        at + line.len()
    }

    /// The value behind its opening quote, up to the last `"]` that can end it.
    fn quoted(&mut self, tag: &mut Tag, at: usize) -> usize {
        tag.value_at = at as u32;
        let rest = &self.text[at..self.end];
        let value_len = value_end(rest);
        let line = rest.trim_ascii_end();
        let len = match (value_len, line.strip_suffix(b"]")) {
            (Some(len), _) => len,
            // `[Id "x]`: the quote is missing; `[Id "x"` and `[Id "x")`: the bracket is.
            (None, Some(value)) => value.len(),
            (None, None) => last_quote(line).unwrap_or(line.len()),
        };
        tag.value_len = len as u32;
        self.check_value(at, len);
        match &line[len..] {
            _ if value_len.is_some() => return at + len + 2,
            [] => {
                self.fault(TagFault::NoClosingQuote, at + len, 0);
                self.fault(TagFault::NoBracket, at + len, 0);
            }
            [b'"', b')' | b'}' | b'>'] => self.fault(TagFault::NoBracket, at + len + 1, 1),
            [b'"', ..] => {
                self.fault(TagFault::NoBracket, at + len + 1, 0);
                return at + len + 1;
            }
            _ => self.fault(TagFault::NoClosingQuote, at + len, 1),
        }
        at + line.len()
    }

    fn check_value(&mut self, at: usize, len: usize) {
        let value = &self.text[at..at + len];
        if !value.iter().any(|byte| IS_ODD[usize::from(*byte)]) {
            return;
        }
        let mut i = 0;
        let mut known = [false; 4];
        while i < len {
            let (kind, slot, width) = match (value[i], value.get(i + 1)) {
                (b'\\', Some(b'"' | b'\\')) => (TagFault::Escape, 0, 2),
                (b'\\', _) => (TagFault::FalseEscape, 1, 1),
                (b'"', _) => (TagFault::BareQuote, 2, 1),
                (0x00..=0x1F | 0x7F, _) => (TagFault::Control, 3, 1),
                (0xC2, Some(0x80..=0x9F)) => (TagFault::Control, 3, 2),
                _ => {
                    i += 1;
                    continue;
                }
            };
            if !known[slot] {
                known[slot] = true;
                fault(self.faults, kind, at + i, width, u32::from(value[i]));
            }
            i += width;
        }
    }
}

/// Where the value ends that `rest` starts with: before the last `"]` of the line, unless another tag follows one.
fn value_end(rest: &[u8]) -> Option<usize> {
    // Nearly every tag ends its line, and has no other quote or backslash.
    if let Some(quote) = memchr::memchr2(b'"', b'\\', rest)
        && &rest[quote..] == b"\"]"
    {
        return Some(quote);
    }
    let mut from = 0;
    let mut last = None;
    while let Some(quote) = memchr::memmem::find(&rest[from..], b"\"]") {
        let quote = from + quote;
        let escapes = rest[..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        from = quote + 1;
        if escapes % 2 == 1 {
            continue;
        }
        last = Some(quote);
        let behind = rest[quote + 2..].trim_ascii_start();
        if behind.is_empty() || is_tag_line(behind) {
            break;
        }
    }
    last
}

/// The last quote that no backslash escapes.
fn last_quote(line: &[u8]) -> Option<usize> {
    memchr::memrchr_iter(b'"', line)
        .find(|&quote| line[..quote].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Seen<'a> = (Vec<(TagName, &'a str)>, Vec<(TagFault, u32, u32)>);

    fn read(line: &str) -> Seen<'_> {
        let (mut tags, mut faults) = (Vec::new(), Faults::default());
        read_line(line.as_bytes(), 0, line.len(), &mut tags, &mut faults);
        let value = |tag: &Tag| &line[tag.value_at as usize..(tag.value_at + tag.value_len) as usize];
        let tags = tags.iter().map(|tag| (tag.name, value(tag))).collect();
        let faults = faults.iter().filter_map(|fault| match fault.kind {
            FaultKind::Tag(kind) => Some((kind, fault.at, fault.len)),
            // Blanks behind a tag are no fault of the tag.
            other => (other != FileFault::TrailingBlanks.into()).then(|| panic!("{other:?}")),
        });
        (tags, faults.collect())
    }

    #[test]
    fn tags_are_read_with_what_stands_in_them() {
        for (line, name, value) in [
            ("[Variant \"C'escacs\"]", TagName::Variant, "C'escacs"),
            ("[Event \t\"Copa [A] obert]\"]  ", TagName::Event, "Copa [A] obert]"),
            ("[White \"Prat {J.\"]", TagName::White, "Prat {J."),
            ("[ECO \"\"]", TagName::Unknown, ""),
        ] {
            assert_eq!(read(line), (vec![(name, value)], vec![]), "{line}");
        }
    }

    #[test]
    fn each_fault_is_told_where_it_goes_wrong() {
        use TagFault::*;
        for (line, tags, faults) in [
            (r#"[Id "Tester-X01]"#, vec![(TagName::Id, "Tester-X01")], vec![(NoClosingQuote, 15, 1)]),
            (
                r#"[Id "Tester-X01"#,
                vec![(TagName::Id, "Tester-X01")],
                vec![(NoClosingQuote, 15, 0), (NoBracket, 15, 0)],
            ),
            (r#"[Id "x" "#, vec![(TagName::Id, "x")], vec![(NoBracket, 7, 0)]),
            (r#"[Id "x")"#, vec![(TagName::Id, "x")], vec![(NoBracket, 7, 1)]),
            (r#"[Id "x" y"#, vec![(TagName::Id, "x")], vec![(NoBracket, 7, 0), (Behind, 8, 1)]),
            ("[Añy \"x\"]", vec![(TagName::Unknown, "ñy \"x\"")], vec![(Name, 2, 2)]),
            ("[TimeControl 4500+60]", vec![(TagName::TimeControl, "4500+60")], vec![(NoQuotes, 13, 7)]),
            ("[Event]", vec![(TagName::Event, "")], vec![(NoQuotes, 6, 0)]),
            (r#"[Ev-ent "x"]"#, vec![(TagName::Unknown, r#"-ent "x""#)], vec![(Name, 3, 1)]),
            (r#"[Id"x"]"#, vec![(TagName::Id, "x")], vec![(NoBlank, 3, 1)]),
            (r#"[variant "C'escacs"]"#, vec![(TagName::Variant, "C'escacs")], vec![(VariantCase, 1, 7)]),
            (r#"[TimeControL "?"]"#, vec![(TagName::TimeControl, "?")], vec![(NameCase, 1, 11)]),
            (r#"[Event "a "b" c"]"#, vec![(TagName::Event, r#"a "b" c"#)], vec![(BareQuote, 10, 1)]),
            (r#"[Event "a \"b\" \\"]"#, vec![(TagName::Event, r#"a \"b\" \\"#)], vec![(Escape, 10, 2)]),
            (r#"[Event "C:\x"]"#, vec![(TagName::Event, r"C:\x")], vec![(FalseEscape, 10, 1)]),
            ("[Event \"a·\u{85}\"]", vec![(TagName::Event, "a·\u{85}")], vec![(Control, 11, 2)]),
            ("[Event \"a\u{1b}[m\"]", vec![(TagName::Event, "a\u{1b}[m")], vec![(Control, 9, 1)]),
            (r#"[Event "a"] [Site "?"]"#, vec![(TagName::Event, "a"), (TagName::Site, "?")], vec![(TwoOnLine, 12, 1)]),
            (
                r#"[Id "a"][Variant "C'escacs"]"#,
                vec![(TagName::Id, "a"), (TagName::Variant, "C'escacs")],
                vec![(VariantBehindTag, 8, 1)],
            ),
            (
                r#"[Redefine "A@J, T@R", C@N"]"#,
                vec![(TagName::Redefine, r#"A@J, T@R", C@N"#)],
                vec![(BareQuote, 19, 1)],
            ),
            (r#"[Event "a"] 1. E7-E13 "#, vec![(TagName::Event, "a")], vec![(Behind, 12, 9)]),
        ] {
            assert_eq!(read(line), (tags, faults), "{line}");
        }
    }
}
