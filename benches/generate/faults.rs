//! Single faults, as people and programs make them, set into a finished record.

use super::random::Random;
use super::record::{Mark, What, Written};

/// Who can notice a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeenBy {
    /// Whoever reads the record's text and replays its plies.
    Reading,
    /// Rules about the values and the order of tags.
    TagRules,
    /// Rules about layout, comments and results.
    OtherRules,
    /// Who sees the whole file: line ends.
    File,
}

/// Where a fault strikes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spot {
    /// At a part of this kind.
    At(What),
    /// At a ply of either player.
    Ply,
    /// At a part of this kind in the main line, but not at the first one.
    Later(What),
    /// At the tag of this name.
    Tag(&'static str),
    /// At the `PDTL` of a record with plies.
    Start,
}

/// What becomes of the text there.
#[derive(Clone, Copy)]
enum Change {
    /// The first of these texts in it gives way to the other one.
    Swap(&'static str, &'static str),
    /// This text instead of it.
    Put(&'static str),
    /// This text, which need not be UTF-8, before it.
    Before(&'static [u8]),
    /// This text, which need not be UTF-8, behind it.
    Behind(&'static [u8]),
    /// What a function makes of it; nothing where it has no place.
    By(fn(&str) -> Option<String>),
    /// What a function makes of the whole record and the mark's number; nothing where it has no place.
    Whole(fn(&Written, usize) -> Option<Vec<u8>>),
}

/// One way to spoil a record.
pub struct Fault {
    /// What it is called.
    pub name: &'static str,
    /// Who can notice it.
    pub seen_by: SeenBy,
    spot: Spot,
    change: Change,
}

impl Fault {
    /// The record's text with this fault, nothing where the record has no place for it.
    pub fn strike(&self, record: &Written, random: &mut Random) -> Option<Vec<u8>> {
        let first = random.below(record.marks.len() as u32) as usize;
        (0..record.marks.len())
            .map(|index| (first + index) % record.marks.len())
            .filter(|&index| self.spot.is_at(record, index))
            .find_map(|index| self.change.at(record, index))
    }
}

impl Spot {
    fn is_at(self, record: &Written, index: usize) -> bool {
        let mark = record.marks[index];
        let is_first = || !record.marks[..index].iter().any(|other| other.what == mark.what && other.depth == 0);
        match self {
            Spot::At(what) => mark.what == what,
            Spot::Ply => matches!(mark.what, What::White | What::Black),
            Spot::Later(what) => mark.what == what && mark.depth == 0 && !is_first(),
            Spot::Tag(name) => {
                let tag = &record.text[mark.from..mark.to];
                mark.what == What::Tag && tag[1..].starts_with(name.as_bytes()) && tag[1 + name.len()] == b' '
            }
            Spot::Start => record.plies > 0 && Spot::Tag("PDTL").is_at(record, index),
        }
    }
}

impl Change {
    fn at(self, record: &Written, index: usize) -> Option<Vec<u8>> {
        let mark = record.marks[index];
        let old = std::str::from_utf8(&record.text[mark.from..mark.to]).ok()?;
        let new = match self {
            Change::Swap(from, to) => old.contains(from).then(|| old.replacen(from, to, 1).into_bytes())?,
            Change::Put(text) => text.as_bytes().to_vec(),
            Change::Before(text) => [text, old.as_bytes()].concat(),
            Change::Behind(text) => [old.as_bytes(), text].concat(),
            Change::By(change) => change(old)?.into_bytes(),
            Change::Whole(change) => return change(record, index),
        };
        Some(splice(record, mark.from, mark.to, &new))
    }
}

fn splice(record: &Written, from: usize, to: usize, new: &[u8]) -> Vec<u8> {
    [&record.text[..from], new, &record.text[to..]].concat()
}

const fn read(name: &'static str, spot: Spot, change: Change) -> Fault {
    Fault { name, seen_by: SeenBy::Reading, spot, change }
}

const fn ruled(name: &'static str, seen_by: SeenBy, spot: Spot, change: Change) -> Fault {
    Fault { name, seen_by, spot, change }
}

use Change::{Before, Behind, By, Put, Swap, Whole};
use Spot::{At, Later, Ply, Start, Tag};
use What::{Black, Close, Comma, Comment, Ellipsis, End, Number, Open, Result, White};

/// Every fault there is.
pub const FAULTS: &[Fault] = &[
    // Plies (§6, §11).
    read("x-for-times", Ply, Swap("×", "x")),
    read("cyrillic-x-for-times", Ply, Swap("×", "х")),
    read("en-dash", Ply, Swap("-", "–")),
    read("minus-sign", Ply, Swap("-", "−")),
    read("lower-case", Ply, By(lower_case)),
    read("written-pawn", Ply, By(|ply| is_pawn(ply).then(|| format!("P{ply}")))),
    read("unknown-piece", Ply, By(|ply| is_pawn(ply).then(|| format!("Y{ply}")))),
    read("other-piece", Ply, By(|ply| is_pawn(ply).then(|| format!("E{ply}")))),
    read("undeclared-letter", Ply, Swap("N", "S")),
    read("undeclared-figurine", Ply, Swap("E", "☖")),
    read("lookalike-letter", Ply, By(lookalike)),
    read("hex-off-the-board", Ply, By(|ply| change_line(ply, 1))),
    read("leading-zero-in-hex", Ply, By(leading_zero)),
    read("old-check", Ply, Swap("+^", "^+")),
    read("pgn-castling", Ply, Put("O-O")),
    read("castling-code", Ply, By(castling_code)),
    read("null-move", Ply, Put("--")),
    read("no-promotion", Ply, By(no_promotion)),
    read("false-promotion", Ply, By(false_promotion)),
    read("captured-not-named", Ply, By(captured_not_named)),
    read("capture-of-nothing", Ply, By(capture_of_nothing)),
    read("nothing-to-pass", Ply, By(|ply| capture_of_nothing(ply).map(|ply| ply.replacen('×', "@", 1)))),
    read("ply-of-the-other-player", At(Black), Whole(same_ply)),
    read("origin-twice", Ply, By(origin_twice)),
    read("zero-width-space", Ply, Swap("-", "\u{200B}-")),
    read("latin-1-in-ply", Ply, Behind(b"\xE9")),
    // Pairs and numbers (§7).
    read("missing-comma", At(Comma), Put(" ")),
    read("glued-comma", At(Comma), Put(",")),
    read("dot-for-comma", At(Comma), Put(". ")),
    read("semicolon-for-comma", At(Comma), Put("; ")),
    read("second-comma", At(Comma), Put(",, ")),
    read("no-break-space", At(Comma), Put(",\u{A0}")),
    read("pair-over-lines", At(Comma), Put(",\n")),
    read("comment-inside-pair", At(Comma), Put(", {between} ")),
    read("half-a-pair", At(Comma), Whole(half_a_pair)),
    read("glued-number", At(Number), Swap(". ", ".")),
    read("number-without-dot", Later(Number), Swap(". ", " ")),
    read("blank-before-dot", Later(Number), Swap(". ", " . ")),
    read("wrong-number", Later(Number), By(|number| change_number(number, |n| n + 7))),
    read("number-zero", Later(Number), By(|number| change_number(number, |_| 0))),
    read("number-too-large", Later(Number), By(|number| change_number(number, |_| 4_294_967_296))),
    read("unknown-number-later", Later(Number), Swap(". ", "? ")),
    read("pairs-on-one-line", Later(Number), Swap("\n", " ")),
    read("missing-pair", Later(Number), Whole(missing_pair)),
    read("pair-twice", Later(Number), Whole(|record, index| Some(pair_twice(record, index)))),
    read("ellipsis-later", Later(White), Put("…")),
    read("two-dots", At(Ellipsis), Put("..")),
    read("nul-run", Later(Number), Before(b"\0\0\0\0")),
    read("stray-bom", Later(Number), Before("\n\u{FEFF}".as_bytes())),
    read("stray-word", Later(Number), Before(b"\nnovelty")),
    // Valuations and ends (§6.9–6.12, §7.7).
    read("glued-valuation", Ply, Behind(b"?!")),
    read("two-valuations", Ply, Behind(b" ! ?")),
    read("unknown-sign", Ply, Behind(" ±".as_bytes())),
    read("nag", Ply, Behind(b" $6")),
    read("early-end-mark", Later(White), Behind(b":")),
    read("no-end-mark", At(End), Put("")),
    read("mate-and-end-mark", At(End), Put("#:")),
    read("no-result", At(Result), Put("")),
    read("second-result", At(Result), Behind(b"\n1-1")),
    read("pgn-result", At(Result), Put("\n1-0")),
    read("en-dash-in-result", At(Result), Swap("-", "–")),
    read("result-on-the-line-of-a-pair", At(Result), Swap("\n", " ")),
    read("pair-behind-result", At(Result), Behind(b"\n1. E7-E13, E21-E15")),
    ruled("other-result-than-tag", SeenBy::OtherRules, At(Result), By(|result| Some(other_result(result)))),
    // Variations (§8).
    read("unclosed-variation", At(Close), Put("")),
    read("lone-close", Later(Black), Behind(b")")),
    read("empty-variation", Later(Number), Before(b"\n()")),
    read("variation-number", At(Open), Whole(variation_number)),
    read("label-apart", At(Open), Swap("($[", "( $[")),
    read("result-in-variation", At(Close), Before(b" 3-0")),
    read("end-mark-in-variation", At(Close), By(|close| (close == ")").then(|| ":)".to_owned()))),
    // Comments (§9).
    read("unclosed-comment", At(Comment), Swap("}", "")),
    read("brace-inside-comment", At(Comment), Swap(" }", " { }")),
    read("lone-brace", At(Comment), Behind(b"\n}")),
    read("comment-on-the-line-of-a-pair", At(Comment), Swap("\n", " ")),
    read("text-behind-comment", At(Comment), Behind(b" indeed")),
    read("semicolon-comment", Later(Number), Before(b"\n; a better one is there")),
    read("percent-line", Later(Number), Before(b"\n% not for print")),
    read("latin-1-in-comment", At(Comment), Whole(|record, index| Some(latin_1_in_comment(record, index)))),
    // Tags (§3).
    read("tag-without-closing-quote", At(What::Tag), Swap("\"]", "]")),
    read("tag-without-bracket", At(What::Tag), Swap("\"]", "\"")),
    read("tag-without-blank", At(What::Tag), Swap(" \"", "\"")),
    read("tag-without-quotes", At(What::Tag), By(|tag| Some(tag.replace('"', "")))),
    read(
        "tag-name-in-lower-case",
        At(What::Tag),
        By(|tag| Some(tag.replacen(&tag[1..2], &tag[1..2].to_lowercase(), 1))),
    ),
    read("two-tags-on-a-line", Tag("Variant"), Behind(b" [Source \"?\"]")),
    read("quote-inside-value", At(What::Tag), Swap("\"]", "\"a\"]")),
    read("text-among-tags", Tag("Variant"), Behind(b"\nfrom the bulletin")),
    read("comment-among-tags", Tag("Variant"), Behind(b"\n{ from the bulletin }")),
    read(
        "no-initial-tag",
        Tag("Variant"),
        Whole(|record, index| Some(record.text[record.marks[index].to + 1..].to_vec())),
    ),
    read("typographic-apostrophe", Tag("Variant"), Swap("'", "’")),
    read("other-variant", Tag("Variant"), Swap("C'escacs", "Glinski")),
    read("latin-1-in-tag", Tag("Variant"), Behind(b"\n[Source \"Caf\xE9\"]")),
    read("escape-sequence-in-tag", Tag("Variant"), Behind(b"\n[Source \"\x1B[31m\"]")),
    read("ordinary-pgn", Tag("Variant"), Whole(|_, _| Some(ORDINARY_PGN.to_vec()))),
    read(
        "truncated",
        Later(White),
        Whole(|record, index| Some([&record.text[..record.marks[index].from], b"\n"].concat())),
    ),
    ruled("pgn-date", SeenBy::TagRules, Tag("Date"), By(|tag| Some(tag.replace('-', ".")))),
    ruled("tag-twice", SeenBy::TagRules, Tag("Date"), Behind(b"\n[Date \"????-??-??\"]")),
    ruled("tag-order", SeenBy::TagRules, Tag("Event"), Before(b"[Lang \"ca\"]\n")),
    ruled("misspelt-tag", SeenBy::TagRules, Tag("Event"), Swap("Event", "Evnet")),
    ruled("lower-case-country", SeenBy::TagRules, Tag("Site"), Swap("ESP", "esp")),
    read("hyphen-missing-in-id", Tag("Id"), Swap("-", "_")),
    // Redefine (§5) and PDTL (§10).
    read("redefine-to-no-alternative", Tag("Variant"), Behind(b"\n[Redefine \"H@E\"]")),
    read("redefine-with-semicolon", Tag("Redefine"), Swap(", ", "; ")),
    read("redefine-with-stray-quote", Tag("Redefine"), Swap(", ", "\", ")),
    read("redefine-lost", Tag("Redefine"), Whole(redefine_lost)),
    read("pdtl-misspelt", Tag("PDTL"), Swap("PDTL", "DPTL")),
    read("pdtl-line-too-wide", Tag("PDTL"), Swap(":", ":1")),
    read("pdtl-turn", Start, By(|tag| swap_either(tag, "/ w ", "/ b "))),
    read(
        "pdtl-turn-unreadable",
        Tag("PDTL"),
        By(|tag| tag.rfind("/ ").map(|at| format!("{}z{}", &tag[..at + 2], &tag[at + 3..]))),
    ),
    read("pdtl-without-last-field", Tag("PDTL"), By(|tag| Some(format!("{}\"]", &tag[..tag.rfind(' ')?])))),
    read("pdtl-two-blanks", Tag("PDTL"), Swap("/ ", "/  ")),
    read("pdtl-other-number", Start, By(pdtl_other_number)),
    // Layout and line ends.
    read("tab-in-movetext", Later(Number), Swap(". ", ".\t")),
    read("trailing-blank", At(Result), Behind(b" ")),
    ruled("crlf-once", SeenBy::File, Later(Number), Swap("\n", "\r\n")),
    ruled("lone-cr", SeenBy::File, Later(Number), Swap("\n", "\r")),
];

const ORDINARY_PGN: &[u8] = b"[Event \"Casual\"]\n[Site \"?\"]\n[Date \"1992.11.04\"]\n[Round \"1\"]\n[White \"A\"]\n\
    [Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n";

/// A column and its line come first: a pawn's ply, or an awaiting pawn's promotion.
fn is_pawn(ply: &str) -> bool {
    matches!(ply.as_bytes(), [column, digit, ..] if column.is_ascii_uppercase() && digit.is_ascii_digit())
}

fn has_hex(ply: &str) -> bool {
    ply.bytes().any(|byte| byte.is_ascii_digit())
}

fn lower_case(ply: &str) -> Option<String> {
    let at = ply.bytes().position(|byte| byte.is_ascii_uppercase())?;
    Some(format!("{}{}{}", &ply[..at], ply[at..=at].to_ascii_lowercase(), &ply[at + 1..]))
}

fn lookalike(ply: &str) -> Option<String> {
    [("K", "К"), ("E", "Е"), ("H", "Н"), ("A", "А")]
        .into_iter()
        .find(|(latin, _)| ply.contains(latin))
        .map(|(latin, other)| ply.replacen(latin, other, 1))
}

/// Where the digits of the first hex are.
fn line_of(ply: &str) -> Option<(usize, usize)> {
    let from = ply.bytes().position(|byte| byte.is_ascii_digit())?;
    let len = ply[from..].bytes().take_while(u8::is_ascii_digit).count();
    Some((from, from + len))
}

/// Lines of one column are all even or all odd (§2.1).
fn change_line(ply: &str, by: u32) -> Option<String> {
    let (from, to) = line_of(ply)?;
    let line: u32 = ply[from..to].parse().ok()?;
    Some(format!("{}{}{}", &ply[..from], line + by, &ply[to..]))
}

fn leading_zero(ply: &str) -> Option<String> {
    let (from, _) = line_of(ply)?;
    Some(format!("{}0{}", &ply[..from], &ply[from..]))
}

fn castling_code(ply: &str) -> Option<String> {
    let code = ply.find(['-', '‐']).filter(|_| !has_hex(ply))?;
    Some(format!("{}-HI0", &ply[..code]))
}

fn no_promotion(ply: &str) -> Option<String> {
    let at = ply.find('=').filter(|_| ply.contains(['-', '‐', '×', '*', '@']))?;
    Some(ply[..at].to_owned())
}

fn false_promotion(ply: &str) -> Option<String> {
    let end = ply.find(['+', '#', '^']).unwrap_or(ply.len());
    (has_hex(ply) && !ply.contains('=')).then(|| format!("{}=&{}", &ply[..end], &ply[end..]))
}

/// `EG5×NF8` to `EG5×F8`.
fn captured_not_named(ply: &str) -> Option<String> {
    let captured = ply.find(['×', '*'])? + ply[ply.find(['×', '*'])?..].chars().next()?.len_utf8();
    let named = ply[captured..].bytes().take_while(|byte| !byte.is_ascii_digit()).count() > 1;
    let letter = ply[captured..].chars().next()?.len_utf8();
    named.then(|| format!("{}{}", &ply[..captured], &ply[captured + letter..]))
}

fn capture_of_nothing(ply: &str) -> Option<String> {
    ply.contains(['-', '‐']).then(|| ply.replacen(['-', '‐'], "×", 1)).filter(|_| has_hex(ply))
}

/// `E7-E13` to `E7-E7`.
fn origin_twice(ply: &str) -> Option<String> {
    let (column, end) = line_of(ply).map(|(from, to)| (from - 1, to))?;
    let separator = ply[end..].chars().next().filter(|sign| matches!(sign, '-' | '‐'))?;
    Some(format!("{}{separator}{}", &ply[..end], &ply[column..end]))
}

fn swap_either(text: &str, one: &str, other: &str) -> Option<String> {
    let there = text.contains(one);
    (there || text.contains(other)).then(|| if there { text.replace(one, other) } else { text.replace(other, one) })
}

fn change_number(number: &str, change: fn(u64) -> u64) -> Option<String> {
    let (from, to) = line_of(number)?;
    Some(format!("{}{}{}", &number[..from], change(number[from..to].parse().ok()?), &number[to..]))
}

/// The PDTL's number, if it is known, becomes another one.
fn pdtl_other_number(tag: &str) -> Option<String> {
    let at = tag.rfind(' ')? + 1;
    change_number(&tag[at..], |number| number + 3).map(|number| format!("{}{number}", &tag[..at]))
}

fn other_result(result: &str) -> String {
    if result == "\n3-0" { "\n0-3" } else { "\n3-0" }.to_owned()
}

/// Black repeats White's ply, whose origin is empty by then.
fn same_ply(record: &Written, index: usize) -> Option<Vec<u8>> {
    let [.., white, _] = record.marks[..index] else { return None };
    let ply = std::str::from_utf8(&record.text[white.from..white.to]).ok()?;
    let mark = record.marks[index];
    (white.what == What::White && has_hex(ply)).then(|| splice(record, mark.from, mark.to, ply.as_bytes()))
}

fn latin_1_in_comment(record: &Written, index: usize) -> Vec<u8> {
    let brace = record.marks[index].to - 1;
    splice(record, brace, brace, b"\xE9")
}

/// Where the pair that begins at this number ends: at the next number, comment, parenthesis or result.
fn pair_end(record: &Written, index: usize) -> Mark {
    let ends = |mark: &&Mark| matches!(mark.what, Number | Comment | Open | Close | Result);
    record.marks[index + 1..].iter().find(ends).copied().unwrap_or(record.marks[index])
}

/// Black's ply is left out, and the line goes on with another pair.
fn half_a_pair(record: &Written, index: usize) -> Option<Vec<u8>> {
    let depth = record.marks[index].depth;
    let later = record.marks[index..].iter().take_while(|mark| mark.depth >= depth);
    let goes_on = later.into_iter().any(|mark| mark.what == Number && mark.depth == depth);
    let end = pair_end(record, index);
    (goes_on && depth == 0).then(|| splice(record, record.marks[index].from, end.from, b""))
}

/// A pair is left out, and another one follows.
fn missing_pair(record: &Written, index: usize) -> Option<Vec<u8>> {
    let end = pair_end(record, index);
    (end.what == Number && end.depth == 0).then(|| splice(record, record.marks[index].from, end.from, b""))
}

fn pair_twice(record: &Written, index: usize) -> Vec<u8> {
    let (from, end) = (record.marks[index].from, pair_end(record, index));
    splice(record, from, from, &record.text[from..end.from])
}

fn variation_number(record: &Written, index: usize) -> Option<Vec<u8>> {
    let mark = record.marks.get(index + 1).filter(|mark| mark.what == Number)?;
    let number = std::str::from_utf8(&record.text[mark.from..mark.to]).ok()?;
    let changed = change_number(number, |number| number + 1)?.replace('?', ".");
    Some(splice(record, mark.from, mark.to, changed.as_bytes()))
}

/// The `Redefine` tag goes, the letters stay: seen where a ply uses one of them.
fn redefine_lost(record: &Written, index: usize) -> Option<Vec<u8>> {
    let mark = record.marks[index];
    let value = std::str::from_utf8(&record.text[mark.from..mark.to]).ok()?;
    let figurines = value.contains("FAN");
    let used = record.marks.iter().filter(|mark| matches!(mark.what, White | Black)).any(|mark| {
        let ply = std::str::from_utf8(&record.text[mark.from..mark.to]).unwrap_or_default();
        if figurines { ply.starts_with(['☖', '♘', '♖']) } else { ply.starts_with('A') && !is_pawn(ply) }
    });
    used.then(|| splice(record, mark.from - 1, mark.to, b""))
}
