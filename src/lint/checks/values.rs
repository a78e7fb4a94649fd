//! What pages ask of the value of a tag (§3.20–3.37).

use super::files::sign;
use super::record::{EDITS, may_be_near, name};
use crate::lint::catalogue::{Beside, Check, Flaw};
use crate::lint::context::{Context, Message, quote};
use crate::lint::judge::Sink;
use crate::notation::{Date, DateFault, LanguageCode, NoSuch, ResultFault, read_date};
use crate::syntax::{Record, Tag, TagName};

/// Does what a page asks of a tag, whose [`sound`] value is given.
pub fn judge(check: &Check, tag: &Tag, value: Option<&str>, context: &Context<'_>, sink: &mut Sink<'_>) {
    let Some(value) = value else {
        if let Check::EmptyValue { says, .. } = check
            && is_blank(tag.value(context.record.text))
            && is_quoted(tag, context.record)
        {
            at_value(sink, tag, format!("{} is empty: {says}", name(context, tag)));
        }
        return;
    };
    let is = || format!("{} is {}", name(context, tag), quote(value.as_bytes()));
    let told = match check {
        Check::TagValue { pattern, expected, .. } => {
            (!pattern.matches(value.as_bytes())).then(|| format!("{}, expected: {expected}", is()))
        }
        Check::TagFlaw { with, flaws, .. } => {
            let is_judged = with.as_ref().is_none_or(|with| value.contains(with.as_str()));
            let flaw = is_judged.then(|| flaw(value, flaws)).flatten();
            flaw.map(|flaw| format!("{}: {}", is(), flaw.says))
        }
        Check::TagWord { words, .. } => {
            (!words.iter().any(|word| word == value)).then(|| format!("{}, expected: {}", is(), one_of(words, value)))
        }
        Check::Date { of, .. } => date(value, of).map(|why| format!("{}{why}", is())),
        Check::ResultTag { of } => result(value, of).map(|expected| format!("{}, expected: {expected}", is())),
        Check::Country { .. } => country(value).map(|why| format!("{} ends in {why}", name(context, tag))),
        Check::Language { .. } => language(value).map(|expected| format!("{}, expected: {expected}", is())),
        _ => None,
    };
    match (told, check) {
        (Some(text), Check::TagFlaw { .. } | Check::Country { .. }) => at_value(sink, tag, text),
        (Some(text), _) => at_value(sink, tag, with_odd_sign(text, value)),
        (None, _) => {}
    }
}

fn at_value(sink: &mut Sink<'_>, tag: &Tag, message: impl Into<Message>) {
    sink.report(tag.value_at, tag.value_at + tag.value_len, message);
}

fn is_blank(value: &[u8]) -> bool {
    value.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Whether the value stands between quotes: another one is a fault of its own (§3.2).
fn is_quoted(tag: &Tag, record: &Record<'_>) -> bool {
    let (at, end) = (tag.value_at as usize, (tag.value_at + tag.value_len) as usize);
    at.checked_sub(1).and_then(|before| record.text.get(before)) == Some(&b'"') && record.text.get(end) == Some(&b'"')
}

/// The value, if it is one, and nothing is wrong with it as text, which other rules tell (§1.2, §3.2).
pub fn sound(value: &[u8]) -> Option<&str> {
    let is_odd = |byte: u8| matches!(byte, ..b' ' | b'"' | b'\\' | 0x7F);
    // Not lazily: most values have none, and all at once is quicker.
    if value.iter().fold(false, |odd, byte| odd | is_odd(*byte)) || is_blank(value) {
        return None;
    }
    let text = std::str::from_utf8(value).ok()?;
    (text.is_ascii() || !text.contains(char::is_control)).then_some(text)
}

/// Names the first character of a value that can be taken for another. Letters with marks can't, and `‐` in the place of
/// `-` is right in most values, and told where it is not.
fn with_odd_sign(text: String, value: &str) -> Message {
    let is_plain = |sign: char| sign.is_ascii() || ('\u{C0}'..='\u{24F}').contains(&sign);
    let odd = value.chars().find(|found| !is_plain(*found) && (*found != '‐' || value == "‐"));
    let message = Message::from(text);
    match odd {
        Some(found) => message.note(format!("`{found}` in it is {}", sign(found))),
        None => message,
    }
}

fn flaw<'f>(value: &str, flaws: &'f [Flaw]) -> Option<&'f Flaw> {
    flaws.iter().find(|flaw| flaw.pattern.matches(value.as_bytes()))
}

/// `` `OTB`, `ICS` or `TC` ``, and which of them is meant.
fn one_of(words: &[String], value: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let list = match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    };
    match meant(value, words) {
        Some(word) => format!("{list}; `{word}` is meant?"),
        None => list,
    }
}

/// The one word that is nearest to a value, in any case.
fn meant<'w>(value: &str, words: &'w [String]) -> Option<&'w str> {
    let is_short = words.iter().any(|word| value.len() <= word.len() + EDITS);
    let value = if is_short { value.to_lowercase() } else { return None };
    let mut near: Vec<(usize, &str)> = words
        .iter()
        .map(|word| (word.to_lowercase(), word.as_str()))
        .filter(|(lower, _)| may_be_near(&value, lower))
        .map(|(lower, word)| (strsim::osa_distance(&value, &lower), word))
        .filter(|(edits, word)| *edits <= EDITS && *edits < word.len())
        .collect();
    near.sort_unstable();
    match near.as_slice() {
        [(edits, _), (others, _), ..] if edits == others => None,
        near => near.first().map(|(_, word)| *word),
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// What is wrong with a date, if that is to be told: what follows the value in the message.
fn date(value: &str, of: &[DateFault]) -> Option<String> {
    let wanted = |fault| of.contains(&fault);
    let Some(read) = read_date(value.as_bytes()) else {
        let expected = ", expected: year, month and day as in `2024-01-05`, `?` for each unknown digit";
        return wanted(DateFault::Form).then(|| expected.to_owned());
    };
    let odd = read.odd_separator().filter(|_| wanted(DateFault::Separator));
    if let Some(separator) = odd {
        return Some(format!(" with {}, expected: hyphens, as in `{}`", quote(separator), read.date));
    }
    if read.mixes_hyphens() && wanted(DateFault::Hyphens) {
        return Some(" with both `-` (U+002D) and `‐` (U+2010), expected: one of them".to_owned());
    }
    let why = if wanted(DateFault::Calendar) { read.date.no_such() } else { None }?;
    Some(format!(": {}", no_such(why, &read.date)))
}

fn no_such(why: NoSuch, date: &Date) -> String {
    match why {
        NoSuch::Year => "there was no year 0".to_owned(),
        NoSuch::Month => format!("there is no month `{}`", date.month()),
        NoSuch::Day => format!("no month has a day `{}`", date.day()),
        NoSuch::DayOfMonth(month) => {
            let name = MONTHS.get(usize::from(month).wrapping_sub(1)).unwrap_or(&"the month");
            format!("{name} has no day `{}`", date.day())
        }
        NoSuch::LeapDay => format!("only leap years have a 29 February, and `{}` is none", date.year()),
    }
}

/// What was expected for a result, if its fault is to be told.
fn result(value: &str, of: &[ResultFault]) -> Option<&'static str> {
    let fault = ResultFault::of(value.as_bytes()).filter(|fault| of.contains(fault))?;
    Some(match fault {
        ResultFault::Unreadable => "3-0, 2-1, 1-1, 1-2, 0-3 or *",
        ResultFault::Pgn => "3-0, 2-1, 1-1, 1-2, 0-3 or *, not a result of PGN",
        ResultFault::Spelling => "two numbers with `-` and nothing else between, as in `1-1`",
        ResultFault::Hyphen => "the hyphen `-` (U+002D), not `‐` (U+2010)",
    })
}

/// What is wrong with the code of a country that a value ends in, if there is any.
fn country(value: &str) -> Option<String> {
    let code = value.rsplit(' ').next()?;
    let is_like_one = matches!(code.len(), 2 | 3) && code.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_like_one || rust_iso3166::from_alpha3(code).is_some() {
        return None;
    }
    let upper = code.to_ascii_uppercase();
    let meant = rust_iso3166::from_alpha3(&upper).or_else(|| rust_iso3166::from_alpha2(&upper));
    Some(match meant {
        Some(country) => format!("`{code}`, expected: the country's three capitals, `{}`", country.alpha3),
        None => format!("`{code}`, which is no country of ISO 3166-1 alpha-3: its codes are `ESP`, `DEU`, `CHE` …"),
    })
}

/// What was expected for the code of a language, if it is wrong.
fn language(value: &str) -> Option<String> {
    match LanguageCode::of(value) {
        LanguageCode::Right => return None,
        LanguageCode::Long(short) => return Some(format!("the code of two letters, `{short}`")),
        LanguageCode::Unknown => {}
    }
    let lower = value.to_lowercase();
    let alone = lower.split(['-', '_']).next().unwrap_or_default();
    match LanguageCode::of(alone) {
        LanguageCode::Right => Some(format!("`{alone}`")),
        LanguageCode::Long(short) => Some(format!("`{short}`")),
        LanguageCode::Unknown => Some(
            "two small letters of ISO 639-1 as `ca`, or three of ISO 639-3 where there are none of two, as `ast`"
                .to_owned(),
        ),
    }
}

/// Reports a tag that does not go with others, at the later one of two that disagree.
pub fn beside(asked: &Beside, context: &Context<'_>, sink: &mut Sink<'_>) {
    let record = context.record;
    let Some(tag) = record.tag(asked.tag) else { return };
    let Some(value) = sound(tag.value(record.text)) else { return };
    if asked.value.as_ref().is_some_and(|asking| !asking.matches(value.as_bytes())) {
        return;
    }
    let (is, says) = (format!("{} is {}", name(context, tag), quote(value.as_bytes())), &asked.says);
    let clashes = |other: &&Tag| asked.clash.as_ref().is_some_and(|clash| clash.matches(other.value(record.text)));
    let mut others = record.tags.iter().filter(|other| asked.beside.contains(&other.name)).peekable();
    if asked.needed && others.peek().is_none() {
        let names: Vec<&str> = asked.beside.iter().map(|name| name.name()).collect();
        at_value(sink, tag, format!("{is}, but there is no {}: {says}", names.join(" or ")));
    } else if let Some(other) = others.find(clashes) {
        let found = quote(other.value(record.text));
        let message = Message::from(format!("{is}, but {} is {found}: {says}", name(context, other)));
        let (earlier, later) = if tag.at < other.at { (tag, other) } else { (other, tag) };
        at_value(sink, later, message.related(earlier.at, earlier.end, "the other tag"));
    } else if let Some(same) = asked.unlike.and_then(|name| same_value(record, name, value)) {
        let message = Message::from(format!("{is}, as {} is: {says}", name(context, same)));
        at_value(sink, tag, message.related(same.at, same.end, "the other tag"));
    }
}

/// The first tag of this name, if it has this value, whichever hyphens it has.
fn same_value<'r>(record: &Record<'r>, name: TagName, value: &str) -> Option<&'r Tag> {
    let plain = |value: &str| value.replace('‐', "-");
    record
        .tag(name)
        .filter(|tag| std::str::from_utf8(tag.value(record.text)).is_ok_and(|other| plain(other) == plain(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_word_can_be_meant() {
        let words = ["OTB", "ICS", "TC", "EM", "BBS"].map(str::to_owned);
        for (value, word) in [
            ("otb", Some("OTB")),
            ("ISC", Some("ICS")),
            ("OTBX", Some("OTB")),
            ("E", Some("EM")),
            // As near to OTB as to TC.
            ("OTC", None),
            ("mail", None),
            ("über", None),
            ("", None),
        ] {
            assert_eq!(meant(value, &words), word, "{value}");
        }
        assert_eq!(meant(&"OTB".repeat(100_000), &words), None);
    }

    #[test]
    fn characters_that_look_like_others_are_named() {
        let notes = |value| with_odd_sign(String::new(), value).notes;
        assert_eq!(notes("2024–01–05"), ["`–` in it is U+2013 EN DASH"]);
        assert_eq!(notes("ОTB"), ["`О` in it is U+041E"]);
        assert_eq!(notes("‐"), ["`‐` in it is U+2010 HYPHEN"]);
        for plain in ["Moià", "2024‐02‐30"] {
            assert!(notes(plain).is_empty(), "{plain}");
        }
    }

    #[test]
    fn values_with_other_faults_are_left_to_these() {
        for value in [&b""[..], b" \t", b"Joan\xE0", b"a\x1B", b"a\"b", b"a\\b", "a\u{9B}".as_bytes()] {
            assert_eq!(sound(value), None, "{value:?}");
        }
        assert_eq!(sound("Moià ".as_bytes()), Some("Moià "));
    }
}
