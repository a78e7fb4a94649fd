//! Edits of bytes, blanks and line ends (§1).

use super::{Around, begins_record, blanks_before, blanks_behind, line_end, one};
use crate::lint::finding::Edit;
use crate::syntax::fault::FileFault;
use crate::syntax::{ItemKind, line_end_len, unicode_blank};

impl Around<'_> {
    pub(super) fn file(&self, kind: FileFault) -> Option<Vec<Edit>> {
        let (text, at) = (self.text(), self.at());
        match kind {
            FileFault::Bom | FileFault::TrailingBlanks | FileFault::EmptyLines => self.instead(""),
            FileFault::StrayBom | FileFault::OddBlank => self.odd_blank(),
            FileFault::Tab => one(blanks_before(text, at), blanks_behind(text, at), " "),
            // One empty line parts it from the record before.
            FileFault::RecordBehindResult => one(0, blanks_behind(text, 0), line_end(text).repeat(2)),
            FileFault::NoEmptyLine => one(self.end_at(), self.end_at(), line_end(text)),
            FileFault::NoFinalNewline => self.instead(line_end(text)),
            _ => None,
        }
    }

    /// A plain blank for one that can be seen, or behind a result, which would belong to the next word; else nothing.
    fn odd_blank(&self) -> Option<Vec<Edit>> {
        let (text, at, items) = (self.text(), self.at(), self.items());
        let before = text[..at].last();
        // Without it a tag might begin there, or a record.
        if before == Some(&b'[') || begins_record(&text[self.end_at()..], at, self.context.record) {
            return None;
        }
        let starts = before.is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'(');
        let item = items.partition_point(|item| item.at < self.fault.at).checked_sub(1).map(|index| &items[index]);
        let is_result = item.is_some_and(|item| item.kind == ItemKind::Result && item.end() == at);
        let is_blank = (unicode_blank(self.span()) > 0 || is_result) && !starts;
        self.instead(if is_blank { " " } else { "" })
    }

    /// Away with the empty lines from the fault on (§1.10).
    pub(super) fn empty_lines(&self) -> Option<Vec<Edit>> {
        let (text, at) = (self.text(), self.at());
        let mut end = at;
        loop {
            let blanks = blanks_behind(text, end);
            match line_end_len(&text[blanks..]) {
                0 => return one(blanks_before(text, at), end, ""),
                len => end = blanks + len,
            }
        }
    }
}
