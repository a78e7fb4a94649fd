//! Findings with the lines they lie in, drawn by codespan-reporting from what is shown only.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use codespan_reporting::diagnostic::{self, LabelStyle};
use codespan_reporting::files;
use codespan_reporting::term::{Chars, Config, Renderer, WriteStyle, termcolor::WriteColor};

use super::board::{self, Signs};
use super::{Report, coloured, escape};
use crate::lint::{Catalogue, Excerpt, Finding, Place, RuleId, Severity};

/// Bytes shown of a line before and behind the place, so that a line of 300 kB doesn't bury its finding.
const BEFORE: usize = 100;
const BEHIND: usize = 160;

/// The severity by which codespan chooses colours; it knows no style findings.
pub(super) const fn style(severity: Severity) -> diagnostic::Severity {
    match severity {
        Severity::Error => diagnostic::Severity::Error,
        Severity::Warning => diagnostic::Severity::Warning,
        Severity::Style => diagnostic::Severity::Note,
    }
}

/// Headline, place, the line with the place marked, related places, notes.
#[derive(Debug)]
pub struct Full<'c> {
    catalogue: &'c Catalogue,
    color: bool,
    max_per_rule: u64,
    /// With which signs positions are drawn.
    boards: Option<Signs>,
    seen: BTreeMap<RuleId, u64>,
    config: Config,
}

impl<'c> Full<'c> {
    /// Shows at most so many findings of a rule, 0 for all, and counts the rest at the end.
    pub fn new(catalogue: &'c Catalogue, color: bool, max_per_rule: u64) -> Self {
        let config = Config { chars: Chars::ascii(), ..Config::default() };
        Self { catalogue, color, max_per_rule, boards: None, seen: BTreeMap::new(), config }
    }

    /// Draws positions with these signs under findings that have them.
    #[must_use]
    pub fn with_boards(self, boards: Option<Signs>) -> Self {
        Self { boards, ..self }
    }

    fn headline(&self, out: &mut dyn WriteColor, finding: &Finding) -> io::Result<()> {
        let mut out = out;
        out.set_header(style(finding.severity))?;
        write!(out, "{}[{}]", finding.severity.name(), self.catalogue[finding.rule].code)?;
        out.set_header_message()?;
        write!(out, ": {}", escape::text(&finding.message))?;
        WriteColor::reset(&mut out)?;
        writeln!(out)
    }

    /// Everything below the headline.
    fn drawing(
        &self,
        mut out: &mut dyn WriteColor,
        file: &Path,
        finding: &Finding,
        excerpt: Option<Excerpt<'_>>,
    ) -> Result<(), files::Error> {
        let rule = &self.catalogue[finding.rule];
        let sheet = Sheet::new(finding, &rule.name, excerpt);
        let padding = sheet.lines.iter().map(|line| line.row).fold(finding.at.row, u64::max).to_string().len();
        let severity = style(finding.severity);
        let mut draw = Renderer::new(&mut out, &self.config);
        draw.set_source_border()?;
        write!(draw, "{:padding$} {}", "", self.config.chars.snippet_start)?;
        WriteStyle::reset(&mut draw)?;
        writeln!(draw, " {}:{}:{}", escape::name(file), finding.at.row, finding.at.column)?;
        if !sheet.lines.is_empty() {
            draw.render_snippet_empty(padding, severity, 0, &[])?;
        }
        let mut before = None;
        for line in &sheet.lines {
            if before.is_some_and(|row| line.row - row != 1) {
                draw.render_snippet_break(padding, severity, 0, &[])?;
            }
            before = Some(line.row);
            let labels: Vec<_> =
                line.labels.iter().map(|label| (label.style, label.at.clone(), label.text.as_str())).collect();
            draw.render_snippet_source(padding, number(line.row), &line.text, severity, &labels, 0, &[])?;
        }
        if !sheet.lines.is_empty() {
            draw.render_snippet_empty(padding, severity, 0, &[])?;
        }
        let notes = sheet.elsewhere.into_iter().chain(finding.notes.iter().map(|note| escape::text(note).into_owned()));
        for note in notes.chain([whose(finding, &rule.clauses.join(", "))]) {
            draw.render_snippet_note(padding, &note)?;
        }
        Ok(())
    }
}

impl Report for Full<'_> {
    fn finding(
        &mut self,
        out: &mut dyn Write,
        file: &Path,
        finding: &Finding,
        excerpt: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        let seen = self.seen.entry(finding.rule).or_default();
        *seen += 1;
        if self.max_per_rule != 0 && *seen > self.max_per_rule {
            return Ok(());
        }
        let mut out = coloured(out, self.color);
        self.headline(&mut *out, finding)?;
        self.drawing(&mut *out, file, finding, excerpt).map_err(|error| match error {
            files::Error::Io(error) => error,
            other => io::Error::other(other),
        })?;
        if let (Some(signs), Some(found)) = (self.boards, &finding.board) {
            writeln!(out)?;
            board::draw(&mut *out, signs, &found.position, &found.hexes)?;
        }
        writeln!(out)
    }

    fn finish(&mut self, out: &mut dyn Write, _: bool) -> io::Result<()> {
        for (&id, &seen) in self.seen.iter().filter(|_| self.max_per_rule != 0) {
            let rest = seen.saturating_sub(self.max_per_rule);
            if rest > 0 {
                let rule = &self.catalogue[id];
                writeln!(out, "… {rest} more of {} {}: see --max-per-rule", rule.code, rule.name)?;
            }
        }
        Ok(())
    }
}

fn number(row: u64) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// The clauses, and the record, Id and ply that a finding belongs to.
fn whose(finding: &Finding, clauses: &str) -> String {
    let record = (finding.record != 0).then(|| format!("record {}", finding.record));
    let named =
        |what: &str, word: &Option<String>| word.as_deref().map(|word| format!("{what} {}", escape::text(word)));
    let parts = [Some(clauses.to_owned()), record, named("Id", &finding.id), named("ply", &finding.ply)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A place marked in a shown line.
struct Mark {
    style: LabelStyle,
    /// Bytes of the shown text, at least one.
    at: Range<usize>,
    text: String,
}

/// A line, or what is shown of it.
struct Line {
    row: u64,
    /// Bytes of the excerpt.
    window: Range<usize>,
    text: String,
    /// The length of the mark that stands for what is cut off before.
    cut: usize,
    labels: Vec<Mark>,
}

impl Line {
    /// What is shown around a place of the excerpt.
    fn around(text: &[u8], row: u64, at: usize) -> Self {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let first = at.saturating_sub(BEFORE);
        let last = text.len().min(at + BEHIND);
        let mut start = text[first..at].iter().rposition(is_end).map_or(first, |found| first + found + 1);
        let mut end = text[at..last].iter().position(is_end).map_or(last, |found| at + found);
        let cut_before = start > 0 && !is_end(&text[start - 1]);
        let cut_behind = end < text.len() && !is_end(&text[end]);
        // A cut never parts the bytes of a character.
        let parts = |place: usize| text.get(place).is_some_and(|byte| byte & 0xC0 == 0x80);
        while cut_before && start < at && parts(start) {
            start += 1;
        }
        while cut_behind && end > at && parts(end) {
            end -= 1;
        }
        let mark = |cut: bool| if cut { "…" } else { "" };
        let shown = escape::line(&text[start..end]);
        Self {
            row,
            window: start..end,
            text: format!("{}{shown}{}", mark(cut_before), mark(cut_behind)),
            cut: mark(cut_before).len(),
            labels: Vec::new(),
        }
    }

    fn mark(&mut self, text: &[u8], at: Range<usize>, style: LabelStyle, message: String) {
        let shown = |place: usize| {
            let place = place.clamp(self.window.start, self.window.end);
            self.cut + escape::line(&text[self.window.start..place]).len()
        };
        let start = shown(at.start);
        let at = start..shown(at.end).max(start + 1);
        self.labels.push(Mark { style, at, text: message });
    }
}

/// The lines that a finding shows, in order, and its places that lie elsewhere.
#[derive(Default)]
struct Sheet {
    lines: Vec<Line>,
    elsewhere: Vec<String>,
}

impl Sheet {
    fn new(finding: &Finding, name: &str, excerpt: Option<Excerpt<'_>>) -> Self {
        let mut sheet = Self::default();
        let end = Some(&finding.end);
        if let Some((excerpt, at)) = excerpt.and_then(|excerpt| Some((excerpt, excerpt.range(&finding.at, end)?))) {
            sheet.add(excerpt, finding.at.row, at, LabelStyle::Primary, name.to_owned());
        }
        for related in &finding.related {
            let message = escape::text(&related.message).into_owned();
            let here = excerpt.filter(|_| related.file.is_none());
            if let Some((excerpt, at)) = here.and_then(|excerpt| Some((excerpt, excerpt.range(&related.at, None)?))) {
                sheet.add(excerpt, related.at.row, at, LabelStyle::Secondary, message);
            } else {
                let file = related.name.as_deref().map_or_else(String::new, |name| escape::name(name) + ":");
                sheet.elsewhere.push(format!("{file}{}:{}: {message}", related.at.row, related.at.column));
            }
        }
        for line in &mut sheet.lines {
            line.labels.sort_by_key(|label| (label.at.start, label.at.end));
        }
        sheet.lines.sort_by_key(|line| (line.row, line.window.start));
        sheet
    }

    /// Marks a place in a line that shows it already, or in one more.
    fn add(&mut self, excerpt: Excerpt<'_>, row: u64, at: Range<usize>, style: LabelStyle, message: String) {
        let shows = |line: &&mut Line| line.row == row && line.window.start <= at.start && at.start <= line.window.end;
        if let Some(line) = self.lines.iter_mut().find(shows) {
            return line.mark(excerpt.text, at, style, message);
        }
        let mut line = Line::around(excerpt.text, row, at.start);
        line.mark(excerpt.text, at, style, message);
        self.lines.push(line);
    }
}

impl Excerpt<'_> {
    /// The bytes of the excerpt between two places; none if the first lies elsewhere.
    fn range(&self, at: &Place, end: Option<&Place>) -> Option<Range<usize>> {
        let inside = |place: &Place| usize::try_from(place.offset.checked_sub(self.base)?).ok();
        let mut start = inside(at).filter(|start| *start <= self.text.len())?;
        let end = end.and_then(inside).unwrap_or(start).clamp(start, self.text.len());
        // Both bytes of CR LF end the line before them.
        if start > 0 && self.text[start - 1] == b'\r' && self.text.get(start) == Some(&b'\n') {
            start -= 1;
        }
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{finding, place, related, written};
    use super::*;
    use crate::lint::Related;
    use crate::lint::catalogue::samples::catalogue;
    use crate::source::FileId;

    /// What is drawn of one finding in a text whose first byte is byte 100 of the file.
    fn drawn(text: &[u8], change: impl FnOnce(&mut Finding)) -> String {
        let catalogue = catalogue();
        let mut finding = finding();
        change(&mut finding);
        let excerpt = Some(Excerpt { text, base: 100 });
        written(&mut Full::new(&catalogue, false, 20), Path::new("a.ctl-pgn"), &[finding], excerpt)
    }

    #[test]
    fn a_finding_shows_its_line_with_the_place_marked() {
        let text = "1. E7-E13 E21-E15\r\n2. ♔E5-E9, *\r\n".as_bytes();
        let drawing = drawn(text, |finding| {
            (finding.at, finding.end) = (place(109, 8, 10), place(110, 8, 11));
            finding.notes.push("two\nlines".to_owned());
            finding.related.push(related(122, 9, 4, "behind"));
            finding.related.push(related(30, 2, 1, "before"));
            let other = related(109, 8, 10, "in another file");
            finding.related.push(Related { file: Some(FileId(1)), name: Some("b\u{1b}".into()), ..other });
        });
        assert_eq!(
            drawing,
            "\
error[M104]: a comma is missing
  --> a.ctl-pgn:8:10
  |
8 | 1. E7-E13 E21-E15
  |          ^ missing-comma
9 | 2. ♔E5-E9, *
  |    - behind
  |
  = 2:1: before
  = b\\u{1b}:8:10: in another file
  = two\\u{a}lines
  = §7.1, §7.6, record 2, Id Me-X01, ply 12w

"
        );
    }

    #[test]
    fn a_finding_of_a_file_shows_no_line() {
        let catalogue = catalogue();
        let mut finding = finding();
        (finding.severity, finding.record, finding.id, finding.ply) = (Severity::Style, 0, None, None);
        let text = written(&mut Full::new(&catalogue, false, 20), Path::new("a\u{1b}"), &[finding], None);
        assert_eq!(text, "style[M104]: a comma is missing\n  --> a\\u{1b}:4:4\n  = §7.1, §7.6\n\n");
    }

    #[test]
    fn nothing_hidden_reaches_the_screen() {
        let text = b"\x1B[2J\t\xE0 \xE2\x80\xAEabc\n";
        let drawing = drawn(text, |finding| (finding.at, finding.end) = (place(105, 1, 6), place(106, 1, 7)));
        assert!(
            drawing.contains("1 | \\u{1b}[2J   \\xE0 \\u{202e}abc\n  |             ^^^^ missing-comma\n"),
            "{drawing}"
        );
    }

    #[test]
    fn a_long_line_is_clipped_around_the_place() {
        let text = ["×".repeat(150_000), "E7".to_owned(), "×".repeat(150_000)].concat();
        let at = 300_000;
        let drawing = drawn(text.as_bytes(), |finding| {
            (finding.at, finding.end) = (place(100 + at, 70_000, 150_001), place(102 + at, 70_000, 150_003));
            finding.related.push(related(100, 70_000, 1, "far"));
        });
        assert!(drawing.len() < 1500, "{}", drawing.len());
        assert!(drawing.contains("\n      --> a.ctl-pgn:70000:150001\n"), "{drawing}");
        let place = format!("70000 | …{}E7{}…\n", "×".repeat(50), "×".repeat(79));
        assert!(drawing.contains(&place), "{drawing}");
        assert!(drawing.contains(&format!("      | {}^^ missing-comma\n", " ".repeat(51))), "{drawing}");
        assert!(drawing.contains(&format!("70000 | {}…\n      | - far\n", "×".repeat(80))), "{drawing}");
    }

    #[test]
    fn a_span_over_lines_ends_with_the_first() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("one{end}{{ two{end}three }}{end}");
            let start = 103 + end.len() as u64;
            let drawing = drawn(text.as_bytes(), |finding| {
                (finding.at, finding.end) = (place(start, 2, 1), place(start + 8, 3, 2));
            });
            assert!(drawing.contains("\n2 | { two\n  | ^^^^^ missing-comma\n  |\n"), "{drawing}");
        }
    }

    #[test]
    fn what_is_missing_is_marked_behind_the_last_word() {
        for (text, at, row) in [("*\r\n", 101, 1), ("*\r\n", 102, 1), ("*", 101, 1)] {
            let drawing =
                drawn(text.as_bytes(), |finding| (finding.at, finding.end) = (place(at, row, 2), place(at, row, 2)));
            assert!(drawing.contains("\n1 | *\n  |  ^ missing-comma\n"), "{drawing}");
        }
        let drawing = drawn(b"*\n", |finding| (finding.at, finding.end) = (place(102, 2, 1), place(102, 2, 1)));
        assert!(drawing.contains("\n2 | \n  | ^ missing-comma\n"), "{drawing}");
    }

    #[test]
    fn places_out_of_all_bounds_do_no_harm() {
        let text = "a×b\n".as_bytes();
        for (at, end) in [(0, 3), (102, 101), (102, 102), (103, u64::MAX), (104, 105), (105, 106), (u64::MAX, 0)] {
            drawn(text, |finding| (finding.at, finding.end) = (place(at, u64::MAX, u32::MAX), place(end, 0, 0)));
        }
    }

    #[test]
    fn the_rest_of_a_rule_is_counted() {
        let catalogue = catalogue();
        let mut findings = vec![finding(); 5];
        findings[0].rule = RuleId(3);
        let shown = |max| written(&mut Full::new(&catalogue, false, max), Path::new("a"), &findings, None);
        assert_eq!(shown(1).matches("a comma is missing").count(), 2);
        assert!(shown(1).ends_with("\n\n… 3 more of M104 missing-comma: see --max-per-rule\n"));
        assert_eq!(shown(0).matches("a comma is missing").count(), 5);
        assert!(!shown(0).contains('…') && !shown(4).contains('…'));
    }

    #[test]
    fn errors_of_the_writer_are_passed_up() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let catalogue = catalogue();
        let error = Full::new(&catalogue, true, 0).finding(&mut Closed, Path::new("a"), &finding(), None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
