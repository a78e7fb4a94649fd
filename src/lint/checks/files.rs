//! Messages about files and bytes (§1).

use crate::lint::context::{Context, Message};
use crate::notation::lookalike;
use crate::syntax::fault::FileFault;
use crate::syntax::{Fault, Faults};

/// What there is to say of such a fault. Of a file as a whole, and of its line ends, `lint::run` speaks, of
/// records that are put together the filter.
pub fn message(kind: FileFault, fault: &Fault, context: &Context<'_>) -> Message {
    match kind {
        FileFault::NotUtf8 => not_utf8(context.bytes(fault.at, fault.end())),
        FileFault::Nul if fault.len == 1 => "a NUL byte stands here".into(),
        FileFault::Nul => format!("{} NUL bytes stand here", fault.len).into(),
        FileFault::Bom => "a byte order mark (U+FEFF): UTF-8 needs none".into(),
        FileFault::StrayBom => "a byte order mark (U+FEFF) where no file begins".into(),
        FileFault::OddBlank => odd_blank(char::from_u32(fault.seen).unwrap_or(char::REPLACEMENT_CHARACTER)),
        FileFault::RecordBehindResult => "a record begins behind a result: it starts a line of its own".into(),
        FileFault::OrdinaryPgn => {
            "no [Variant \"C'escacs\"], and moves as in ordinary PGN: this is no CTL-PGN, and not read".into()
        }
        FileFault::NoFinalNewline => "the file's last line has no line end".into(),
        FileFault::TrailingBlanks => {
            format!("{} at the line's end", blanks(context.bytes(fault.at, fault.end()))).into()
        }
        FileFault::Tab => "a tab (U+0009) among the moves: write a plain blank".into(),
        FileFault::NoEmptyLine => "no empty line before the next record: one parts them".into(),
        FileFault::EmptyLines => format!("{} empty lines before the next record: one parts them", fault.seen).into(),
        FileFault::TooMany => {
            format!("over {} things are wrong with this record: nothing more is said of it", Faults::MOST).into()
        }
        FileFault::TooManyLines => "this record has too many lines to write each by itself".into(),
        FileFault::NoSuchPart if fault.seen > 0 => {
            format!("this pair has no alternative {}: --linear asks for it", fault.seen).into()
        }
        FileFault::NoSuchPart => {
            "this record does not have what --linear or --fragment asks for; its last pair is here".into()
        }
        FileFault::Unreadable
        | FileFault::NotText
        | FileFault::Changed
        | FileFault::Damaged
        | FileFault::NoRecord
        | FileFault::RecordTooLong
        | FileFault::UnfitPart
        | FileFault::Json
        | FileFault::Internal
        | FileFault::MixedEnds
        | FileFault::LoneCr => kind.name().into(),
    }
}

fn blanks(bytes: &[u8]) -> String {
    let tabs = memchr::memchr_iter(b'\t', bytes).count();
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("a {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let parts = [counted(bytes.len() - tabs, "blank", "blanks"), counted(tabs, "tab", "tabs")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

fn not_utf8(bytes: &[u8]) -> Message {
    let shown: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02X}")).collect();
    match bytes {
        // What Latin-1 has there is a control character.
        [0xA0..=0xFF] => {
            format!("byte {} is not UTF-8; in Latin-1 it would be `{}`", shown[0], char::from(bytes[0])).into()
        }
        [_] => format!("byte {} is not UTF-8", shown[0]).into(),
        _ => format!("bytes {} are not UTF-8: a character breaks off", shown.join(" ")).into(),
    }
}

fn odd_blank(found: char) -> Message {
    let named = sign(found);
    if found.is_whitespace() {
        format!("{named}: write a plain blank").into()
    } else {
        format!("{named}, which nobody sees: leave it out").into()
    }
}

/// A character that a reader can't see, or takes for another, by its code point, and by its name or what it looks like.
pub fn sign(found: char) -> String {
    let code = u32::from(found);
    if let Some((_, name)) = NAMES.iter().find(|(named, _)| *named == found) {
        return format!("U+{code:04X} {name}");
    }
    match lookalike(found.encode_utf8(&mut [0; 4]).as_bytes()) {
        Some((latin, _)) => format!("U+{code:04X}, which looks like {}", char::from(latin)),
        None => format!("U+{code:04X}"),
    }
}

const NAMES: [(char, &str); 69] = [
    ('\t', "TAB"),
    ('\u{B}', "VERTICAL TAB"),
    ('\u{C}', "FORM FEED"),
    ('\u{1B}', "ESCAPE"),
    ('\u{7F}', "DELETE"),
    ('\u{85}', "NEXT LINE"),
    ('\u{A0}', "NO-BREAK SPACE"),
    ('\u{AD}', "SOFT HYPHEN"),
    ('\u{B4}', "ACUTE ACCENT"),
    ('\u{2B9}', "MODIFIER LETTER PRIME"),
    ('\u{2BC}', "MODIFIER LETTER APOSTROPHE"),
    ('\u{1680}', "OGHAM SPACE MARK"),
    ('\u{180E}', "MONGOLIAN VOWEL SEPARATOR"),
    ('\u{34F}', "COMBINING GRAPHEME JOINER"),
    ('\u{61C}', "ARABIC LETTER MARK"),
    ('\u{2000}', "EN QUAD"),
    ('\u{2001}', "EM QUAD"),
    ('\u{2002}', "EN SPACE"),
    ('\u{2003}', "EM SPACE"),
    ('\u{2004}', "THREE-PER-EM SPACE"),
    ('\u{2005}', "FOUR-PER-EM SPACE"),
    ('\u{2006}', "SIX-PER-EM SPACE"),
    ('\u{2007}', "FIGURE SPACE"),
    ('\u{2008}', "PUNCTUATION SPACE"),
    ('\u{2009}', "THIN SPACE"),
    ('\u{200A}', "HAIR SPACE"),
    ('\u{200B}', "ZERO WIDTH SPACE"),
    ('\u{200C}', "ZERO WIDTH NON-JOINER"),
    ('\u{200D}', "ZERO WIDTH JOINER"),
    ('\u{200E}', "LEFT-TO-RIGHT MARK"),
    ('\u{200F}', "RIGHT-TO-LEFT MARK"),
    ('\u{2010}', "HYPHEN"),
    ('\u{2011}', "NON-BREAKING HYPHEN"),
    ('\u{2012}', "FIGURE DASH"),
    ('\u{2013}', "EN DASH"),
    ('\u{2014}', "EM DASH"),
    ('\u{2018}', "LEFT SINGLE QUOTATION MARK"),
    ('\u{2019}', "RIGHT SINGLE QUOTATION MARK"),
    ('\u{201B}', "SINGLE HIGH-REVERSED-9 QUOTATION MARK"),
    ('\u{201C}', "LEFT DOUBLE QUOTATION MARK"),
    ('\u{201D}', "RIGHT DOUBLE QUOTATION MARK"),
    ('\u{201E}', "DOUBLE LOW-9 QUOTATION MARK"),
    ('\u{2028}', "LINE SEPARATOR"),
    ('\u{2029}', "PARAGRAPH SEPARATOR"),
    ('\u{202A}', "LEFT-TO-RIGHT EMBEDDING"),
    ('\u{202B}', "RIGHT-TO-LEFT EMBEDDING"),
    ('\u{202C}', "POP DIRECTIONAL FORMATTING"),
    ('\u{202D}', "LEFT-TO-RIGHT OVERRIDE"),
    ('\u{202E}', "RIGHT-TO-LEFT OVERRIDE"),
    ('\u{202F}', "NARROW NO-BREAK SPACE"),
    ('\u{2032}', "PRIME"),
    ('\u{205F}', "MEDIUM MATHEMATICAL SPACE"),
    ('\u{2060}', "WORD JOINER"),
    ('\u{2061}', "FUNCTION APPLICATION"),
    ('\u{2062}', "INVISIBLE TIMES"),
    ('\u{2063}', "INVISIBLE SEPARATOR"),
    ('\u{2064}', "INVISIBLE PLUS"),
    ('\u{2066}', "LEFT-TO-RIGHT ISOLATE"),
    ('\u{2067}', "RIGHT-TO-LEFT ISOLATE"),
    ('\u{2068}', "FIRST STRONG ISOLATE"),
    ('\u{2069}', "POP DIRECTIONAL ISOLATE"),
    ('\u{2212}', "MINUS SIGN"),
    ('\u{3000}', "IDEOGRAPHIC SPACE"),
    ('\u{FEFF}', "BYTE ORDER MARK"),
    ('\u{FF02}', "FULLWIDTH QUOTATION MARK"),
    ('\u{FF07}', "FULLWIDTH APOSTROPHE"),
    ('\u{FF0D}', "FULLWIDTH HYPHEN-MINUS"),
    ('\u{60}', "GRAVE ACCENT"),
    ('«', "LEFT-POINTING DOUBLE ANGLE QUOTATION MARK"),
];
