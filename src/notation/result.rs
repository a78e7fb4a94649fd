//! The result of a game (§3.25, §7.7).

use serde::Deserialize;

use super::other_dash;
use crate::game::Side;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum GameResult {
    /// `3-0`
    WhiteWins = 0,
    /// `2-1`: White stalemates Black.
    WhiteStalemates = 1,
    /// `1-1`
    Draw = 2,
    /// `1-2`: Black stalemates White.
    BlackStalemates = 3,
    /// `0-3`
    BlackWins = 4,
    /// `*`
    Unfinished = 5,
}

impl GameResult {
    /// All of them, in order.
    pub const ALL: [GameResult; 6] = [
        GameResult::WhiteWins,
        GameResult::WhiteStalemates,
        GameResult::Draw,
        GameResult::BlackStalemates,
        GameResult::BlackWins,
        GameResult::Unfinished,
    ];

    /// As the format writes it.
    pub const fn text(self) -> &'static str {
        ["3-0", "2-1", "1-1", "1-2", "0-3", "*"][self as usize]
    }

    /// What stalemate by `side` makes of the game (R4.4).
    pub const fn of_stalemate(side: Side) -> GameResult {
        match side {
            Side::White => GameResult::WhiteStalemates,
            Side::Black => GameResult::BlackStalemates,
        }
    }

    /// What mate by `side` makes of the game (§7.8).
    pub const fn of_mate(side: Side) -> GameResult {
        match side {
            Side::White => GameResult::WhiteWins,
            Side::Black => GameResult::BlackWins,
        }
    }
}

/// How a result is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultSpelling {
    /// As the format wants it.
    Good,
    /// With `‐` (U+2010) for the hyphen.
    Hyphen,
    /// With another dash for the hyphen.
    Dash,
    /// With blanks around the hyphen.
    Blanks,
    /// PGN's `1-0`, `0-1`, `1/2-1/2`.
    Pgn,
}

/// A result as it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadResult {
    /// What it means; for PGN's spellings, what they would mean.
    pub result: GameResult,
    /// Its length in bytes.
    pub len: usize,
    /// How it is written.
    pub spelling: ResultSpelling,
    /// Where the spelling departs, in bytes from its start.
    pub at: usize,
}

/// What can be wrong with the value of a `Result` tag (§3.25).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultFault {
    /// It is no result.
    Unreadable,
    /// It is one of PGN.
    Pgn,
    /// It has blanks, or another dash than a hyphen.
    Spelling,
    /// It has `‐` (U+2010) for the hyphen.
    Hyphen,
}

impl ResultFault {
    /// What is wrong with a value; of several faults the worst.
    pub fn of(value: &[u8]) -> Option<ResultFault> {
        let trimmed = value.trim_ascii();
        let Some(read) = read_result(trimmed).filter(|read| read.len == trimmed.len()) else {
            return Some(ResultFault::Unreadable);
        };
        let has_blanks = value.iter().any(u8::is_ascii_whitespace);
        match read.spelling {
            ResultSpelling::Pgn => Some(ResultFault::Pgn),
            ResultSpelling::Blanks | ResultSpelling::Dash => Some(ResultFault::Spelling),
            _ if has_blanks => Some(ResultFault::Spelling),
            ResultSpelling::Hyphen => Some(ResultFault::Hyphen),
            ResultSpelling::Good => None,
        }
    }
}

/// Reads the result at the start of `text`, if one stands there and no letter or digit follows it.
pub fn read_result(text: &[u8]) -> Option<ReadResult> {
    let ends =
        |len: usize| !text.get(len).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/'));
    if text.first() == Some(&b'*') {
        let read = ReadResult { result: GameResult::Unfinished, len: 1, spelling: ResultSpelling::Good, at: 0 };
        return ends(1).then_some(read);
    }
    if text.starts_with(b"1/2-1/2") {
        let read = ReadResult { result: GameResult::Draw, len: 7, spelling: ResultSpelling::Pgn, at: 0 };
        return ends(7).then_some(read);
    }
    let first = *text.first()?;
    let blanks = |from: usize| text[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let before = blanks(1);
    let sign = 1 + before;
    let (sign_len, signed) = match &text[sign..] {
        [b'-', ..] => (1, ResultSpelling::Good),
        rest if rest.starts_with("‐".as_bytes()) => (3, ResultSpelling::Hyphen),
        rest => (other_dash(rest)?, ResultSpelling::Dash),
    };
    let behind = blanks(sign + sign_len);
    let second = sign + sign_len + behind;
    let spelling = if signed == ResultSpelling::Good && before + behind > 0 { ResultSpelling::Blanks } else { signed };
    let (result, spelling) = match (first, *text.get(second)?) {
        (b'3', b'0') => (GameResult::WhiteWins, spelling),
        (b'2', b'1') => (GameResult::WhiteStalemates, spelling),
        (b'1', b'1') => (GameResult::Draw, spelling),
        (b'1', b'2') => (GameResult::BlackStalemates, spelling),
        (b'0', b'3') => (GameResult::BlackWins, spelling),
        (b'1', b'0') => (GameResult::WhiteWins, ResultSpelling::Pgn),
        (b'0', b'1') => (GameResult::BlackWins, ResultSpelling::Pgn),
        _ => return None,
    };
    let at = match spelling {
        ResultSpelling::Good | ResultSpelling::Pgn => 0,
        ResultSpelling::Blanks if before == 0 => sign + 1,
        ResultSpelling::Blanks => 1,
        ResultSpelling::Hyphen | ResultSpelling::Dash => sign,
    };
    ends(second + 1).then_some(ReadResult { result, len: second + 1, spelling, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_as_they_are_printed() {
        for result in GameResult::ALL {
            let text = result.text();
            let read = ReadResult { result, len: text.len(), spelling: ResultSpelling::Good, at: 0 };
            assert_eq!(read_result(text.as_bytes()), Some(read), "{text}");
        }
    }

    #[test]
    fn a_tag_has_one_fault() {
        use ResultFault::{Hyphen, Pgn, Spelling, Unreadable};
        for (value, fault) in [
            ("1-1", None),
            ("*", None),
            ("1‐1", Some(Hyphen)),
            ("1 ‐ 1", Some(Spelling)),
            ("1- 1", Some(Spelling)),
            (" 1-1", Some(Spelling)),
            ("1–1", Some(Spelling)),
            ("1 - 0", Some(Pgn)),
            ("1/2-1/2", Some(Pgn)),
            ("3-1", Some(Unreadable)),
            ("1-1 1-1", Some(Unreadable)),
        ] {
            assert_eq!(ResultFault::of(value.as_bytes()), fault, "{value}");
        }
    }

    #[test]
    fn other_spellings_are_known() {
        use ResultSpelling::{Blanks, Dash, Good, Hyphen, Pgn};
        for (text, result, len, spelling, at) in [
            ("0–3", GameResult::BlackWins, 5, Dash, 1),
            ("0‐3", GameResult::BlackWins, 5, Hyphen, 1),
            ("0 - 3", GameResult::BlackWins, 5, Blanks, 1),
            ("0- 3", GameResult::BlackWins, 4, Blanks, 2),
            ("1-0", GameResult::WhiteWins, 3, Pgn, 0),
            ("1/2-1/2", GameResult::Draw, 7, Pgn, 0),
            ("3-0[Variant", GameResult::WhiteWins, 3, Good, 0),
        ] {
            assert_eq!(read_result(text.as_bytes()), Some(ReadResult { result, len, spelling, at }), "{text}");
        }
        for text in ["", "3", "3-", "3-00", "4-0", "0-0", "*x", "12-1", "E7-E13", "1-1-1"] {
            assert_eq!(read_result(text.as_bytes()), None, "{text}");
        }
    }
}
