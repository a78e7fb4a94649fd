//! Blanks and empty lines where the format wants none, or one (§1.5).

use super::fault::{Fault, FaultKind, Faults, FileFault};
use super::lexer::line_end_len;

/// What stands behind a record in its file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Behind {
    /// Another record.
    Record,
    /// Nothing: it is the last one.
    Nothing,
    /// Nobody knows: the file could not be read to its end.
    #[default]
    Unknown,
}

/// Judges how a record ends: one empty line parts it from the next, and the last one ends with a line end.
pub fn judge_end(text: &[u8], behind: Behind, faults: &mut Faults) {
    let mut fault = |kind: FileFault, at: usize, seen: usize| {
        let (at, len, seen) = (at as u32, (text.len() - at) as u32, seen as u32);
        faults.push(Fault { kind: FaultKind::File(kind), aside: true, at, len, item: Fault::NO_ITEM, seen });
    };
    match behind {
        Behind::Unknown => {}
        Behind::Nothing => {
            if !matches!(text.last(), None | Some(b'\n' | b'\r')) {
                let blanks = text.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                if blanks > 0 {
                    fault(FileFault::TrailingBlanks, text.len() - blanks, 0);
                }
                fault(FileFault::NoFinalNewline, text.len(), 0);
            }
        }
        Behind::Record => {
            // Nearly every record ends so.
            if matches!(text, [.., last, b'\n', b'\n'] if !last.is_ascii_whitespace()) {
                return;
            }
            let word_end = text.trim_ascii_end().len();
            let (mut at, mut ends, mut surplus) = (word_end, 0_usize, text.len());
            while at < text.len() {
                let len = line_end_len(&text[at..]);
                ends += usize::from(len > 0);
                at += len.max(1);
                if ends == 2 && len > 0 {
                    surplus = at;
                }
            }
            match ends {
                // It goes on behind a result on its line, which is worse (§1.7).
                0 | 2 => {}
                1 => fault(FileFault::NoEmptyLine, word_end, 0),
                _ => fault(FileFault::EmptyLines, surplus, ends - 1),
            }
        }
    }
}

/// Whether blanks before this end their line. Those that end a record do so only where no other begins on their line.
#[inline]
pub fn ends_line(behind: &[u8]) -> bool {
    matches!(behind.first(), Some(b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, behind: Behind) -> Option<(&'static str, u32, u32)> {
        let mut faults = Faults::default();
        judge_end(text.as_bytes(), behind, &mut faults);
        faults.last().map(|fault| (fault.kind.name(), fault.at, fault.seen))
    }

    #[test]
    fn one_empty_line_parts_records() {
        for text in ["*\n\n", "*\r\n\r\n", "* \n \t\n", "*\r\r", "*"] {
            assert_eq!(found(text, Behind::Record), None, "{text:?}");
        }
        assert_eq!(found("*\n", Behind::Record), Some(("no-empty-line", 1, 0)));
        assert_eq!(found("*\r\n", Behind::Record), Some(("no-empty-line", 1, 0)));
        assert_eq!(found("*\n\n\n", Behind::Record), Some(("empty-lines", 3, 2)));
        assert_eq!(found("*\r\n \r\n\r\n \r\n", Behind::Record), Some(("empty-lines", 6, 3)));
    }

    #[test]
    fn a_file_ends_with_a_line_end() {
        for text in ["*\n", "*\r\n", "*\r", "*\n\n\n", ""] {
            assert_eq!(found(text, Behind::Nothing), None, "{text:?}");
        }
        assert_eq!(found("*", Behind::Nothing), Some(("no-final-newline", 1, 0)));
        assert_eq!(found("* ", Behind::Nothing), Some(("no-final-newline", 2, 0)));
        let mut faults = Faults::default();
        judge_end(b"* \t", Behind::Nothing, &mut faults);
        assert_eq!(
            faults.iter().map(|fault| (fault.kind.name(), fault.at, fault.len)).collect::<Vec<_>>(),
            [("trailing-blanks", 1, 2), ("no-final-newline", 3, 0)]
        );
        assert_eq!(found("*", Behind::Unknown), None);
    }
}
