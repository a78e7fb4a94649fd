//! Games that are the beginning of another one: those with the same first plies are read again.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::digest::{Digest, Line};
use super::weigh::Verdict;
use super::{Across, Archive};
use crate::driver::{self, Event, Options, Worker};
use crate::lint::judge::begins;
use crate::replay::Replayer;
use crate::source::{Chunk, FileId, Input};
use crate::syntax::Reader;

/// A game that may be the beginning of another one, or have one as its beginning.
#[derive(Clone, Copy)]
struct Candidate {
    record: usize,
    line: Digest,
    /// Its input, among those that are read again.
    file: FileId,
    /// Bytes before its place in its file.
    offset: u64,
}

/// Adds a verdict for each game that is the beginning of another one. What came from a pipe can't be read again, and a
/// file that could not be read isn't tried again.
pub fn contained(archive: &Archive, inputs: &[Input], options: &Options, verdicts: &mut Vec<Verdict>) {
    let (candidates, files) = candidates(archive, inputs);
    let lines: HashSet<Digest> = candidates.iter().map(|candidate| candidate.line).collect();
    // For each line the first game that it is the beginning of.
    let mut longer: HashMap<Digest, usize> = HashMap::new();
    let make =
        || Again { candidates: &candidates, lines: &lines, reader: Reader::default(), replayer: Replayer::default() };
    driver::run(&files, options, make, |event| {
        if let Event::Chunk { out, .. } = event {
            for (line, record) in out {
                longer.entry(line).or_insert(record);
            }
        }
        ControlFlow::Continue(())
    });
    verdicts.extend(candidates.iter().filter_map(|candidate| {
        let (record, other) = (candidate.record, Some(*longer.get(&candidate.line)?));
        let at = archive.keys[record].at;
        Some(Verdict { record, at, finds: Across::Contained, other, reference: None, unsure: false })
    }));
}

/// Games that have their first plies in common with another one, in the order of the records, and the files they lie in.
fn candidates(archive: &Archive, inputs: &[Input]) -> (Vec<Candidate>, Vec<Input>) {
    let is_file = |input: &Input| input.path().is_some_and(|path| path.metadata().is_ok_and(|about| about.is_file()));
    let again: Vec<bool> =
        (0..).zip(inputs).map(|(number, input)| is_file(input) && !archive.failed.contains(&FileId(number))).collect();
    let mut firsts: Vec<(u32, Digest, usize)> = archive
        .records()
        .filter(|(number, seen)| archive.firsts[*number] != 0 && again[seen.stretch.file.0 as usize])
        .map(|(number, seen)| (archive.firsts[number], seen.key.line, number))
        .collect();
    firsts.sort_unstable();
    let alike = firsts.chunk_by(|a, b| a.0 == b.0).filter(|run| run[0].1 != run[run.len() - 1].1);
    let mut numbers: Vec<usize> = alike.flatten().map(|(_, _, number)| *number).collect();
    numbers.sort_unstable();
    let (mut candidates, mut files, mut last) = (Vec::new(), Vec::new(), None);
    for record in numbers {
        let seen = archive.seen(record);
        let file = seen.stretch.file;
        if last.replace(file) != Some(file) {
            files.push(inputs[file.0 as usize].clone());
        }
        let file = FileId(files.len() as u32 - 1);
        candidates.push(Candidate { record, line: seen.key.line, file, offset: seen.place().offset });
    }
    (candidates, files)
}

struct Again<'a> {
    candidates: &'a [Candidate],
    /// Their lines.
    lines: &'a HashSet<Digest>,
    reader: Reader,
    replayer: Replayer,
}

impl Worker for Again<'_> {
    /// Lines, and the game of which each is the beginning.
    type Out = Vec<(Digest, usize)>;

    fn judge(&mut self, chunk: &Chunk) -> Self::Out {
        let mut found = Vec::new();
        let before = (chunk.file, chunk.base);
        let first = self.candidates.partition_point(|candidate| (candidate.file, candidate.offset) < before);
        let mut candidates =
            self.candidates[first..].iter().take_while(|candidate| candidate.file == chunk.file).peekable();
        for (text, &start) in chunk.records().zip(chunk.cuts()) {
            let end = chunk.base + u64::from(start) + text.len() as u64;
            let Some(candidate) = candidates.next_if(|candidate| candidate.offset < end) else { continue };
            let mut record = self.reader.read(text, begins(chunk, start));
            let replayed = self.replayer.replay(&mut record);
            let beginnings = Line::beginnings(&record, &replayed);
            // Who else writes to the file may have put another game there.
            if let Some((whole, beginnings)) = beginnings.split_last()
                && *whole == candidate.line
            {
                let known = beginnings.iter().filter(|line| self.lines.contains(line));
                found.extend(known.map(|line| (*line, candidate.record)));
            }
        }
        found
    }
}
