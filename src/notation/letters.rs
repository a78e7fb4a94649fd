//! The letters of the pieces: standard (§2.4), redefined (§5), figurines (§2.6).

use crate::game::{Kind, Piece, Side};

named! {
    /// What is wrong with the value of a `Redefine` tag (§5.1, §5.2).
    pub enum RedefineFault {
        /// Not `X@Y` separated by comma and blank, nor `FAN`.
        Syntax = "redefine-syntax",
        /// Y is no standard letter, or X none of its alternatives.
        Letter = "redefine-letter",
        /// X or Y stands there a second time.
        Twice = "redefine-twice",
    }
}

/// A fault within a word: what, and where in it, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slip<F> {
    /// What is wrong.
    pub fault: F,
    /// Bytes of the word before it.
    pub at: u32,
    /// Its length in bytes, 0 for what is missing.
    pub len: u32,
}

const STANDARD: [u8; 9] = *b"PEJNGRVDK";

/// The white figurines by [`Kind`], and the black ones (§2.6).
const FIGURINES: [[&str; 9]; 2] =
    [["♙", "☖", "♗", "♘", "🩐", "♖", "🩏", "♕", "♔"], ["♟", "☗", "♝", "♞", "🩓", "♜", "🩒", "♛", "♚"]];

/// The piece that a letter stands for when a `Redefine` tag says so (§2.5).
pub const fn alternative(letter: u8) -> Option<Kind> {
    match letter {
        b'A' | b'B' | b'F' | b'L' => Some(Kind::Bishop),
        b'C' | b'S' => Some(Kind::Knight),
        b'T' => Some(Kind::Rook),
        b'W' => Some(Kind::Wyvern),
        b'Q' => Some(Kind::Queen),
        _ => None,
    }
}

/// The piece of a standard letter (§2.4).
pub const fn standard(letter: u8) -> Option<Kind> {
    let mut number = 0;
    while number < 9 {
        if STANDARD[number as usize] == letter {
            return Kind::from_number(number);
        }
        number += 1;
    }
    None
}

/// The figurine at the start of `word`: its piece, and its length in bytes.
pub fn figurine(word: &[u8]) -> Option<(Piece, usize)> {
    if !matches!(word.first(), Some(0xE2 | 0xF0)) {
        return None;
    }
    [Side::White, Side::Black].into_iter().find_map(|side| {
        Kind::ALL.into_iter().find_map(|kind| {
            let sign = FIGURINES[side as usize][kind as usize];
            word.starts_with(sign.as_bytes()).then(|| (Piece::new(side, kind), sign.len()))
        })
    })
}

/// The figurine of a piece.
pub const fn figurine_of(piece: Piece) -> &'static str {
    FIGURINES[piece.side() as usize][piece.kind() as usize]
}

const VOID: u8 = u8::MAX;

/// Sets of letters by name: those of §2.4, those that languages are used to, figurines. Each with its `Redefine` tag's value.
const TRADITIONS: [(&str, &str); 8] = [
    ("standard", ""),
    ("ca", "A@J, C@N, T@R"),
    ("es", "A@J, C@N, T@R"),
    ("it", "A@J, C@N, T@R"),
    ("en", "B@J, W@V, Q@D"),
    ("de", "L@J, S@N, T@R, W@V"),
    ("fr", "F@J, C@N, T@R, W@V"),
    ("fan", "FAN"),
];

/// Which letter stands for which piece in one record.
#[derive(Clone, Copy, Debug)]
pub struct Letters {
    /// Number of the kind by capital letter, [`VOID`] where it is none.
    kinds: [u8; 26],
    /// The letter of each kind.
    by_kind: [u8; 9],
    figurines: bool,
    standard: bool,
    /// What a byte names in a well-written move: nothing under figurines; byte 0, which none has, the pawn.
    named: [Option<Kind>; 256],
}

/// All else follows from the letter of each kind.
impl PartialEq for Letters {
    fn eq(&self, other: &Letters) -> bool {
        self.by_kind == other.by_kind && self.figurines == other.figurines
    }
}

impl Eq for Letters {}

impl Letters {
    /// The letters of §2.4.
    pub const STANDARD: Letters = Letters::from_letters(STANDARD, false);
    /// Figurines (§2.6): moves show them instead of letters.
    pub const FIGURINES: Letters = Letters::from_letters(STANDARD, true);

    const fn from_letters(letters: [u8; 9], figurines: bool) -> Letters {
        let mut kinds = [VOID; 26];
        let mut standard = !figurines;
        let mut named = [None; 256];
        named[0] = Some(Kind::Pawn);
        let mut number = 0;
        while number < 9 {
            standard &= letters[number] == STANDARD[number];
            kinds[(letters[number] - b'A') as usize] = number as u8;
            if number > 0 && !figurines {
                named[letters[number] as usize] = Kind::from_number(number as u8);
            }
            number += 1;
        }
        Letters { kinds, by_kind: letters, figurines, standard, named }
    }

    /// The set of this name: `standard`, a language (`ca`, `es`, `it`, `en`, `de`, `fr`), or `fan` for figurines.
    pub fn tradition(name: &str) -> Option<Letters> {
        let (_, value) = TRADITIONS.into_iter().find(|(tradition, _)| *tradition == name)?;
        if value.is_empty() { Some(Letters::STANDARD) } else { Letters::parse(value.as_bytes()).ok() }
    }

    /// Reads the value of a `Redefine` tag.
    ///
    /// # Errors
    /// The first thing that is wrong, and where in the value.
    pub fn parse(value: &[u8]) -> Result<Letters, Slip<RedefineFault>> {
        if value == b"FAN" {
            return Ok(Letters::FIGURINES);
        }
        let slip = |fault, at: usize, len: usize| Slip { fault, at: at as u32, len: len as u32 };
        if value.starts_with(b"FAN") {
            return Err(slip(RedefineFault::Syntax, 3, 1));
        }
        let mut letters = STANDARD;
        let mut redefined: u32 = 0;
        let mut at = 0;
        loop {
            let &[new, b'@', old, ..] = &value[at..] else {
                let good = usize::from(value.get(at).is_some_and(u8::is_ascii_uppercase));
                let good = if good == 1 && value.get(at + 1) == Some(&b'@') { 2 } else { good };
                return Err(slip(RedefineFault::Syntax, at + good, usize::from(at + good < value.len())));
            };
            let Some(kind) = standard(old) else {
                return Err(slip(RedefineFault::Letter, at, 3));
            };
            if alternative(new) != Some(kind) {
                return Err(slip(
                    if letters.contains(&new) && redefined != 0 && alternative(new).is_some() {
                        RedefineFault::Twice
                    } else {
                        RedefineFault::Letter
                    },
                    at,
                    3,
                ));
            }
            if redefined >> kind as u32 & 1 == 1 {
                return Err(slip(RedefineFault::Twice, at, 3));
            }
            redefined |= 1 << kind as u32;
            letters[kind as usize] = new;
            at += 3;
            match &value[at..] {
                [] => return Ok(Letters::from_letters(letters, false)),
                [b',', b' ', ..] => at += 2,
                [b',', ..] => return Err(slip(RedefineFault::Syntax, at + 1, usize::from(at + 1 < value.len()))),
                _ => return Err(slip(RedefineFault::Syntax, at, 1)),
            }
        }
    }

    /// The value of the `Redefine` tag that declares these letters; nothing for the standard ones.
    pub fn redefine(&self) -> Option<String> {
        if self.figurines {
            return Some("FAN".to_owned());
        }
        let pairs: Vec<String> = (0..9)
            .filter(|&kind| self.by_kind[kind] != STANDARD[kind])
            .map(|kind| format!("{}@{}", char::from(self.by_kind[kind]), char::from(STANDARD[kind])))
            .collect();
        (!pairs.is_empty()).then(|| pairs.join(", "))
    }

    /// Whether they are those of §2.4.
    #[inline]
    pub const fn are_standard(&self) -> bool {
        self.standard
    }

    /// Whether moves show figurines.
    #[inline]
    pub const fn are_figurines(&self) -> bool {
        self.figurines
    }

    /// The piece that a byte names in a well-written move in letters; byte 0 names the pawn, which is not written.
    #[inline]
    pub(super) const fn named(&self, byte: u8) -> Option<Kind> {
        self.named[byte as usize]
    }

    /// The piece that a capital letter stands for. Under figurines: that of the standard letter.
    #[inline]
    pub fn kind(&self, letter: u8) -> Option<Kind> {
        let index = letter.wrapping_sub(b'A');
        if index < 26 { Kind::from_number(self.kinds[index as usize]) } else { None }
    }

    /// The capital letter of a piece.
    #[inline]
    pub const fn letter(&self, kind: Kind) -> u8 {
        self.by_kind[kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redefinitions_of_the_source_are_read_and_printed() {
        for value in ["A@J, C@N, T@R", "L@J, S@N, T@R, W@V", "B@J, W@V, Q@D", "FAN"] {
            let letters = Letters::parse(value.as_bytes()).expect(value);
            assert_eq!(letters.redefine().as_deref(), Some(value));
        }
        let letters = Letters::parse(b"Q@D, B@J").expect("order is free");
        assert_eq!(
            (letters.kind(b'Q'), letters.kind(b'D'), letters.kind(b'R')),
            (Some(Kind::Queen), None, Some(Kind::Rook))
        );
        assert_eq!(Letters::STANDARD.redefine(), None);
    }

    #[test]
    fn languages_have_their_letters() {
        for (name, value) in TRADITIONS {
            let letters = Letters::tradition(name).expect(name);
            assert_eq!(letters.redefine().unwrap_or_default(), value, "{name}");
        }
        assert_eq!(Letters::tradition("ca"), Letters::parse(b"T@R, A@J, C@N").ok(), "order is free");
        assert_ne!(Letters::tradition("standard"), Letters::tradition("fan"));
        assert_eq!((Letters::tradition("pt"), Letters::tradition("CA")), (None, None));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        use RedefineFault::{Letter, Syntax, Twice};
        for (value, fault, at, len) in [
            ("A@J, B@J", Twice, 5, 3),
            ("C@N, C@R", Twice, 5, 3),
            ("Z@J", Letter, 0, 3),
            ("J@B", Letter, 0, 3),
            ("J@J", Letter, 0, 3),
            ("E@E", Letter, 0, 3),
            ("A@J; T@R", Syntax, 3, 1),
            ("A@J,T@R", Syntax, 4, 1),
            ("A@J, ", Syntax, 5, 0),
            ("", Syntax, 0, 0),
            ("A", Syntax, 1, 0),
            ("A=J", Syntax, 1, 1),
            ("FAN, A@J", Syntax, 3, 1),
        ] {
            assert_eq!(Letters::parse(value.as_bytes()), Err(Slip { fault, at, len }), "{value}");
        }
    }

    #[test]
    fn figurines_are_known_by_piece() {
        assert_eq!(figurine("🩓H26".as_bytes()), Some((Piece::new(Side::Black, Kind::Pegasus), 4)));
        for side in [Side::White, Side::Black] {
            for kind in Kind::ALL {
                let piece = Piece::new(side, kind);
                assert_eq!(figurine(figurine_of(piece).as_bytes()).map(|f| f.0), Some(piece));
            }
        }
        assert_eq!(figurine("×".as_bytes()), None);
    }
}
