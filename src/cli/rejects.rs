//! The records that could not be filtered, as they stand.

use std::io::{self, Write};
use std::path::Path;

use crate::source::Output;

/// A file of records, each with the bytes that it has in its own file.
pub struct Rejects {
    output: Output,
    /// What parts the record that was written last from another one.
    between: &'static [u8],
    /// Each record is a line: nothing stands between two.
    lines: bool,
}

impl Rejects {
    /// Begins the file, of records or of lines.
    pub fn create(path: &Path, lines: bool) -> io::Result<Rejects> {
        Ok(Rejects { output: Output::packed(path)?, between: b"", lines })
    }

    /// Where it goes.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Adds a record, with an empty line before it unless the last one brought it.
    pub fn record(&mut self, text: &[u8]) -> io::Result<()> {
        self.output.write_all(self.between)?;
        self.between = match text {
            [.., b'\n'] if self.lines => b"",
            _ if self.lines => b"\n",
            _ => lacking(text),
        };
        self.output.write_all(text)
    }

    /// Puts the file in its place.
    pub fn commit(self) -> io::Result<()> {
        self.output.commit()
    }
}

/// What a text lacks to end in an empty line.
fn lacking(text: &[u8]) -> &'static [u8] {
    let lines = |end: &[u8]| text.ends_with(&end.repeat(2));
    match text {
        _ if lines(b"\n") || lines(b"\r\n") || lines(b"\r") => b"",
        [.., b'\r', b'\n'] => b"\r\n",
        [.., b'\n'] => b"\n",
        [.., b'\r'] => b"\r",
        _ => b"\n\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_parts_records_which_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rejects");
        let mut rejects = Rejects::create(&path, false).unwrap();
        for text in ["a\n", "b\n\n", "c", "d\r\n", "e\r\n\r\n", "f\r", "g\r\r", "h\n\n\n", "i"] {
            rejects.record(text.as_bytes()).unwrap();
        }
        rejects.commit().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "a\n\nb\n\nc\n\nd\r\n\r\ne\r\n\r\nf\r\rg\r\rh\n\n\ni");
    }
}
