//! Identifiers: the values of `Id`, `Model`, `Example` and `Revisited` (§4).

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;

use serde::Deserialize;

use super::{LanguageCode, Slip, hyphen};

named! {
    /// What is wrong with an identifier. Its moves don't depend on it: no reading is lost.
    pub enum IdFault {
        /// Nothing there.
        Empty = "id-empty",
        /// A character that an identifier can't have there (§4.1).
        Character = "id-character",
        /// A letter beyond ASCII (§4.1).
        Letter = "id-letter",
        /// `-` and `‐` in one identifier (§4.1).
        Hyphens = "id-hyphens",
        /// No hyphen behind the publisher (§4.1).
        Rest = "id-rest",
        /// Nothing before a hyphen or behind the last one.
        Part = "id-part",
        /// Behind the publisher something else than class letter and digits (§4.2).
        Shape = "id-shape",
        /// In a game record, behind the publisher no number (§4.7).
        Number = "id-number",
        /// Class A: the annotator's identifier is not digits only (§4.3, §3.35).
        Annotator = "id-annotator",
        /// Class A: nothing that tells the annotator's records apart (§4.3).
        Unique = "id-unique",
        /// A fragment that is none of O, C, M, E (§4.7).
        FragmentKind = "id-fragment-kind",
        /// A fragment without its first number, or O without its last.
        FragmentNumber = "id-fragment-number",
        /// In a fragment something else than a number, `?` for the first one, `b` behind it, `w` behind the last.
        FragmentSyntax = "id-fragment-syntax",
        /// A number of a fragment that is zero, begins with zero or is above 4294967295.
        FragmentZero = "id-fragment-zero",
        /// A fragment without the last number that C, M and `?` need.
        FragmentLast = "id-fragment-last",
        /// A last number behind O, or behind E with its first one.
        FragmentSurplus = "id-fragment-surplus",
        /// A fragment that ends before it begins.
        FragmentOrder = "id-fragment-order",
        /// A suffix that is none of V, a version, S, a language (§4.5).
        Suffix = "id-suffix",
        /// A suffix behind one that it should precede.
        SuffixOrder = "id-suffix-order",
        /// The same kind of suffix again.
        SuffixTwice = "id-suffix-twice",
        /// A version without V.
        VersionAlone = "id-version-alone",
        /// A version that is no Roman numeral in its canonical form.
        VersionRoman = "id-version-roman",
        /// Version I.
        VersionFirst = "id-version-first",
        /// A sequence without V.
        SequenceAlone = "id-sequence-alone",
        /// Not `S:` and numbers between colons.
        SequenceSyntax = "id-sequence-syntax",
        /// A sequence of zeros only.
        SequenceZeros = "id-sequence-zeros",
        /// A language that has no such code (§3.28).
        Language = "id-language",
    }
}

/// A text without its last part, and that part with its hyphen, if `is_there`.
fn cut(text: &str, is_there: bool) -> (&str, &str) {
    let hyphen = text.rfind(['-', '‐']).filter(|_| is_there);
    text.split_at(hyphen.unwrap_or(text.len()))
}

/// Which of the two kinds of record an identifier names (§3.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordKind {
    /// Without players (§4.2).
    Id,
    /// With players (§4.7).
    Game,
}

/// What tells the records of a publisher apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unique<'a> {
    /// A class letter and digits: `X01` (§4.2).
    Class(u8, &'a str),
    /// Class A: digits of the annotator's identifier, and what is unique among his records: `A0001-24` (§4.3).
    Annotator(&'a str, &'a str),
    /// The number of a game (§4.7).
    Number(&'a str),
    /// Something else, which only Id records have; may hold hyphens.
    Other(&'a str),
}

/// The part of a game that a fragment is (§4.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Stretch {
    /// From the beginning.
    Opening = b'O',
    /// Behind an opening.
    Continuation = b'C',
    /// From the middle.
    Middlegame = b'M',
    /// To the end.
    Ending = b'E',
}

/// A fragment of a game (§4.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// Which part of the game.
    pub stretch: Stretch,
    /// Number of its first pair, nothing when it is unknown (`?`); 1 for an opening.
    pub first: Option<u32>,
    /// Whether Black begins (`b`).
    pub is_black_first: bool,
    /// Number of its last pair; only an ending whose first number is known goes without.
    pub last: Option<u32>,
    /// Whether White's ply ends it and not the game (`w`).
    pub is_white_last: bool,
}

/// An identifier (§4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Id<'a> {
    /// What precedes the first hyphen.
    pub publisher: &'a str,
    /// What tells its records apart.
    pub unique: Unique<'a>,
    /// Which part of the game it is; all of it otherwise. Id records have none.
    pub fragment: Option<Fragment>,
    /// Whether there is a `V`.
    pub has_variations: bool,
    /// The version behind `V`, 2 to 3999.
    pub version: Option<u16>,
    /// The numbers of `S:0:1:1` with the colons between them.
    pub sequence: Option<&'a str>,
    /// The language at the end, two or three small letters.
    pub language: Option<&'a str>,
}

/// The kinds of suffix in their order (§4.5).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Suffix {
    Variations,
    Version,
    Sequence,
    Language,
}

impl Suffix {
    /// What a part looks like. Behind V a `V` is the fifth version, and only there are all Roman digits looked for.
    fn of(part: &str, behind_variations: bool) -> Option<Suffix> {
        let roman = if behind_variations { "IVXLCDM" } else { "IVX" };
        if part == "V" && !behind_variations {
            Some(Suffix::Variations)
        } else if part.chars().all(|sign| roman.contains(sign)) {
            Some(Suffix::Version)
        } else if part == "S" || part.contains(':') {
            Some(Suffix::Sequence)
        } else if matches!(part.len(), 2 | 3) && part.bytes().all(|byte| byte.is_ascii_lowercase()) {
            Some(Suffix::Language)
        } else {
            None
        }
    }
}

/// A part of an identifier that something else in its record says too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdPart {
    /// What precedes the first hyphen (§4.4).
    Publisher,
    /// What is behind the `A` of class A (§4.3).
    Annotator,
    /// The suffix `V` (§4.6).
    Variations,
    /// The language at the end (§4.5).
    Language,
}

impl IdPart {
    /// As messages name it.
    pub const fn name(self) -> &'static str {
        match self {
            IdPart::Publisher => "publisher",
            IdPart::Annotator => "annotator",
            IdPart::Variations => "suffix",
            IdPart::Language => "language",
        }
    }

    /// Where it stands, however wrong the rest of the identifier is: bytes of `value`.
    pub fn find(self, value: &[u8]) -> Option<Range<usize>> {
        let text = std::str::from_utf8(value).ok()?;
        let mut at = 0;
        let mut parts = text.split(['-', '‐']).map(|part| {
            let place = at..at + part.len();
            at = place.end + hyphen(&value[place.end..]);
            (place, part)
        });
        let (publisher, _) = parts.next()?;
        let (unique, class) = parts.next()?;
        let place = match self {
            IdPart::Publisher => publisher,
            IdPart::Annotator if is_class_a(class) => unique.start + 1..unique.end,
            IdPart::Annotator => return None,
            IdPart::Variations => parts.find(|(_, part)| Suffix::of(part, false) == Some(Suffix::Variations))?.0,
            IdPart::Language => parts.last().filter(|(_, part)| Suffix::of(part, false) == Some(Suffix::Language))?.0,
        };
        Some(place)
    }

    /// Whether `text` can be it: what can't is another fault than that two of them disagree.
    pub fn allows(self, text: &str) -> bool {
        match self {
            IdPart::Publisher => !text.is_empty() && text.chars().all(char::is_alphanumeric),
            IdPart::Annotator => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
            IdPart::Variations => text == "V",
            IdPart::Language => LanguageCode::of(text) == LanguageCode::Right,
        }
    }
}

/// Whether a part behind the publisher is one of class A (§4.3).
const fn is_class_a(part: &str) -> bool {
    matches!(part.as_bytes(), [b'A'] | [b'A', b'0'..=b'9', ..])
}

struct Reader<'a, 'f> {
    value: &'a str,
    fault: &'f mut dyn FnMut(Slip<IdFault>),
    /// The parts between hyphens.
    parts: Vec<Range<usize>>,
    /// The number of the next part.
    next: usize,
    /// Whether something was wrong that leaves no value.
    failed: bool,
}

/// Reads an identifier of a record of this kind. Every fault is reported with its place; nothing when there is one
/// besides [`IdFault::Letter`], [`IdFault::Hyphens`] and [`IdFault::Shape`], or when it is not UTF-8 (§1.2).
pub fn parse<'a>(value: &'a [u8], record: RecordKind, fault: &mut dyn FnMut(Slip<IdFault>)) -> Option<Id<'a>> {
    let value = std::str::from_utf8(value).ok()?;
    let mut reader = Reader { value, fault, parts: Vec::with_capacity(6), next: 0, failed: false };
    if value.is_empty() {
        reader.report(IdFault::Empty, &(0..0));
        return None;
    }
    reader.characters();
    reader.split();
    if reader.failed {
        return None;
    }
    let id = reader.id(record);
    if reader.failed { None } else { id }
}

impl<'a> Reader<'a, '_> {
    fn report(&mut self, fault: IdFault, place: &Range<usize>) {
        self.failed |= !matches!(fault, IdFault::Letter | IdFault::Hyphens | IdFault::Shape);
        (self.fault)(Slip { fault, at: place.start as u32, len: place.len() as u32 });
    }

    /// Looks for what no identifier has, and for the first letter beyond ASCII.
    fn characters(&mut self) {
        let is_good = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '‐' | ':' | '?');
        let mut letter = false;
        for (at, sign) in self.value.char_indices().filter(|&(_, sign)| !is_good(sign)) {
            if !sign.is_alphabetic() {
                self.report(IdFault::Character, &(at..at + sign.len_utf8()));
            } else if !std::mem::replace(&mut letter, true) {
                self.report(IdFault::Letter, &(at..at + sign.len_utf8()));
            }
        }
    }

    /// Cuts at the hyphens.
    fn split(&mut self) {
        let bytes = self.value.as_bytes();
        let (mut start, mut at, mut first) = (0, 0, 0);
        let mut mixed = false;
        while at <= bytes.len() {
            let len = hyphen(&bytes[at..]);
            if len == 0 && at < bytes.len() {
                at += 1;
                continue;
            }
            if start == at {
                self.report(IdFault::Part, &(at..at + len));
            } else if len != 0 && first != 0 && len != first && !std::mem::replace(&mut mixed, true) {
                self.report(IdFault::Hyphens, &(at..at + len));
            }
            first = if first == 0 { len } else { first };
            self.parts.push(start..at);
            at += len.max(1);
            start = at;
        }
        // With a blank or a dash in the hyphen's place that has been reported.
        if self.parts.len() == 1 && !self.failed {
            let end = bytes.len();
            self.report(IdFault::Rest, &(end..end));
        }
    }

    fn text(&self, place: &Range<usize>) -> &'a str {
        &self.value[place.clone()]
    }

    /// The next part and its text.
    fn peek(&self) -> Option<(Range<usize>, &'a str)> {
        self.parts.get(self.next).map(|place| (place.clone(), self.text(place)))
    }

    fn take(&mut self) -> Option<(Range<usize>, &'a str)> {
        let part = self.peek()?;
        self.next += 1;
        Some(part)
    }

    /// Right behind the part taken last.
    fn behind(&self) -> Range<usize> {
        let end = self.parts[self.next - 1].end;
        end..end
    }

    /// `:` and `?` have no place in publisher and number; tells whether there are none.
    fn plain(&mut self, place: &Range<usize>) -> bool {
        let odd = self.text(place).find([':', '?']).map(|at| place.start + at);
        if let Some(at) = odd {
            self.report(IdFault::Character, &(at..at + 1));
        }
        odd.is_none()
    }

    fn id(&mut self, record: RecordKind) -> Option<Id<'a>> {
        let (place, publisher) = self.take()?;
        self.plain(&place);
        let unique = self.unique(record)?;
        let mut id = Id {
            publisher,
            unique,
            fragment: None,
            has_variations: false,
            version: None,
            sequence: None,
            language: None,
        };
        if record == RecordKind::Game
            && let Some((_, part)) = self.peek()
            && Suffix::of(part, false).is_none()
        {
            id.fragment = self.fragment();
            // Behind a fragment that can't be read, its other number is no suffix.
            while id.fragment.is_none() && self.is_other_behind() {
                self.next += 1;
            }
        }
        self.suffixes(&mut id);
        Some(id)
    }

    fn unique(&mut self, record: RecordKind) -> Option<Unique<'a>> {
        let (place, part) = self.take()?;
        if !self.plain(&place) {
            return None;
        }
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match (part.as_bytes(), record) {
            _ if is_class_a(part) => {
                self.digits(IdFault::Annotator, &(place.start + 1..place.end));
                self.annotators(&part[1..])
            }
            (_, RecordKind::Game) => {
                self.digits(IdFault::Number, &place);
                Some(Unique::Number(part))
            }
            (&[class @ b'A'..=b'Z', ..], RecordKind::Id) if is_digits(&part[1..]) && !self.is_other_behind() => {
                Some(Unique::Class(class, &part[1..]))
            }
            (_, RecordKind::Id) => {
                while self.is_other_behind() {
                    let (place, _) = self.take()?;
                    self.plain(&place);
                }
                let place = place.start..self.behind().end;
                self.report(IdFault::Shape, &place);
                Some(Unique::Other(self.text(&place)))
            }
        }
    }

    /// Reports what follows the digits of `place`, or that there are none.
    fn digits(&mut self, fault: IdFault, place: &Range<usize>) {
        let digits = self.text(place).bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits < place.len() {
            self.report(fault, &(place.start + digits..place.end));
        }
    }

    /// Whether the next part is no suffix.
    fn is_other_behind(&self) -> bool {
        self.peek().is_some_and(|(_, part)| Suffix::of(part, false).is_none())
    }

    /// What is unique among the records of an annotator.
    fn annotators(&mut self, annotator: &'a str) -> Option<Unique<'a>> {
        if !self.is_other_behind() {
            let place = self.behind();
            self.report(IdFault::Unique, &place);
            return None;
        }
        let (place, unique) = self.take()?;
        self.plain(&place);
        Some(Unique::Annotator(annotator, unique))
    }

    fn fragment(&mut self) -> Option<Fragment> {
        let (place, part) = self.take()?;
        let stretch = match part.as_bytes()[0] {
            b'O' => Stretch::Opening,
            b'C' => Stretch::Continuation,
            b'M' => Stretch::Middlegame,
            b'E' => Stretch::Ending,
            _ => {
                self.report(IdFault::FragmentKind, &place);
                return None;
            }
        };
        let numbers = place.start + 1..place.end;
        let mut fragment =
            Fragment { stretch, first: Some(1), is_black_first: false, last: None, is_white_last: false };
        if stretch == Stretch::Opening {
            (fragment.last, fragment.is_white_last) = self.fragment_number(numbers, b'w')?;
        } else {
            (fragment.first, fragment.is_black_first) = self.fragment_number(numbers, b'b')?;
        }
        let has_last = self.peek().is_some_and(|(_, part)| part.starts_with(|sign: char| sign.is_ascii_digit()));
        let wants_last = match stretch {
            Stretch::Opening => false,
            Stretch::Continuation | Stretch::Middlegame => true,
            Stretch::Ending => fragment.first.is_none(),
        };
        if has_last && let Some((place, _)) = self.take() {
            if !wants_last {
                self.report(IdFault::FragmentSurplus, &place);
                return None;
            }
            (fragment.last, fragment.is_white_last) = self.fragment_number(place, b'w')?;
        } else if wants_last {
            let place = self.behind();
            self.report(IdFault::FragmentLast, &place);
            return None;
        }
        // An unknown first number is counted from 1 (§7.5).
        let begins = (fragment.first.unwrap_or(1), fragment.is_black_first);
        if fragment.last.is_some_and(|last| (last, !fragment.is_white_last) < begins) {
            let place = self.parts[self.next - 1].clone();
            self.report(IdFault::FragmentOrder, &place);
        }
        Some(fragment)
    }

    /// A number, or `?` if it is a first one, and whether `mark` is behind it; nothing if it is wrong.
    fn fragment_number(&mut self, place: Range<usize>, mark: u8) -> Option<(Option<u32>, bool)> {
        let text = self.text(&place);
        let (number, is_marked) = text.strip_suffix(char::from(mark)).map_or((text, false), |number| (number, true));
        if number.is_empty() {
            self.report(IdFault::FragmentNumber, &(place.start..place.start));
            return None;
        }
        if number == "?" && mark == b'b' {
            return Some((None, is_marked));
        }
        if let Some(at) = number.find(|sign: char| !sign.is_ascii_digit()) {
            self.report(IdFault::FragmentSyntax, &(place.start + at..place.end));
            return None;
        }
        match number.parse() {
            Ok(read) if !number.starts_with('0') => Some((Some(read), is_marked)),
            _ => {
                self.report(IdFault::FragmentZero, &(place.start..place.start + number.len()));
                None
            }
        }
    }

    fn suffixes(&mut self, id: &mut Id<'a>) {
        let has_variations = self.parts[self.next..].iter().any(|place| self.text(place) == "V");
        let mut before = None;
        while let Some((place, part)) = self.take() {
            let Some(suffix) = Suffix::of(part, id.has_variations) else {
                self.report(IdFault::Suffix, &place);
                continue;
            };
            let is_placed = before.is_none_or(|before| before < suffix);
            if is_placed {
                before = Some(suffix);
            } else {
                let fault = if before == Some(suffix) { IdFault::SuffixTwice } else { IdFault::SuffixOrder };
                self.report(fault, &place);
            }
            match suffix {
                Suffix::Variations => id.has_variations = true,
                Suffix::Version if !has_variations => self.report(IdFault::VersionAlone, &place),
                Suffix::Version => id.version = self.version(&place),
                Suffix::Sequence if !has_variations => self.report(IdFault::SequenceAlone, &place),
                Suffix::Sequence => id.sequence = self.sequence(&place),
                Suffix::Language if is_placed => id.language = self.language(&place),
                Suffix::Language => {}
            }
        }
    }

    fn language(&mut self, place: &Range<usize>) -> Option<&'a str> {
        let code = self.text(place);
        let is_right = LanguageCode::of(code) == LanguageCode::Right;
        if !is_right {
            self.report(IdFault::Language, place);
        }
        is_right.then_some(code)
    }

    fn version(&mut self, place: &Range<usize>) -> Option<u16> {
        match read_roman(self.text(place)) {
            None => self.report(IdFault::VersionRoman, place),
            Some(1) => self.report(IdFault::VersionFirst, place),
            version => return version,
        }
        None
    }

    fn sequence(&mut self, place: &Range<usize>) -> Option<&'a str> {
        let text = self.text(place);
        let Some(numbers) = text.strip_prefix("S:") else {
            let good = usize::from(text.starts_with('S'));
            self.report(IdFault::SequenceSyntax, &(place.start + good..place.end));
            return None;
        };
        let mut at = place.start + "S:".len();
        for number in numbers.split(':') {
            let digits = number.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 || digits < number.len() {
                self.report(IdFault::SequenceSyntax, &(at + digits..at + number.len()));
                return None;
            }
            if digits > 1 && number.starts_with('0') {
                self.report(IdFault::SequenceSyntax, &(at..at + digits));
                return None;
            }
            at += number.len() + ":".len();
        }
        if numbers.split(':').all(|number| number == "0") {
            self.report(IdFault::SequenceZeros, place);
        }
        Some(numbers)
    }
}

const ROMAN: [(u16, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

fn roman(mut number: u16) -> String {
    let mut text = String::new();
    for (value, sign) in ROMAN {
        while number >= value {
            text.push_str(sign);
            number -= value;
        }
    }
    text
}

/// The number of a canonical Roman numeral, 1 to 3999.
fn read_roman(text: &str) -> Option<u16> {
    let (mut number, mut rest) = (0_u16, text);
    for (value, sign) in ROMAN {
        while let Some(behind) = rest.strip_prefix(sign) {
            number = number.checked_add(value)?;
            rest = behind;
        }
    }
    (rest.is_empty() && number < 4000 && roman(number) == text).then_some(number)
}

impl Id<'_> {
    /// Of `text`, which it was read from, how many bytes its fragments, versions and languages have in common (§4.5, §4.7):
    /// publisher and what is unique of his.
    pub fn base_len(&self, text: &str) -> usize {
        let behind = |at: usize| at + text.as_bytes().get(at..).map_or(0, hyphen);
        let unique = behind(self.publisher.len());
        match self.unique {
            Unique::Class(_, digits) => unique + 1 + digits.len(),
            Unique::Annotator(annotator, unique_of_his) => behind(unique + 1 + annotator.len()) + unique_of_his.len(),
            Unique::Number(text) | Unique::Other(text) => unique + text.len(),
        }
    }

    /// Its text without the language, and the language with its hyphen.
    pub fn without_language<'t>(&self, text: &'t str) -> (&'t str, &'t str) {
        cut(text, self.language.is_some())
    }

    /// Its text without `V` and the version behind that, unless it is one line of a record with variations (`S`).
    pub fn without_variations<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_there = self.has_variations && self.sequence.is_none();
        if is_there { Cow::Owned(self.of_main_line(text)) } else { Cow::Borrowed(text) }
    }

    /// Its text without `S`: that of the record with variations which has the line.
    pub fn of_all_lines(&self, text: &str) -> String {
        let (rest, language) = self.without_language(text);
        [cut(rest, self.sequence.is_some()).0, language].concat()
    }

    /// Its text without `V`, version and `S`: that of the main line.
    pub fn of_main_line(&self, text: &str) -> String {
        let (rest, language) = self.without_language(text);
        let suffixes = [self.sequence.is_some(), self.version.is_some(), self.has_variations];
        [suffixes.into_iter().fold(rest, |rest, is_there| cut(rest, is_there).0), language].concat()
    }

    /// Its text as that of another fragment, or of the whole game (§4.7).
    pub fn with_fragment(&self, text: &str, fragment: Option<&Fragment>) -> String {
        let suffixes = [self.has_variations, self.version.is_some(), self.sequence.is_some(), self.language.is_some()];
        let rest = suffixes.into_iter().fold(text, |rest, is_there| cut(rest, is_there).0);
        let mut named = text.as_bytes()[..self.base_len(text)].to_vec();
        if let Some(fragment) = fragment {
            fragment.write(&mut named);
        }
        format!("{}{}", String::from_utf8_lossy(&named), &text[rest.len()..])
    }

    /// Appends the identifier with `-` for hyphens (§13.6).
    pub fn write(&self, out: &mut Vec<u8>) {
        // Writing to a vector can't fail.
        let _ = match self.unique {
            Unique::Class(class, digits) => write!(out, "{}-{}{digits}", self.publisher, char::from(class)),
            Unique::Annotator(annotator, unique) => write!(out, "{}-A{annotator}-{unique}", self.publisher),
            Unique::Number(number) => write!(out, "{}-{number}", self.publisher),
            Unique::Other(other) => write!(out, "{}-{}", self.publisher, other.replace('‐', "-")),
        };
        if let Some(fragment) = &self.fragment {
            fragment.write(out);
        }
        if self.has_variations {
            out.extend_from_slice(b"-V");
        }
        if let Some(version) = self.version {
            let _ = write!(out, "-{}", roman(version));
        }
        if let Some(sequence) = self.sequence {
            let _ = write!(out, "-S:{sequence}");
        }
        if let Some(language) = self.language {
            let _ = write!(out, "-{language}");
        }
    }
}

impl Fragment {
    /// Reads a fragment as an identifier has it behind its hyphen: `O20`, `C5b-20w`, `E30`.
    pub fn parse(text: &str) -> Option<Fragment> {
        let id = format!("x-1-{text}");
        let id = parse(id.as_bytes(), RecordKind::Game, &mut |_| {})?;
        id.fragment.filter(|_| !id.has_variations && id.language.is_none())
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([b'-', self.stretch as u8]);
        if self.stretch != Stretch::Opening {
            let _ = match self.first {
                Some(first) => write!(out, "{first}"),
                None => write!(out, "?"),
            };
            out.extend(self.is_black_first.then_some(b'b'));
            out.extend(self.last.map(|_| b'-'));
        }
        if let Some(last) = self.last {
            let _ = write!(out, "{last}");
            out.extend(self.is_white_last.then_some(b'w'));
        }
    }
}

#[cfg(test)]
mod tests {
    use IdFault as F;
    use RecordKind::Game;
    use proptest::prelude::*;

    use super::*;

    fn read(value: &str, record: RecordKind) -> (Option<Id<'_>>, Vec<(IdFault, u32, u32)>) {
        let mut slips = Vec::new();
        let id = parse(value.as_bytes(), record, &mut |slip| slips.push((slip.fault, slip.at, slip.len)));
        (id, slips)
    }

    fn print(id: &Id<'_>) -> String {
        let mut out = Vec::new();
        id.write(&mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn identifiers_of_the_source_are_read_and_printed() {
        for value in [
            "Cescacs-X01",
            "Cescacs-X01-en",
            "Cescacs-X01-V",
            "Cescacs-X01-V-II",
            "Cescacs-X01-V-ca",
            "Cescacs-X01-V-II-en",
            "Cescacs-X01-V-S:0:1:1-es",
            "Cescacs-A0001-24",
            "Cescacs-X01-V-V-S:1",
        ] {
            let (id, slips) = read(value, RecordKind::Id);
            assert_eq!((id.map(|id| print(&id)).as_deref(), slips), (Some(value), vec![]));
        }
        for value in [
            "Cescacs-A0001-91",
            "Pub-12-O8",
            "Pub-12-O8w",
            "Pub-012-C9-14",
            "Pub-12-M9b-14w-V-ca",
            "Pub-12-C?-12",
            "Pub-12-E?b-12",
            "Pub-A7-3-E40b-en",
        ] {
            let (id, slips) = read(value, Game);
            assert_eq!((id.map(|id| print(&id)).as_deref(), slips), (Some(value), vec![]));
        }
    }

    #[test]
    fn the_parts_are_told_apart() {
        let id = Id {
            publisher: "Pub",
            unique: Unique::Annotator("7", "3"),
            fragment: Some(Fragment {
                stretch: Stretch::Middlegame,
                first: None,
                is_black_first: true,
                last: Some(14),
                is_white_last: true,
            }),
            has_variations: true,
            version: Some(4),
            sequence: Some("0:2"),
            language: Some("gsw"),
        };
        assert_eq!(read("Pub-A7-3-M?b-14w-V-IV-S:0:2-gsw", Game), (Some(id), vec![]));
    }

    #[test]
    fn a_line_has_the_record_and_the_main_line_that_it_belongs_to() {
        for (value, record, of_all, of_main) in [
            ("Pub-X01-V-II-S:0:1-ca", RecordKind::Id, "Pub-X01-V-II-ca", "Pub-X01-ca"),
            ("Pub-X01‐V‐S:2", RecordKind::Id, "Pub-X01‐V", "Pub-X01"),
            ("Pub-12-O8-V", Game, "Pub-12-O8-V", "Pub-12-O8"),
            ("Pub-12-en", Game, "Pub-12-en", "Pub-12-en"),
        ] {
            let id = read(value, record).0.expect("it can be read");
            assert_eq!((id.of_all_lines(value).as_str(), id.of_main_line(value).as_str()), (of_all, of_main));
        }
    }

    #[test]
    fn a_fragment_may_become_another_or_the_whole() {
        let value = "Pub-A7-3-O12w-V-II-S:1-en";
        let id = read(value, Game).0.expect("it can be read");
        let other = Fragment::parse("C5-20w");
        assert_eq!(id.with_fragment(value, other.as_ref()), "Pub-A7-3-C5-20w-V-II-S:1-en");
        assert_eq!(id.with_fragment(value, None), "Pub-A7-3-V-II-S:1-en");
    }

    #[test]
    fn versions_and_fragments_have_their_base_in_common() {
        for (value, record, base) in [
            ("Pub-X01-V-II-ca", RecordKind::Id, "Pub-X01"),
            ("Públic‐A7‐31‐V‐S:1", RecordKind::Id, "Públic‐A7‐31"),
            ("Pub-Zug-01-ca", RecordKind::Id, "Pub-Zug-01"),
            ("Pub-12-C?-14w-V", Game, "Pub-12"),
            ("Pub-A7-3-E40b", Game, "Pub-A7-3"),
            ("Pub-12", Game, "Pub-12"),
        ] {
            let id = read(value, record).0.expect("it can be read");
            assert_eq!(&value[..id.base_len(value)], base);
        }
    }

    #[test]
    fn faults_have_their_place() {
        for (value, slip) in [
            ("", (F::Empty, 0, 0)),
            ("Pub X01-V", (F::Character, 3, 1)),
            ("Pub", (F::Rest, 3, 0)),
            ("-X01", (F::Part, 0, 1)),
            ("Pub--X01", (F::Part, 4, 1)),
            ("Pub-X01-", (F::Part, 8, 0)),
            ("P?b-X01", (F::Character, 1, 1)),
            ("Pub-A-24", (F::Annotator, 5, 0)),
            ("Pub-A1x-24", (F::Annotator, 6, 1)),
            ("Pub-A0001-ca", (F::Unique, 9, 0)),
            ("Pub-X01-V-foo7", (F::Suffix, 10, 4)),
            ("Pub-X01-ca-V", (F::SuffixOrder, 11, 1)),
            ("Pub-X01-V-S:1-II", (F::SuffixOrder, 14, 2)),
            ("Pub-X01-II-V", (F::SuffixOrder, 11, 1)),
            ("Pub-X01-ca-en", (F::SuffixTwice, 11, 2)),
            ("Pub-X01-II", (F::VersionAlone, 8, 2)),
            ("Pub-X01-V-IIII", (F::VersionRoman, 10, 4)),
            ("Pub-X01-V-I", (F::VersionFirst, 10, 1)),
            ("Pub-X01-S:1", (F::SequenceAlone, 8, 3)),
            ("Pub-X01-V-S", (F::SequenceSyntax, 11, 0)),
            ("Pub-X01-V-S:1:", (F::SequenceSyntax, 14, 0)),
            ("Pub-X01-V-S:1x:2", (F::SequenceSyntax, 13, 1)),
            ("Pub-X01-V-S:01", (F::SequenceSyntax, 12, 2)),
            ("Pub-X01-V-1:2", (F::SequenceSyntax, 10, 3)),
            ("Pub-X01-V-S:0:0", (F::SequenceZeros, 10, 5)),
            ("Pub-X01-xx", (F::Language, 8, 2)),
            ("Pub-X01-V-cat", (F::Language, 10, 3)),
            ("Pub-X01-ca-xx", (F::SuffixTwice, 11, 2)),
        ] {
            assert_eq!(read(value, RecordKind::Id), (None, vec![slip]), "{value}");
        }
        for (value, slip) in [
            ("Pub-X01", (F::Number, 4, 3)),
            ("Pub-12a", (F::Number, 6, 1)),
            ("Pub-1-X5", (F::FragmentKind, 6, 2)),
            ("Pub-1-C-12", (F::FragmentNumber, 7, 0)),
            ("Pub-1-O?", (F::FragmentSyntax, 7, 1)),
            ("Pub-1-C5x-7", (F::FragmentSyntax, 8, 1)),
            ("Pub-1-C5-7b", (F::FragmentSyntax, 10, 1)),
            ("Pub-1-O0", (F::FragmentZero, 7, 1)),
            ("Pub-1-C05-7", (F::FragmentZero, 7, 2)),
            ("Pub-1-C5", (F::FragmentLast, 8, 0)),
            ("Pub-1-E?-ca", (F::FragmentLast, 8, 0)),
            ("Pub-1-E40-60", (F::FragmentSurplus, 10, 2)),
            ("Pub-1-O4-9", (F::FragmentSurplus, 9, 1)),
            ("Pub-1-C7-6", (F::FragmentOrder, 9, 1)),
            ("Pub-1-C7b-7w", (F::FragmentOrder, 10, 2)),
        ] {
            assert_eq!(read(value, Game), (None, vec![slip]), "{value}");
        }
    }

    #[test]
    fn parts_are_found_whatever_the_rest_is() {
        for (value, publisher, annotator, language) in [
            ("Pub-X01-V-ca", Some("Pub"), None, Some("ca")),
            ("Pub‐A0001‐24‐V‐II‐gsw", Some("Pub"), Some("0001"), Some("gsw")),
            ("Públic-A1x-24-en-V", Some("Públic"), Some("1x"), None),
            ("-A-ca", Some(""), Some(""), Some("ca")),
            ("Pub-ca", Some("Pub"), None, None),
            ("Pub-Abc-1-x9", Some("Pub"), None, None),
            ("Pub", None, None, None),
            ("", None, None, None),
        ] {
            let find = |part: IdPart| part.find(value.as_bytes()).map(|place| &value[place]);
            let found = (find(IdPart::Publisher), find(IdPart::Annotator), find(IdPart::Language));
            assert_eq!(found, (publisher, annotator, language), "{value}");
        }
        for (value, place) in [("Pub-12-O8-V-V", Some(10..11)), ("V-V", None), ("V-V‐V", Some(6..7)), ("Pub-X01", None)]
        {
            assert_eq!(IdPart::Variations.find(value.as_bytes()), place, "{value}");
        }
        assert_eq!(IdPart::Publisher.find(b"P\xE0-X01"), None);
        for (part, text, allowed) in [
            (IdPart::Publisher, "Públic7", true),
            (IdPart::Publisher, "P X", false),
            (IdPart::Publisher, "", false),
            (IdPart::Annotator, "0001", true),
            (IdPart::Annotator, "1x", false),
            (IdPart::Annotator, "", false),
            (IdPart::Language, "ca", true),
            (IdPart::Language, "cat", false),
        ] {
            assert_eq!(part.allows(text), allowed, "{text}");
        }
    }

    #[test]
    fn what_is_only_unusual_leaves_a_value() {
        for (value, slip) in [
            ("Pub-X01‐V", (F::Hyphens, 7, 3)),
            ("Públic-X01", (F::Letter, 1, 2)),
            ("Pub-Zug-01-ca", (F::Shape, 4, 6)),
            ("Pub-X01-07", (F::Shape, 4, 6)),
        ] {
            let (id, slips) = read(value, RecordKind::Id);
            assert_eq!((id.is_some(), slips), (true, vec![slip]), "{value}");
        }
    }

    #[test]
    fn roman_numerals_are_canonical() {
        for (text, number) in [("II", Some(2)), ("XLIX", Some(49)), ("MMMCMXCIX", Some(3999)), ("IC", None), ("", None)]
        {
            assert_eq!(read_roman(text).filter(|&number| number > 0), number, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_printed(
            record in "[A-Za-z0-9]{1,8}-([B-Z][0-9]{1,4}|A[0-9]{1,4}-[0-9]{1,3})",
            game in "[A-Z][a-z]{1,8}-(A[0-9]{1,4}-)?[0-9]{1,4}(-O[1-9]w?|-[CM]([1-9]|[?])b?-[1-9][0-9]w?|-E[1-9]b?)?",
            suffixes in "(-V(-(II|IX|XIV))?(-S:0:[1-9](:[0-9]){0,3})?)?(-(ca|en|gsw))?",
        ) {
            for (value, record) in [(record, RecordKind::Id), (game, Game)] {
                let value = value + &suffixes;
                let (id, slips) = read(&value, record);
                prop_assert_eq!(slips, vec![], "{}", value);
                prop_assert_eq!(id.map(|id| print(&id)), Some(value));
            }
        }

        #[test]
        fn no_text_makes_it_panic(value in "[A-Z]{0,3}[-‐A-Xa-c0-9:?é ]{0,30}") {
            for record in [RecordKind::Id, Game] {
                for (_, at, len) in read(&value, record).1 {
                    prop_assert!((at + len) as usize <= value.len());
                }
            }
        }
    }
}
