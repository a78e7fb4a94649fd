//! References to pieces within comments (§9.8): `~J`, `~j[d]`, `~PE13`, and the plies that such a one begins,
//! `~gL5-H6+^`. They tell colours as a PDTL does (§2.4), in the record's letters or figurines (§5.3).

use super::hyphen;
use super::letters::Letters;
use super::pdtl::{PdtlFault, piece, push_piece};
use super::ply::quick_hex;
use crate::game::{Kind, Piece};

/// A piece's letter or figurine: where in the text, its length in bytes, and what it stands for.
type Sign = (usize, usize, Piece);

/// The pieces that are named behind a `~`, at most three: who moves, what is captured, what a pawn becomes.
#[derive(Default)]
struct Signs([Option<Sign>; 3]);

/// Appends a comment's text with other letters for the pieces in its references (§13.4). What is no well-formed
/// reference stays as it is, and so does all else.
pub fn reletter(text: &[u8], from: &Letters, to: &Letters, out: &mut Vec<u8>) {
    let mut done = 0;
    for tilde in memchr::memchr_iter(b'~', text) {
        let at = tilde + 1;
        for (offset, len, piece) in signs(&text[at..], from).0.into_iter().flatten() {
            out.extend_from_slice(&text[done..at + offset]);
            push_piece(piece, to, out);
            done = at + offset + len;
        }
    }
    out.extend_from_slice(&text[done..]);
}

/// The pieces of the reference that stands at the start of `text`, right behind its `~`; none where it names none or is
/// not well formed.
fn signs(text: &[u8], letters: &Letters) -> Signs {
    let Some((piece, len)) = sign(text, letters) else { return Signs::default() };
    let only = Signs([Some((0, len, piece)), None, None]);
    let rest = &text[len..];
    let good = match (quick_hex(rest), rest) {
        (Some((_, hex)), _) => {
            let at = len + hex;
            if let Some(others) = ply(&text[at..], letters) {
                let [captured, promoted] =
                    others.map(|sign| sign.map(|(offset, len, piece)| (at + offset, len, piece)));
                return Signs([Some((0, len, piece)), captured, promoted]);
            }
            ends(&text[at..])
        }
        (None, [b'[', b'd' | b'l' | b'c', b']', ..]) => piece.kind() == Kind::Bishop,
        (None, _) => rest.first() != Some(&b'[') && ends(rest),
    };
    if good { only } else { Signs::default() }
}

/// What is captured and what is promoted to in a ply, behind its first hex; nothing if none stands there.
fn ply(text: &[u8], letters: &Letters) -> Option<[Option<Sign>; 2]> {
    let (separator, captures) = match text {
        [b'@', b'@', ..] => (2, true),
        [b'@' | b'*', ..] => (1, true),
        _ if text.starts_with("×".as_bytes()) => ("×".len(), true),
        _ => (hyphen(text), false),
    };
    if separator == 0 {
        return None;
    }
    let mut at = separator;
    let mut captured = None;
    if captures
        && quick_hex(&text[at..]).is_none()
        && let Some((piece, len)) = sign(&text[at..], letters)
    {
        captured = Some((at, len, piece));
        at += len;
    }
    at += quick_hex(&text[at..])?.1;
    let mut promoted = None;
    if text[at..].first() == Some(&b'=')
        && let Some((piece, len)) = sign(&text[at + 1..], letters)
    {
        promoted = Some((at + 1, len, piece));
        at += 1 + len;
    }
    ends(&text[at..]).then_some([captured, promoted])
}

/// The piece's letter or figurine at the start of `text`, if it is in use.
fn sign(text: &[u8], letters: &Letters) -> Option<(Piece, usize)> {
    let (piece, len, fault) = piece(text, letters)?;
    matches!(fault, None | Some(PdtlFault::VariationSelector)).then_some((piece, len))
}

/// Whether no letter or digit stands at the start of `rest`.
fn ends(rest: &[u8]) -> bool {
    const LONGEST_CHARACTER: usize = 4;
    let mut chunks = rest[..rest.len().min(LONGEST_CHARACTER)].utf8_chunks();
    !chunks.next().and_then(|chunk| chunk.valid().chars().next()).is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn letters(redefine: &str) -> Letters {
        if redefine.is_empty() { Letters::STANDARD } else { Letters::parse(redefine.as_bytes()).expect(redefine) }
    }

    fn relettered(text: &str, from: &str, to: &str) -> String {
        let mut out = Vec::new();
        reletter(text.as_bytes(), &letters(from), &letters(to), &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    const ALL: &str = "A@J, C@N, T@R, W@V, Q@D";

    #[test]
    fn pieces_are_translated_in_both_colours() {
        for (text, standard) in [
            ("~A and ~a, ~T's ~q.", "~J and ~j, ~R's ~d."),
            ("~A[d] ~a[l] ~A[c]", "~J[d] ~j[l] ~J[c]"),
            ("(~AF6) ~tC25! ~PE13~cG23", "(~JF6) ~rC25! ~PE13~nG23"),
            ("~AA5 stands on A, ~A5 is a hex, ~T8 too, ~TT8 not", "~JA5 stands on A, ~A5 is a hex, ~T8 too, ~RT8 not"),
            ("~CC5, ~C5, ~C", "~NC5, ~C5, ~N"),
            ("@W: ~W, #14@B, $24, W A T", "@W: ~V, #14@B, $24, W A T"),
            ("més ~A: ~A", "més ~J: ~J"),
        ] {
            assert_eq!(relettered(text, ALL, ""), standard);
            assert_eq!(relettered(standard, "", ALL), text);
        }
    }

    #[test]
    fn a_ply_is_translated_as_one() {
        for (text, standard) in [
            ("~AF6-C15 ~gL5-H6+^", "~JF6-C15 ~gL5-H6+^"),
            ("~aF6‐C15, ~tI25×AF6+∞", "~jF6‐C15, ~rI25×JF6+∞"),
            ("~GH6×TI3 ~gH6*tI3# ~GH6×I3", "~GH6×RI3 ~gH6*rI3# ~GH6×I3"),
            ("~PA19-A21=Q ~pP9×TP7=T+", "~PA19-A21=D ~pP9×RP7=R+"),
            ("~PA19-A21=&", "~PA19-A21=&"),
            ("~PE13@F16 ~PF12@@TG9", "~PE13@F16 ~PF12@@RG9"),
            ("~TC3-C9, ~CC3×CC9", "~RC3-C9, ~NC3×NC9"),
        ] {
            assert_eq!(relettered(text, ALL, ""), standard);
            assert_eq!(relettered(standard, "", ALL), text);
        }
        assert_eq!(relettered("~AF6-xyz ~AF6×TF1, ~AF6-TF6", ALL, ""), "~JF6-xyz ~JF6×TF1, ~JF6-TF6");
        assert_eq!(relettered("~PE9-E11=Two ~TC3-C9=?", ALL, ""), "~PE9-E11=Two ~RC3-C9=?");
    }

    #[test]
    fn figurines_become_letters_and_back() {
        for (text, standard) in [
            ("~♗ ~♝[d] ~♟E21 ~🩓L5-H6+^", "~J ~j[d] ~pE21 ~gL5-H6+^"),
            ("~🩐H6×♜I3, ~♙A19-A21=♕", "~GH6×rI3, ~PA19-A21=D"),
        ] {
            assert_eq!(relettered(text, "FAN", ""), standard);
            assert_eq!(relettered(standard, "", "FAN"), text);
        }
        assert_eq!(relettered("~♗\u{FE0E}F6 ~♞\u{FE0F}", "FAN", ""), "~JF6 ~n");
    }

    #[test]
    fn what_is_no_well_formed_reference_stays() {
        for text in [
            "~Alba ~ A ~",
            "~AF13 ~AF06",
            "~AF6x ~Aé ~A5b",
            "~T[d] ~A[x] ~A[d",
            "~J ~N[l]",
            "A AF6-C15 ~af6",
            "~♗ ~JF6",
        ] {
            assert_eq!(relettered(text, ALL, ""), text);
        }
        for text in ["~J ~JF6 ~g", "♗F6"] {
            assert_eq!(relettered(text, "FAN", ""), text);
        }
        let mut out = Vec::new();
        reletter(b"\xFF ~A\xFF~T\xC3", &letters(ALL), &Letters::STANDARD, &mut out);
        assert_eq!(out, b"\xFF ~J\xFF~R\xC3");
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same(
            text in "([~]?[PEJNGRVDKpejngrvdkFABLCSTWQ♗♞]?[A-Z]?[0-9]{0,2}[-‐×*@=&+#é\\[\\]dlc ~]?){0,12}",
            redefine in prop::sample::select(vec![ALL, "FAN", "L@J, S@N", "F@J"]),
        ) {
            let there = relettered(&text, "", redefine);
            // What another alphabet would make of the text as it stands is no part of what is asked here.
            prop_assume!(relettered(&text, redefine, "") == text);
            prop_assert_eq!(relettered(&there, redefine, ""), text);
        }
    }
}
