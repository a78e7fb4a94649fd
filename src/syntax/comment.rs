//! Comments: where they begin and end (§1.8, §9.1–9.3).

use super::fault::{CommentFault, Fault, FaultKind, Faults, FileFault};
use super::lexer::{BOM, line_len, unicode_blank};
use crate::game::Side;
use crate::notation::begins_word;
use memchr::{memchr, memchr_iter, memchr3};

/// What the comments of the linter begin with.
pub const LINTER: &[u8] = b"ctl-lint";

/// Whether an automatic comment, with its braces, tells the linter what to leave out: `{: ctl-lint ignore … }`. One that
/// is misspelt behind its first word is meant so, too.
pub fn is_suppression(comment: &[u8]) -> bool {
    let inside = comment.strip_prefix(b"{:").and_then(|comment| comment.strip_suffix(b"}"));
    let words = inside.map(<[u8]>::trim_ascii_start).and_then(|inside| inside.strip_prefix(LINTER));
    words.is_some_and(|words| words.first().is_none_or(u8::is_ascii_whitespace))
}

/// What a comment says, without its braces, or the sign that it begins with, and without outer blanks; and whether a program
/// made it.
pub fn said_in(comment: &[u8]) -> (&[u8], bool) {
    let automatic = comment.starts_with(b"{:");
    let inside = comment.get(1 + usize::from(automatic)..).unwrap_or_default();
    let inside = inside.strip_suffix(b"}").filter(|_| comment.starts_with(b"{")).unwrap_or(inside);
    (inside.trim_ascii(), automatic)
}

/// How a comment begins (§9.5, §9.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// A program made it.
    pub automatic: bool,
    /// Whose ply it is about.
    pub player: Option<Side>,
    /// Where the colon stands, or belongs: bytes of the comment before it.
    pub colon_at: usize,
    /// A colon stands there.
    pub colon: bool,
}

impl Head {
    /// Reads a comment with its braces.
    pub fn read(comment: &[u8]) -> Head {
        let automatic = comment.starts_with(b"{:");
        let mut at = 1 + usize::from(automatic);
        at += comment[at.min(comment.len())..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        // One in lower case is a malformed reference, and that is said of it.
        let player = match &comment[at.min(comment.len())..] {
            [b'@', b'W' | b'w', ..] => Some(Side::White),
            [b'@', b'B' | b'b', ..] => Some(Side::Black),
            _ => None,
        };
        let colon_at = at + 2;
        let behind = comment.get(colon_at..).unwrap_or_default();
        let player = player.filter(|_| !begins_word(behind));
        let behind = behind.trim_ascii_start();
        Head { automatic, player, colon_at, colon: player.is_some() && behind.starts_with(b":") }
    }
}

/// Judges the inside of a comment, `text[at..end]` with its braces; without the closing one it was never closed.
pub fn judge(text: &[u8], at: usize, end: usize, aside: bool, item: u32, faults: &mut Faults) {
    let mut fault = |kind: FaultKind, at: usize, len: usize| {
        let (at, len) = (at as u32, len as u32);
        faults.push(Fault { kind, aside, at, len, item, seen: 0 });
    };
    let inside = &text[at + 1..end];
    if inside.last() != Some(&b'}') {
        let (at, len) = (at as u32, 1);
        faults.push(Fault { kind: CommentFault::Unclosed.into(), aside: false, at, len, item, seen: 0 });
        return;
    }
    // Asked of all at once: nearly no comment has any.
    if memchr3(0, b'{', BOM[0], inside).is_some() {
        for (start, len) in runs(0, inside) {
            fault(FileFault::Nul.into(), at + 1 + start, len);
        }
        for mark in memchr_iter(BOM[0], inside).filter(|mark| inside[*mark..].starts_with(BOM)) {
            fault(FileFault::StrayBom.into(), at + 1 + mark, BOM.len());
        }
        for (start, len) in runs(b'{', inside) {
            fault(CommentFault::BraceInside.into(), at + 1 + start, len);
        }
    }
    for found in memchr_iter(b'[', inside).filter(|at| inside[*at..].starts_with(b"[Variant")) {
        let before = inside[..found].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
        if inside.get(found + "[Variant".len()).is_some_and(u8::is_ascii_alphanumeric) {
            continue;
        }
        if before.is_some_and(|last| matches!(inside[last], b'\n' | b'\r')) {
            fault(CommentFault::RecordInside.into(), at + 1 + found, line_len(text, at + 1 + found));
        }
    }
    if let Some(pair) = swallowed_pair(inside) {
        let (at, len) = (at as u32, 1);
        let seen = (at as usize + 1 + pair) as u32;
        faults.push(Fault { kind: CommentFault::SwallowsPairs.into(), aside, at, len, item, seen });
    }
}

/// Where runs of a byte begin, and their lengths.
fn runs(byte: u8, text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr(byte, &text[at..])?;
        let len = text[start..].iter().take_while(|other| **other == byte).count();
        at = start + len;
        Some((start, len))
    })
}

/// The first line that looks like a pair, behind a line that ends in `)` as if that closed the comment (§9.3).
fn swallowed_pair(inside: &[u8]) -> Option<usize> {
    let mut closed = false;
    let mut at = 0;
    loop {
        let len = line_len(inside, at);
        let line = inside[at..at + len].trim_ascii();
        // Dots before a number are ignored (§8.5).
        let dots = line.iter().take_while(|byte| matches!(byte, b'.' | b' ' | b'\t')).count();
        let digits = line[dots..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if closed && digits > 0 && line.get(dots + digits) == Some(&b'.') {
            let behind = &line[dots + digits + 1..];
            if matches!(behind, [b' ' | b'\t', ..]) || unicode_blank(behind) > 0 {
                return Some(at + inside[at..].iter().position(u8::is_ascii_digit)?);
            }
        }
        closed |= line.ends_with(b")");
        at += len + 1;
        if at >= inside.len() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read() {
        for (comment, automatic, player, colon_at, colon) in [
            ("{}", false, None, 3, false),
            ("{@W: a}", false, Some(Side::White), 3, true),
            ("{: @B a}", true, Some(Side::Black), 5, false),
            ("{:\n@w :a}", true, Some(Side::White), 5, true),
            ("{@Walter: a}", false, None, 3, false),
            ("{@Während}", false, None, 3, false),
            ("{@W… a}", false, Some(Side::White), 3, false),
            ("{@W}", false, Some(Side::White), 3, false),
            ("{:", true, None, 4, false),
        ] {
            let expected = Head { automatic, player, colon_at, colon };
            assert_eq!(Head::read(comment.as_bytes()), expected, "{comment}");
        }
    }
}
