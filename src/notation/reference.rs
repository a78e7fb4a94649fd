//! References within comments (§9.8): to hexes and pieces, `~F14`, `~J`, `~j[d]`, `~PE13`, and the plies that such a one
//! begins, `~gL5-H6+^`; to pairs, plies and labelled variations, `#14`, `#14@B`, `#14[#12.2]`; to players, `@W`. Pieces tell
//! colours as a PDTL does (§2.4), in the record's letters or figurines (§5.3).

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr3};

use super::letters::Letters;
use super::pdtl::{PdtlFault, piece, push_piece};
use super::ply::{quick_hex, read_ply};
use super::{begins_word, hyphen};
use crate::game::{Hex, Kind, Piece, Shape, Side};

/// What a reference names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reference {
    /// A piece on a hex: `~PE13`.
    PieceOn(Piece, Hex),
    /// A pair of the comment's own line, or a ply of it: `#14`, `#14@B`.
    Pair(u32),
    /// A labelled variation, `#14.1#12.2`, or a pair in it, `#16[#14.1#12.2]`: pairs and labels, the innermost first.
    Labelled(Option<u32>, Vec<(u32, u32)>),
    /// What is right wherever it stands: a hex, a kind of piece, a ply.
    Other,
    /// A piece's standard letter, where another letter or a figurine has taken its place (§5.3).
    OldLetter,
    /// Nothing that can be read.
    Malformed,
}

/// A reference, with its place: bytes of the comment before it, and its length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Bytes before it.
    pub at: usize,
    /// Its length in bytes.
    pub len: usize,
    /// What it names.
    pub reference: Reference,
}

/// The references of a comment's text. Without letters, those that name pieces can be anything. What programs write
/// between `[%` and `]` holds none.
pub fn references(text: &[u8], letters: Option<&Letters>) -> impl Iterator<Item = Found> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(step) = memchr3(b'~', b'#', b'@', &text[at..]) {
            if let Some(end) = program_end(text, at..at + step) {
                at = end;
                continue;
            }
            at += step;
            let rest = &text[at + 1..];
            let read = match text[at] {
                b'~' => of_board(rest, letters),
                _ if is_word_before(&text[..at]) => None,
                b'#' => of_pair(rest),
                _ => of_player(rest),
            };
            let start = at;
            at += 1;
            if let Some((reference, len)) = read {
                at += len;
                return Some(Found { at: start, len: len + 1, reference });
            }
        }
        None
    })
}

/// Where what a program wrote ends, if it begins in a stretch of the text.
fn program_end(text: &[u8], stretch: Range<usize>) -> Option<usize> {
    let mut brackets = memchr_iter(b'[', &text[stretch.clone()]).map(|at| stretch.start + at);
    let begin = brackets.find(|at| text.get(at + 1) == Some(&b'%'))?;
    Some(memchr(b']', &text[begin..]).map_or(text.len(), |len| begin + len))
}

/// The reference behind `~`, and its length; nothing where that is no more than a sign of the text.
fn of_board(rest: &[u8], letters: Option<&Letters>) -> Option<(Reference, usize)> {
    if ends(rest) && super::figurine(rest).is_none() {
        return None;
    }
    let word = word_len(rest);
    if let Some((_, len)) = quick_hex(rest) {
        return Some((if ends(&rest[len..]) { Reference::Other } else { Reference::Malformed }, word.max(len)));
    }
    let Some(letters) = letters else {
        // A piece's letter is always followed by a letter (§5.4).
        let is_hex = rest.get(1).is_some_and(u8::is_ascii_digit);
        return Some((if is_hex { Reference::Malformed } else { Reference::Other }, word));
    };
    if let Some(named) = named(rest, &|text| sign(text, letters)) {
        let reference = named.on.map_or(Reference::Other, |(piece, hex)| Reference::PieceOn(piece, hex));
        return Some((reference, named.len));
    }
    if let Some(len) = castling_len(rest, letters) {
        return Some((Reference::Other, len));
    }
    let is_old = named(rest, &|text| sign(text, &Letters::STANDARD)).is_some();
    let reference = if is_old && !letters.are_standard() { Reference::OldLetter } else { Reference::Malformed };
    Some((reference, word))
}

/// The length of the castling at the start of `text`.
fn castling_len(text: &[u8], letters: &Letters) -> Option<usize> {
    /// No castling is longer, in figurines neither.
    const LONGEST: usize = 24;
    let text = &text[..text.len().min(LONGEST)];
    let of_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-' || !byte.is_ascii();
    let word = &text[..text.iter().take_while(of_word).count()];
    let mut good = true;
    let read = read_ply(word, letters, Side::White, &mut |_| good = false);
    let castles = read.ply.is_some_and(|ply| matches!(ply.shape(), Shape::Castle(_)));
    (good && castles).then_some(read.len)
}

/// The reference behind `#`.
fn of_pair(rest: &[u8]) -> Option<(Reference, usize)> {
    digits(rest)?;
    let read = || {
        let (path, mut at) = path(rest, false);
        if !path.is_empty() {
            return Some((Reference::Labelled(None, path), at));
        }
        let (number, len) = number(rest)?;
        at = len;
        let mut within = Vec::new();
        if rest[at..].starts_with(b"[#") {
            let (path, len) = self::path(&rest[at + 1..], true);
            at += 1 + len;
            if path.is_empty() || rest.get(at) != Some(&b']') {
                return None;
            }
            at += 1;
            within = path;
        }
        match &rest[at..] {
            [b'@', b'W' | b'B', ..] => at += 2,
            [b'@' | b'[', next, ..] if next.is_ascii_alphanumeric() => return None,
            [b'.', next, ..] if next.is_ascii_digit() => return None,
            _ => {}
        }
        let reference =
            if within.is_empty() { Reference::Pair(number) } else { Reference::Labelled(Some(number), within) };
        Some((reference, at))
    };
    let read = read().filter(|(_, len)| ends(&rest[*len..]));
    Some(read.unwrap_or_else(|| (Reference::Malformed, word_len(rest))))
}

/// `14.1#12.2`, each with `#` before it if it begins `inside` brackets, and its length; nothing where there is none.
fn path(rest: &[u8], inside: bool) -> (Vec<(u32, u32)>, usize) {
    let (mut path, mut at) = (Vec::new(), 0);
    loop {
        let sign = usize::from(inside || !path.is_empty());
        let step = || {
            let digits = rest[at..].strip_prefix(&b"#"[..sign])?;
            let (pair, len) = number(digits)?;
            let (label, label_len) = self::digits(digits[len..].strip_prefix(b".")?)?;
            Some(((pair, label?), sign + len + 1 + label_len))
        };
        let Some((part, len)) = step() else { return (path, at) };
        path.push(part);
        at += len;
    }
}

/// The number of a pair at the start of `text`, and its length.
fn number(text: &[u8]) -> Option<(u32, usize)> {
    let (number, len) = digits(text)?;
    number.filter(|number| *number > 0).map(|number| (number, len))
}

/// Digits at the start of `text`, what they say if that is not too much, and how many they are.
fn digits(text: &[u8]) -> Option<(Option<u32>, usize)> {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = std::str::from_utf8(&text[..len]).ok()?.parse().ok();
    (len > 0).then_some((value, len))
}

/// The reference behind `@`: one in lower case is none.
fn of_player(rest: &[u8]) -> Option<(Reference, usize)> {
    let reference = match rest.first()? {
        b'W' | b'B' => Reference::Other,
        b'w' | b'b' => Reference::Malformed,
        _ => return None,
    };
    ends(&rest[1..]).then_some((reference, 1))
}

/// Whether a word ends at the end of `text`.
fn is_word_before(text: &[u8]) -> bool {
    text.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

/// The length of the letters, digits and signs of a reference at the start of `text`.
fn word_len(text: &[u8]) -> usize {
    let of_word = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"[]#.@".contains(byte);
    let len = text.iter().take_while(of_word).count();
    text[..len].iter().rposition(|byte| *byte != b'.').map_or(len, |last| last + 1)
}

/// A piece's letter or figurine: where in the text, its length in bytes, and what it stands for.
type Sign = (usize, usize, Piece);

/// Reads the piece's letter or figurine at the start of a text: the piece, and its length in bytes.
type ReadSign<'a> = dyn Fn(&[u8]) -> Option<(Piece, usize)> + 'a;

/// The pieces that are named behind a `~`, at most three: who moves, what is captured, what a pawn becomes.
#[derive(Default)]
struct Signs([Option<Sign>; 3]);

/// Appends a comment's text with other letters for the pieces in its references (§13.4): each letter takes the place of the
/// other one of its piece. So what is well formed only in the other letters is none here, and stays none, and the way
/// back gives the same text. What is no reference in either stays as it is, and so does all else.
pub fn reletter(text: &[u8], from: &Letters, to: &Letters, out: &mut Vec<u8>) {
    let mut done = 0;
    for tilde in memchr::memchr_iter(b'~', text) {
        let at = tilde + 1;
        out.extend_from_slice(&text[done..at]);
        done = at + push_exchanged(&text[at..], from, to, out);
    }
    out.extend_from_slice(&text[done..]);
}

/// Appends the reference at the start of `text`, right behind its `~`, up to the last piece that it names, each in the
/// other letters; gives the length of what that is written for.
fn push_exchanged(text: &[u8], from: &Letters, to: &Letters, out: &mut Vec<u8>) -> usize {
    let either = |text: &[u8]| sign(text, from).or_else(|| sign(text, to));
    if let Some(named) = named(text, &either) {
        let mut done = 0;
        for (offset, len, piece) in named.signs.0.into_iter().flatten() {
            out.extend_from_slice(&text[done..offset]);
            let letters = if sign(&text[offset..], from).is_some() { to } else { from };
            push_piece(piece, letters, out);
            done = offset + len;
        }
        return done;
    }
    let castling = |from, to| castling_len(text, from).map(|_| (from, to));
    let Some((from, to)) = castling(from, to).or_else(|| castling(to, from)) else { return 0 };
    // The queen's letter names a flank (§5.3).
    let kind = |letter: u8| from.kind(letter).filter(|_| letter != b'D');
    let prefix = &text[.."KRK".len()];
    out.extend(prefix.iter().map(|&letter| kind(letter).map_or(letter, |kind| to.letter(kind))));
    prefix.len()
}

/// A well-formed reference to a piece.
struct Named {
    signs: Signs,
    /// The piece and its hex, if they are all it says.
    on: Option<(Piece, Hex)>,
    /// Its length in bytes.
    len: usize,
}

/// The reference to a piece that stands at the start of `text`, right behind its `~`; `sign` reads a letter or figurine.
fn named(text: &[u8], sign: &ReadSign<'_>) -> Option<Named> {
    let (piece, len) = sign(text)?;
    let only = |on, end| Some(Named { signs: Signs([Some((0, len, piece)), None, None]), on, len: end });
    let rest = &text[len..];
    match (quick_hex(rest), rest) {
        (Some((hex, hex_len)), _) => {
            let at = len + hex_len;
            if let Some((others, ply_len)) = ply(&text[at..], sign) {
                let [captured, promoted] =
                    others.map(|sign| sign.map(|(offset, len, piece)| (at + offset, len, piece)));
                let signs = Signs([Some((0, len, piece)), captured, promoted]);
                return Some(Named { signs, on: None, len: at + ply_len });
            }
            only(Some((piece, hex)), at).filter(|_| ends(&text[at..]))
        }
        (None, [b'[', b'd' | b'l' | b'c', b']', ..]) if piece.kind() == Kind::Bishop => only(None, len + 3),
        (None, _) => only(None, len).filter(|_| rest.first() != Some(&b'[') && ends(rest)),
    }
}

/// What is captured and what is promoted to in a ply, behind its first hex, and where it ends; nothing if none stands
/// there.
fn ply(text: &[u8], sign: &ReadSign<'_>) -> Option<([Option<Sign>; 2], usize)> {
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
        && let Some((piece, len)) = sign(&text[at..])
    {
        captured = Some((at, len, piece));
        at += len;
    }
    at += quick_hex(&text[at..])?.1;
    let mut promoted = None;
    if text[at..].first() == Some(&b'=')
        && let Some((piece, len)) = sign(&text[at + 1..])
    {
        promoted = Some((at + 1, len, piece));
        at += 1 + len;
    }
    ends(&text[at..]).then_some(([captured, promoted], at))
}

/// The piece's letter or figurine at the start of `text`, if it is in use.
fn sign(text: &[u8], letters: &Letters) -> Option<(Piece, usize)> {
    let (piece, len, fault) = piece(text, letters)?;
    matches!(fault, None | Some(PdtlFault::VariationSelector)).then_some((piece, len))
}

/// Whether no letter or digit stands at the start of `rest`.
fn ends(rest: &[u8]) -> bool {
    !begins_word(rest)
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
    fn castlings_are_translated_but_for_the_flank() {
        for (text, standard) in [("~KTK-HIO, ~KTD-FG+∞.", "~KRK-HIO, ~KRD-FG+∞."), ("~KTT‐EEF ~KT8", "~KRR‐EEF ~KT8")]
        {
            assert_eq!(relettered(text, ALL, ""), standard);
            assert_eq!(relettered(standard, "", ALL), text);
            assert_eq!(relettered(standard, "", "FAN"), standard.replace("~KT8", "~♔T8"));
        }
    }

    #[test]
    fn what_is_no_well_formed_reference_stays_none() {
        for text in
            ["~Alba ~ A ~", "~AF13 ~AF06", "~AF6x ~Aé ~A5b", "~T[d] ~A[x] ~A[d", "~N[l]", "A AF6-C15 ~af6", "~♗"]
        {
            assert_eq!(relettered(text, ALL, ""), text);
        }
        assert_eq!(relettered("♗F6", "FAN", ""), "♗F6");
        for (text, from, to, other) in [
            ("~J ~JF6 ~rI3 ~G", ALL, "", "~A ~AF6 ~tI3 ~G"),
            ("~J ~jF6 ~g", "FAN", "", "~♗ ~♝F6 ~🩓"),
            ("~AF6×RI3 ~AF6×TI3 ~KTK-HIO", "", ALL, "~JF6×TI3 ~JF6×RI3 ~KRK-HIO"),
        ] {
            assert_eq!(relettered(text, from, to), other);
            assert_eq!(relettered(other, to, from), text);
        }
        let mut out = Vec::new();
        reletter(b"\xFF ~A\xFF~T\xC3", &letters(ALL), &Letters::STANDARD, &mut out);
        assert_eq!(out, b"\xFF ~J\xFF~R\xC3");
    }

    fn read(text: &str, redefine: &str) -> Vec<(usize, String, Reference)> {
        let letters = letters(redefine);
        let found = references(text.as_bytes(), Some(&letters))
            .map(|found| (found.at, text[found.at..found.at + found.len].to_owned(), found.reference));
        found.filter(|(.., reference)| *reference != Reference::Other).collect()
    }

    /// The only reference of a text that is no plain one.
    fn only(text: &str, redefine: &str) -> Option<(String, Reference)> {
        let mut all = read(text, redefine);
        assert!(all.len() < 2, "{all:?}");
        all.pop().map(|(_, text, reference)| (text, reference))
    }

    #[test]
    fn good_references_are_read() {
        for text in [
            "~F14 ~J ~j[d] ~K. ~gL5-H6+^, ~GH6×RI3 ~PA19-A21=D @W: @B $24",
            "~KRK-HIO: ~E7.",
            "a ~ b, a@b.c H6# e#1 [%eval #-3] [%csl ~Q9] #x @Anna",
        ] {
            assert_eq!(read(text, ""), vec![], "{text}");
        }
        let piece = |side, kind, name: &str| {
            Reference::PieceOn(Piece::new(side, kind), Hex::all().find(|hex| hex.to_string() == name).unwrap())
        };
        assert_eq!(only("(~pE13)", ""), Some(("~pE13".into(), piece(Side::Black, Kind::Pawn, "E13"))));
        assert_eq!(only("~TC3-x", "T@R"), Some(("~TC3".into(), piece(Side::White, Kind::Rook, "C3"))));
        assert_eq!(only("~♝F6", "FAN"), Some(("~♝F6".into(), piece(Side::Black, Kind::Bishop, "F6"))));
        assert_eq!(only("see #14.", ""), Some(("#14".into(), Reference::Pair(14))));
        assert_eq!(only("#14@B,", ""), Some(("#14@B".into(), Reference::Pair(14))));
        assert_eq!(only("#12.2.", ""), Some(("#12.2".into(), Reference::Labelled(None, vec![(12, 2)]))));
        let deep = Reference::Labelled(Some(16), vec![(14, 1), (12, 2)]);
        assert_eq!(only("#16[#14.1#12.2]@W", ""), Some(("#16[#14.1#12.2]@W".into(), deep)));
    }

    #[test]
    fn others_are_malformed() {
        for text in [
            "~A6",
            "~Q",
            "~F14x",
            "~e7",
            "~F06",
            "~N[l]",
            "~J[x]",
            "~Kx",
            "#0",
            "#14a",
            "#14@X",
            "#14[#12]",
            "#14[#12.2",
            "#4294967296",
            "#1.99999999999",
            "@w",
            "@b",
            "~2",
            "~Alba",
        ] {
            assert_eq!(only(&format!("a {text}: b"), ""), Some((text.to_owned(), Reference::Malformed)));
        }
        for (text, redefine) in [("~J", "A@J"), ("~jF6", "A@J"), ("~J", "FAN"), ("~RC3-C9", "T@R")] {
            let word: String = text.chars().take_while(|sign| *sign != '-').collect();
            assert_eq!(only(text, redefine), Some((word, Reference::OldLetter)));
        }
        assert_eq!(only("~Q", "FAN"), Some(("~Q".into(), Reference::Malformed)));
        assert_eq!(references(b"~Q ~A6", None).filter(|found| found.reference == Reference::Malformed).count(), 1);
    }

    proptest! {
        #[test]
        fn any_text_has_references(text in "[~#@\\[\\].0-9A-Za-z%é♗ -]{0,30}") {
            for found in references(text.as_bytes(), Some(&Letters::STANDARD)) {
                prop_assert!(text.get(found.at..found.at + found.len).is_some(), "{:?}", found);
            }
        }

        #[test]
        fn there_and_back_is_the_same(
            text in "([~]?[PEJNGRVDKpejngrvdkFABLCSTWQ♗♞]?[A-Z]?[0-9]{0,2}[-‐×*@=&+#é\\[\\]dlc ~]?){0,12}",
            redefine in prop::sample::select(vec![ALL, "FAN", "L@J, S@N", "F@J"]),
        ) {
            let there = relettered(&text, "", redefine);
            prop_assert_eq!(relettered(&there, redefine, ""), text.clone());
            let count = |text: &str, redefine: &str| read(text, redefine).len();
            prop_assert_eq!(count(&text, ""), count(&there, redefine));
        }
    }
}
