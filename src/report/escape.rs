//! What comes from files never reaches a terminal as it is: invisible characters are spelt out.

use std::borrow::Cow;
use std::path::Path;

use crate::lint::context;

/// Whether a character steers a terminal, turns the direction of writing, or can't be seen.
pub const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

/// A line of a file: hidden characters as `\u{202E}`, bytes that are not UTF-8 as `\xE0`, tabs as they are.
pub fn line(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for c in context::lossy(bytes).chars() {
        if c != '\t' && is_hidden(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// A message, in one line: hidden characters and tabs as `\u{9}`.
pub fn text(message: &str) -> Cow<'_, str> {
    if message.contains(is_hidden) {
        let spelt = message.chars().map(|c| if is_hidden(c) { c.escape_unicode().collect() } else { c.to_string() });
        Cow::Owned(spelt.collect())
    } else {
        Cow::Borrowed(message)
    }
}

/// A file's name for the screen.
pub fn name(file: &Path) -> String {
    text(&lossy(file)).into_owned()
}

/// A file's name as it is, but for bytes that are not UTF-8: `\xE0`.
pub fn lossy(file: &Path) -> Cow<'_, str> {
    let lossy = || context::lossy(file.as_os_str().as_encoded_bytes());
    file.to_str().map_or_else(|| Cow::Owned(lossy()), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelt_out() {
        assert_eq!(line(b"a\t\x1B[31m \xE0 \xC3\xA0 \xE2\x80"), "a\t\\u{1b}[31m \\xE0 à \\xE2\\x80");
        assert_eq!(line("♔\u{FE0F}\u{202E}\u{9B}1".as_bytes()), "♔\\u{fe0f}\\u{202e}\\u{9b}1");
        assert_eq!(text("a\tb\nc"), "a\\u{9}b\\u{a}c");
        assert!(matches!(text("E7‐E13 ×…"), Cow::Borrowed(_)));
    }

    #[cfg(unix)]
    #[test]
    fn names_need_not_be_text() {
        use std::os::unix::ffi::OsStrExt;
        let file = Path::new(std::ffi::OsStr::from_bytes(b"a\x1B\xFF.ctl-pgn"));
        assert_eq!(name(file), "a\\u{1b}\\xFF.ctl-pgn");
        assert_eq!(lossy(file), "a\u{1b}\\xFF.ctl-pgn");
    }
}
