//! Any bytes are read the same however they arrive, and what the filter writes stays as it is.

#![no_main]

use std::io::{self, Read};
use std::sync::LazyLock;

use ctl::driver::Worker;
use ctl::filter::{Form, Part, write};
use ctl::game::Position;
use ctl::lint::{Catalogue, Judge, Linter, RuleId, Selection};
use ctl::replay::Replayer;
use ctl::source::{Cutter, FileId, Piece, Spare, Splitter};
use ctl::syntax::{Begins, Lexer, Reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let cuts = cuts_in_one_piece(text);
    assert_eq!(cuts_in_windows(text), cuts, "windows");
    let whole = lint(text, text.len() + 1);
    assert!(whole.iter().all(|(found, _)| *found == cuts), "chunks");
    assert_eq!(lint(text, Sizes::of(text).next()), whole, "pieces");
    let ends = cuts.iter().copied().skip(1).chain([text.len()]);
    for (from, to) in cuts.iter().copied().zip(ends) {
        record(&text[from..to], begins(text, from));
    }
});

/// The sizes in which a text arrives: the same for the same text, so that a crash can be repeated.
struct Sizes(u64);

impl Sizes {
    fn of(text: &[u8]) -> Sizes {
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        Sizes(text.iter().fold(0xCBF2_9CE4_8422_2325, mix) | 1)
    }

    /// From 1 to 64, small ones more often.
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        1 << (self.0 % 7)
    }
}

/// Where records begin; none where the text has no record.
fn cuts_in_one_piece(text: &[u8]) -> Vec<usize> {
    let (mut splitter, mut starts) = (Splitter::default(), Vec::new());
    splitter.scan(text, true, &mut starts);
    let first = splitter.has_record().then_some(0);
    first.into_iter().chain(starts.iter().map(|start| *start as usize)).collect()
}

/// The same from a text that grows, and is forgotten up to the last record's start now and then.
fn cuts_in_windows(text: &[u8]) -> Vec<usize> {
    let (mut splitter, mut sizes) = (Splitter::default(), Sizes::of(text));
    let (mut forgotten, mut end, mut cuts) = (0, 0, Vec::new());
    loop {
        end = text.len().min(end + sizes.next());
        let mut starts = Vec::new();
        splitter.scan(&text[forgotten..end], end == text.len(), &mut starts);
        cuts.extend(starts.iter().map(|start| forgotten + *start as usize));
        if end == text.len() {
            break;
        }
        if let Some(last) = starts.last().filter(|_| sizes.next() > 4) {
            splitter.forget(*last as usize);
            forgotten += *last as usize;
        }
    }
    if splitter.has_record() {
        cuts.insert(0, 0);
    }
    cuts
}

/// A pipe that gives a few bytes at a time.
struct Pipe {
    text: Vec<u8>,
    at: usize,
    sizes: Sizes,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.sizes.next().min(buffer.len()).min(self.text.len() - self.at);
        buffer[..len].copy_from_slice(&self.text[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

/// A finding: where it begins in the text, its rule, its message.
type Told = (u64, RuleId, String);

static LINTER: LazyLock<Linter> = LazyLock::new(|| {
    let catalogue = Catalogue::load();
    Linter::new(catalogue, &Selection::everything(catalogue))
});

/// Where records begin in a pipe's text, read `step` bytes at a time, and what is found in them; nothing where that
/// is no text at all (§1.2).
fn lint(text: &[u8], step: usize) -> Option<(Vec<usize>, Vec<Told>)> {
    let pipe = Pipe { text: text.to_vec(), at: 0, sizes: Sizes::of(text) };
    let reader = ctl::source::Reader::new(pipe).ok()?;
    let (spare, mut judge) = (Spare::default(), Judge::new(&LINTER));
    let mut cutter = Cutter::new(FileId(0), reader, step, text.len(), &spare);
    let (mut whole, mut cuts, mut told) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(piece) = cutter.next() {
        let Piece::Chunk(chunk) = piece else { panic!("{piece:?}") };
        assert_eq!(chunk.base, whole.len() as u64);
        cuts.extend(chunk.cuts().iter().map(|cut| whole.len() + *cut as usize));
        whole.extend_from_slice(chunk.text());
        told.extend(judge.judge(&chunk).findings.into_iter().map(|finding| {
            assert!(finding.end.offset <= chunk.text().len() as u64, "{finding:?}");
            (chunk.base + finding.at.offset, finding.rule, finding.message)
        }));
        spare.put(chunk);
    }
    assert!(whole == text, "chunks tile the text");
    Some((cuts, told))
}

fn begins(text: &[u8], at: usize) -> Begins {
    match at.checked_sub(1).map(|before| text[before]) {
        None => Begins::File,
        Some(b'\n' | b'\r') => Begins::Line,
        Some(_) => Begins::BehindResult,
    }
}

/// Tokens and faults lie in the record; what can be written in a form is read again as the same.
fn record(text: &[u8], begins: Begins) {
    tokens_tile(text);
    let translated = Form::WHOLE.without(Part::Redefine);
    let forms = [Form::MINIMAL, Form::WHOLE, translated, translated.without(Part::Comments)];
    for form in forms.iter().chain(&Part::ALL.iter().map(|part| Form::WHOLE.without(*part)).collect::<Vec<_>>()) {
        let Some((once, last)) = formed(text, begins, form) else { continue };
        assert!(cuts_in_one_piece(&once) == [0], "one record: {}", String::from_utf8_lossy(&once));
        let (again, last_again) = formed(&once, Begins::File, form).expect("what is written can be written again");
        assert!(again == once, "{}\nbecomes\n{}", String::from_utf8_lossy(&once), String::from_utf8_lossy(&again));
        assert_eq!(last_again, last, "{}", String::from_utf8_lossy(&once));
    }
}

fn tokens_tile(text: &[u8]) {
    let (mut lexer, mut end) = (Lexer::new(text), 0);
    while let Some(token) = lexer.next_token() {
        assert!(token.at == end && token.len > 0, "{token:?} behind {end}");
        end = token.end();
    }
    assert_eq!(end, text.len(), "the last token's end");
}

/// The record in a form, and its last position, unless the record is refused (§13.3).
fn formed(text: &[u8], begins: Begins, form: &Form) -> Option<(Vec<u8>, Option<Position>)> {
    let mut reader = Reader::default();
    let mut record = reader.read(text, begins);
    let replayed = Replayer::default().replay(&mut record);
    for fault in record.faults.iter() {
        assert!(fault.end() as usize <= text.len(), "{fault:?}");
    }
    let mut out = Vec::new();
    write(&record, form, &mut out).is_ok().then_some((out, replayed.last))
}
