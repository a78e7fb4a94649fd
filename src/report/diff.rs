//! A unified diff, straight from edits.

use std::collections::VecDeque;
use std::io::{self, Write};

use crate::lint::Edit;
use crate::lint::mend::edited;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The diff of one file, piece by piece in its order. Line ends are those of LF.
pub struct Diff<'w> {
    out: &'w mut dyn Write,
    name: String,
    /// Text that does not end with its line, and its edits.
    kept: (Vec<u8>, Vec<Edit>),
    /// Lines before what comes, in the old and the new text.
    lines: [u64; 2],
    /// The last lines that are the same, not yet in a hunk.
    before: VecDeque<Vec<u8>>,
    hunk: Option<Hunk>,
    any: bool,
}

/// A run of changes with what stands around them.
struct Hunk {
    /// Lines before it, in the old and the new text.
    starts: [u64; 2],
    counts: [u64; 2],
    text: Vec<u8>,
    /// Lines behind the last change that are the same.
    same: Vec<Vec<u8>>,
}

impl<'w> Diff<'w> {
    /// Shows a file under this name.
    pub fn new(out: &'w mut dyn Write, name: String) -> Diff<'w> {
        let kept = (Vec::new(), Vec::new());
        Diff { out, name, kept, lines: [0; 2], before: VecDeque::new(), hunk: None, any: false }
    }

    /// Goes on with a part of the file and its edits, in bytes of the part.
    pub fn part(&mut self, text: &[u8], edits: &[Edit]) -> io::Result<()> {
        let (mut kept, mut all) = std::mem::take(&mut self.kept);
        let base = kept.len() as u64;
        kept.extend_from_slice(text);
        all.extend(edits.iter().map(|edit| Edit { at: edit.at + base, end: edit.end + base, ..edit.clone() }));
        if kept.ends_with(b"\n") {
            self.lines(&kept, &all)
        } else {
            self.kept = (kept, all);
            Ok(())
        }
    }

    /// Ends the file, and tells whether there was a difference.
    pub fn finish(mut self) -> io::Result<bool> {
        let (text, edits) = std::mem::take(&mut self.kept);
        self.lines(&text, &edits)?;
        self.close()?;
        Ok(self.any)
    }

    /// Whole lines and their edits.
    fn lines(&mut self, text: &[u8], edits: &[Edit]) -> io::Result<()> {
        let mut at = 0;
        let mut edits = edits.iter().peekable();
        while let Some(first) = edits.next() {
            let start = line_start(text, first.at as usize);
            let mut end = line_behind(text, first);
            let mut group = vec![first.clone()];
            // Lines that touch are one group; a long line is not gone over for each edit in it.
            let touches = |next: &&Edit, end| (next.at as usize) < end || line_start(text, next.at as usize) <= end;
            while let Some(next) = edits.next_if(|next| touches(next, end)) {
                if next.end as usize >= end {
                    end = end.max(line_behind(text, next));
                }
                group.push(next.clone());
            }
            for edit in &mut group {
                edit.at -= start as u64;
                edit.end -= start as u64;
            }
            self.same_lines(&text[at..start])?;
            self.change(&text[start..end], &edited(&text[start..end], &group))?;
            at = end;
        }
        self.same_lines(&text[at..])
    }

    /// Old lines and what stands for them; those that are the same at either end are no change.
    fn change(&mut self, old: &[u8], new: &[u8]) -> io::Result<()> {
        let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (split(old).collect(), split(new).collect());
        let ahead = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let (old_rest, new_rest) = (&old[ahead..], &new[ahead..]);
        let behind = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
        old[..ahead].iter().try_for_each(|line| self.same(line))?;
        old_rest[..old_rest.len() - behind].iter().for_each(|line| self.changed(0, line));
        new_rest[..new_rest.len() - behind].iter().for_each(|line| self.changed(1, line));
        old_rest[old_rest.len() - behind..].iter().try_for_each(|line| self.same(line))
    }

    fn same_lines(&mut self, text: &[u8]) -> io::Result<()> {
        split(text).try_for_each(|line| self.same(line))
    }

    fn same(&mut self, line: &[u8]) -> io::Result<()> {
        self.lines = self.lines.map(|lines| lines + 1);
        if let Some(hunk) = &mut self.hunk {
            hunk.same.push(line.to_vec());
            if hunk.same.len() > 2 * CONTEXT {
                self.close()?;
            }
            return Ok(());
        }
        self.before.push_back(line.to_vec());
        if self.before.len() > CONTEXT {
            self.before.pop_front();
        }
        Ok(())
    }

    /// A line of the old text that goes (0), or one of the new text (1).
    fn changed(&mut self, side: usize, line: &[u8]) {
        let (lines, before) = (self.lines, &mut self.before);
        let hunk = self.hunk.get_or_insert_with(|| {
            let ahead = before.len() as u64;
            let starts = lines.map(|lines| lines - ahead);
            Hunk { starts, counts: [0; 2], text: Vec::new(), same: before.drain(..).collect() }
        });
        hunk.take_same();
        hunk.line([b'-', b'+'][side], line);
        hunk.counts[side] += 1;
        self.lines[side] += 1;
    }

    /// Writes the hunk with the context behind it.
    fn close(&mut self) -> io::Result<()> {
        let Some(mut hunk) = self.hunk.take() else { return Ok(()) };
        let rest = hunk.same.split_off(hunk.same.len().min(CONTEXT));
        hunk.take_same();
        if !std::mem::replace(&mut self.any, true) {
            writeln!(self.out, "--- a/{0}\n+++ b/{0}", self.name)?;
        }
        let [old, new] = [0, 1].map(|side| {
            // A range without lines stands behind the line before it.
            let start = hunk.starts[side] + u64::from(hunk.counts[side] > 0);
            if hunk.counts[side] == 1 { start.to_string() } else { format!("{start},{}", hunk.counts[side]) }
        });
        writeln!(self.out, "@@ -{old} +{new} @@")?;
        self.out.write_all(&hunk.text)?;
        self.before = rest.into_iter().rev().take(CONTEXT).rev().collect();
        Ok(())
    }
}

impl Hunk {
    fn line(&mut self, sign: u8, line: &[u8]) {
        self.text.push(sign);
        self.text.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            self.text.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }

    fn take_same(&mut self) {
        let same = std::mem::take(&mut self.same);
        self.counts = self.counts.map(|count| count + same.len() as u64);
        same.iter().for_each(|line| self.line(b' ', line));
    }
}

fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// Where the line of byte `at` begins.
fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1)
}

/// Behind the last line that an edit touches. What follows whole lines is touched where it is joined with others.
fn line_behind(text: &[u8], edit: &Edit) -> usize {
    let end = edit.end as usize;
    let starts = |at: usize| at == 0 || text[at - 1] == b'\n';
    let whole = edit.text.ends_with('\n') || edit.text.is_empty() && starts(edit.at as usize);
    if whole && starts(end) {
        return end;
    }
    memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |len| end + len + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(at: u64, end: u64, text: &str) -> Edit {
        Edit { at, end, text: text.to_owned() }
    }

    /// The diff of a text in parts, each with its edits.
    fn diff(parts: &[(&str, &[Edit])]) -> String {
        let mut out = Vec::new();
        let mut diff = Diff::new(&mut out, "x".to_owned());
        parts.iter().for_each(|(text, edits)| diff.part(text.as_bytes(), edits).unwrap());
        let any = diff.finish().unwrap();
        assert_eq!(any, !out.is_empty());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn hunks_have_three_lines_of_context() {
        assert_eq!(diff(&[("a\nb\n", &[])]), "");
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let expected = "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+V\n 6\n 7\n 8\n";
        assert_eq!(diff(&[(text, &[edit(8, 9, "V")])]), expected);
        // The same in parts, one of which does not end its line.
        assert_eq!(diff(&[(&text[..7], &[]), (&text[7..9], &[edit(1, 2, "V")]), (&text[9..], &[])]), expected);
        let both = diff(&[(text, &[edit(0, 1, "I"), edit(16, 17, "IX")])]);
        assert_eq!(
            both,
            "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-1\n+I\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+IX\n"
        );
    }

    #[test]
    fn lines_come_and_go() {
        let head = "--- a/x\n+++ b/x\n";
        assert_eq!(diff(&[("a\nb\n", &[edit(2, 2, "new\n")])]), format!("{head}@@ -1,2 +1,3 @@\n a\n+new\n b\n"));
        assert_eq!(diff(&[("a\nb\n", &[edit(0, 2, "")])]), format!("{head}@@ -1,2 +1 @@\n-a\n b\n"));
        assert_eq!(diff(&[("a\nb\n", &[edit(4, 4, "c\n")])]), format!("{head}@@ -1,2 +1,3 @@\n a\n b\n+c\n"));
        assert_eq!(
            diff(&[("a\nb\nc\n", &[edit(0, 2, ""), edit(4, 4, "a\n")])]),
            format!("{head}@@ -1,3 +1,3 @@\n-a\n b\n+a\n c\n")
        );
        assert_eq!(diff(&[("a\nb\n", &[edit(1, 2, " ")])]), format!("{head}@@ -1,2 +1 @@\n-a\n-b\n+a b\n"));
        let end = "\\ No newline at end of file\n";
        assert_eq!(diff(&[("a", &[edit(1, 1, "\n*\n")])]), format!("{head}@@ -1 +1,2 @@\n-a\n{end}+a\n+*\n"));
        assert_eq!(diff(&[("a\n", &[edit(0, 2, "")])]), format!("{head}@@ -1 +0,0 @@\n-a\n"));
    }
}
