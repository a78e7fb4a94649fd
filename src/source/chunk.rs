//! A file as chunks of whole records.

use std::mem;
use std::sync::{Mutex, PoisonError};

use super::{LOOK, Problem, Reader, Rows, Splitter};

/// An input: its number in the list of inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct FileId(pub u32);

/// Whole records that follow one another in a file, or all of a file that has none.
#[derive(Debug, Default)]
pub struct Chunk {
    /// The file.
    pub file: FileId,
    /// It starts the file.
    pub first: bool,
    /// Bytes before it in the file.
    pub base: u64,
    /// Characters before it on its line: 0, save where its first record begins right behind a result (§1.7).
    pub column: u32,
    /// Its last record may not be whole: behind it the compressed file is damaged.
    pub cut: bool,
    /// Nothing stands behind it in its file.
    pub last: bool,
    bytes: Vec<u8>,
    cuts: Vec<u32>,
}

impl Chunk {
    /// All of its text.
    pub fn text(&self) -> &[u8] {
        &self.bytes
    }

    /// Where its records begin, in bytes from its start; the first at 0. None: the file has no record (§1.1), and this
    /// is all of its text.
    pub fn cuts(&self) -> &[u32] {
        &self.cuts
    }

    /// Its records' texts, which tile its text.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.cuts.iter().enumerate().map(|(k, &start)| {
            let end = self.cuts.get(k + 1).map_or(self.bytes.len(), |&end| end as usize);
            &self.bytes[start as usize..end]
        })
    }

    /// Turns offsets within its text into rows from 1 and columns.
    pub fn rows(&self) -> Rows<'_> {
        Rows::new(&self.bytes, self.first, self.column)
    }

    /// Characters before its end on its last line.
    pub fn end_column(&self) -> u32 {
        let is_line_end = matches!(self.bytes.last(), Some(b'\n' | b'\r'));
        if is_line_end { 0 } else { self.rows().place(self.bytes.len()).1 - 1 }
    }
}

/// Chunks to use again, with their memory.
#[derive(Debug, Default)]
pub struct Spare(Mutex<Vec<Chunk>>);

/// A chunk that held more is not kept, lest one long record hold memory for the rest of the run.
const MOST_KEPT: usize = 1 << 20;

impl Spare {
    /// An empty chunk.
    pub fn take(&self) -> Chunk {
        let chunk = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        chunk.unwrap_or_default()
    }

    /// Gives a chunk back.
    pub fn put(&self, mut chunk: Chunk) {
        if chunk.bytes.capacity() <= MOST_KEPT {
            chunk.bytes.clear();
            chunk.cuts.clear();
            chunk.cut = false;
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
        }
    }
}

/// A part of a file, as [`Cutter::next`] gives them.
#[derive(Debug)]
pub enum Piece {
    /// Text to judge.
    Chunk(Chunk),
    /// What stands here instead.
    Problem(Problem),
}

/// Cuts one file into chunks of whole records; its pieces come in the order of the file.
pub struct Cutter<'s> {
    reader: Reader,
    splitter: Splitter,
    spare: &'s Spare,
    /// Bytes to read at a time, about the size of chunks.
    step: usize,
    /// The longest record (§1.11).
    bound: usize,
    /// What was read and not given away, from a record's start; its `cuts` are where settled records end.
    pending: Chunk,
    /// What was dropped of a record over the bound: bytes and rows.
    passed: Option<(u64, u64)>,
    ended: bool,
    /// Why reading ended before the file did.
    failed: Option<Problem>,
}

impl<'s> Cutter<'s> {
    /// Cuts what `reader` gives into chunks of about `step` bytes; records over `bound` bytes (normally
    /// [`super::RECORD_BOUND`]) are passed over.
    pub fn new(file: FileId, reader: Reader, step: usize, bound: usize, spare: &'s Spare) -> Cutter<'s> {
        let pending = Chunk { file, first: true, base: 0, column: 0, ..spare.take() };
        let splitter = Splitter::default();
        Cutter { reader, splitter, spare, step, bound, pending, passed: None, ended: false, failed: None }
    }

    /// Takes every line for a record.
    pub fn cut_lines(&mut self) {
        self.splitter = Splitter::of_lines();
    }

    /// The next piece of the file.
    #[expect(clippy::should_implement_trait, reason = "a thing that reads files until it ends is no collection")]
    pub fn next(&mut self) -> Option<Piece> {
        loop {
            if let Some(piece) = self.settled() {
                return Some(piece);
            }
            if self.ended {
                // Unless damage did it, the record that a failure breaks off is left out: it is there, and to be read again.
                return self.failed.take().map(Piece::Problem);
            }
            self.read_on();
        }
    }

    fn read_on(&mut self) {
        let Chunk { bytes, cuts, .. } = &mut self.pending;
        let filled = self.reader.fill(bytes, self.step);
        self.ended = !matches!(filled, Ok(count) if count == self.step);
        self.failed = filled.err();
        let has_all = self.ended && matches!(self.failed, None | Some(Problem::Damaged(_)));
        self.splitter.scan(bytes, has_all, cuts);
        if has_all && !bytes.is_empty() {
            cuts.push(bytes.len() as u32);
        }
    }

    fn settled(&mut self) -> Option<Piece> {
        let Some(&end) = self.pending.cuts.first() else {
            self.pass_over();
            return None;
        };
        if self.passed.is_some() || end as usize > self.bound {
            self.drop_front(end as usize);
            self.pending.cuts.remove(0);
            let (bytes, rows) = self.passed.take()?;
            return Some(Piece::Problem(Problem::RecordTooLong { bytes, rows }));
        }
        let cuts = &self.pending.cuts;
        let too_long = cuts.windows(2).position(|pair| (pair[1] - pair[0]) as usize > self.bound);
        let count = too_long.map_or(cuts.len(), |k| k + 1);
        Some(Piece::Chunk(self.split(count)))
    }

    /// Drops what a record over the bound has settled so far: now and then only, as the rest moves to the front.
    fn pass_over(&mut self) {
        let settled = self.splitter.settled();
        if settled > self.bound || (self.passed.is_some() && settled > 4 * LOOK) {
            let mut end = settled;
            // Neither a character nor a line end may be torn, lest it count twice.
            let bytes = &self.pending.bytes;
            while end > 0 && (bytes[end] & 0xC0 == 0x80 && settled - end < 3 || bytes[end] == b'\n') {
                end -= 1;
            }
            self.drop_front(end);
        }
    }

    /// Drops the first bytes of `pending`, of a record over the bound.
    fn drop_front(&mut self, len: usize) {
        let (row, column) = self.pending.rows().place(len);
        let (bytes, rows) = self.passed.unwrap_or_default();
        self.passed = Some((bytes + len as u64, rows + u64::from(row - 1)));
        self.splitter.forget(len);
        self.pending.bytes.drain(..len);
        self.pending.cuts.iter_mut().for_each(|end| *end -= len as u32);
        self.pending.column = column - 1;
        self.pending.base += len as u64;
        self.pending.first = false;
    }

    /// Gives away the first `count` records of `pending`.
    fn split(&mut self, count: usize) -> Chunk {
        let has_record = self.splitter.has_record();
        let end = self.pending.cuts[count - 1] as usize;
        let mut rest = self.spare.take();
        rest.bytes.extend_from_slice(&self.pending.bytes[end..]);
        rest.cuts.extend(self.pending.cuts[count..].iter().map(|cut| cut - end as u32));
        rest.file = self.pending.file;
        rest.base = self.pending.base + end as u64;
        rest.first = false;
        self.splitter.forget(end);

        let mut chunk = mem::replace(&mut self.pending, rest);
        chunk.bytes.truncate(end);
        chunk.cuts.truncate(count - 1);
        if has_record {
            chunk.cuts.insert(0, 0);
        }
        self.pending.column = chunk.end_column();
        chunk.last = self.pending.bytes.is_empty();
        chunk.cut = self.pending.bytes.is_empty() && matches!(self.failed, Some(Problem::Damaged(_)));
        chunk
    }
}

impl Drop for Cutter<'_> {
    fn drop(&mut self) {
        self.spare.put(mem::take(&mut self.pending));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Read};

    use super::*;
    use crate::source::line_ends;

    /// A pipe that gives a few bytes at a time, then perhaps fails.
    struct Pipe(Cursor<Vec<u8>>, bool);

    impl Read for Pipe {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = buffer.len().min(7);
            match self.0.read(&mut buffer[..len])? {
                0 if self.1 => Err(io::Error::other("torn")),
                read => Ok(read),
            }
        }
    }

    const V: &str = "[Variant \"C'escacs\"]\n";

    fn pieces(text: &[u8], fails: bool, step: usize, bound: usize) -> Vec<Piece> {
        let spare = Spare::default();
        let reader = Reader::new(Pipe(Cursor::new(text.to_vec()), fails)).unwrap();
        let mut cutter = Cutter::new(FileId(0), reader, step, bound, &spare);
        std::iter::from_fn(|| cutter.next()).collect()
    }

    /// What the pieces say, a text or the problem for each record, with offset and column.
    fn told(pieces: &[Piece]) -> Vec<(u64, u32, String)> {
        let mut all = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Chunk(chunk) => {
                    let mut rows = chunk.rows();
                    assert_eq!(chunk.first, chunk.base == 0);
                    assert_eq!(chunk.records().map(<[u8]>::len).sum::<usize>(), chunk.text().len());
                    for (&cut, text) in chunk.cuts().iter().zip(chunk.records()) {
                        let text = String::from_utf8_lossy(text).into_owned();
                        all.push((chunk.base + u64::from(cut), rows.place(cut as usize).1, text));
                    }
                }
                Piece::Problem(problem) => all.push((0, 0, format!("{problem:?}"))),
            }
        }
        all
    }

    #[test]
    fn records_are_the_same_for_every_step() {
        let records = [
            format!("\u{FEFF}{V}*\n\n"),
            format!("{V}1. \u{D7}\u{D7} *"),
            format!("{V}{{ }}\n3-0"),
            format!(" {V}*\r\n\r\n"),
            V.to_owned(),
        ];
        let text = records.concat();
        for step in [1, 2, 3, 10, 64, 100, 1 << 20] {
            let told = told(&pieces(text.as_bytes(), false, step, 1 << 20));
            assert_eq!(told.iter().map(|(_, _, text)| text).collect::<Vec<_>>(), records.each_ref(), "{step}");
            assert!(told.iter().all(|(at, _, record)| text[*at as usize..].starts_with(record)), "{step}");
            assert_eq!(told.iter().map(|(_, column, _)| *column).collect::<Vec<_>>(), [1, 1, 8, 4, 1], "{step}");
        }
    }

    #[test]
    fn a_file_without_records_is_one_chunk_without_cuts() {
        for step in [1, 5, 1 << 20] {
            assert!(pieces(b"", false, step, 100).is_empty());
            let pieces = pieces("\u{FEFF}{ a }\n\0\n".as_bytes(), false, step, 100);
            let [Piece::Chunk(chunk)] = &pieces[..] else { panic!("{pieces:?}") };
            assert_eq!((chunk.text(), chunk.cuts()), ("\u{FEFF}{ a }\n\0\n".as_bytes(), &[][..]));
        }
    }

    #[test]
    fn what_was_read_before_a_failure_is_given() {
        let record = format!("{V}{}\n*\n", "1. E7-E13\n".repeat(500));
        for step in [1, 30, 1 << 20] {
            let told = told(&pieces(format!("{record}{V}1.").as_bytes(), true, step, 1 << 20));
            let [(0, 1, first), (_, _, problem)] = &told[..] else { panic!("{told:?}") };
            assert!(*first == record && problem.starts_with("Unreadable"), "{problem}");
        }
    }

    #[test]
    fn of_a_damaged_file_the_last_record_is_given_and_marked() {
        let text = format!("{V}1. E7-E13\n*\n{V}1. E7");
        for (packed, want) in [(zstd::encode_all(text.as_bytes(), 1).unwrap(), "Trailing(Zstd)")] {
            for step in [1, 30, 1 << 20] {
                let pieces = pieces(&[&packed[..], b"and so on"].concat(), false, step, 1 << 20);
                let cut = |piece: &Piece| matches!(piece, Piece::Chunk(chunk) if chunk.cut);
                assert_eq!(pieces.iter().position(cut), Some(pieces.len() - 2), "{step}");
                let told = told(&pieces);
                let [(0, 1, first), (_, 1, second), (_, _, problem)] = &told[..] else { panic!("{told:?}") };
                assert!(format!("{first}{second}") == text && *problem == format!("Damaged({want})"), "{problem}");
            }
        }
    }

    #[test]
    fn long_records_are_passed_over() {
        let long = format!("{V}{}\u{1F600}*", "1. E7\u{D7}E13\r\n".repeat(400_000));
        let short = format!("{V}*\r\n");
        let text = [&short[..], &long, &long, &short, &short, &long].concat();
        let problem = |len: usize, rows: u64| format!("RecordTooLong {{ bytes: {len}, rows: {rows} }}");
        for step in [100_003, 256 << 10, 64 << 20] {
            let want = [(0, &short), (short.len() + 2 * long.len(), &short), (2 * (short.len() + long.len()), &short)];
            for bound in [short.len(), 1 << 20, long.len() - 1] {
                let told = told(&pieces(text.as_bytes(), false, step, bound));
                let too_long = problem(long.len(), line_ends(long.as_bytes()));
                let problems: Vec<_> = told.iter().map(|(_, _, text)| *text == too_long).collect();
                assert_eq!(problems, [false, true, true, false, false, true], "{step} {bound}");
                let records: Vec<_> = told.iter().filter(|(_, _, text)| *text != too_long).collect();
                assert_eq!(records[1], &((short.len() + 2 * long.len()) as u64, 3, short.clone()), "{step} {bound}");
                assert_eq!(
                    records.iter().map(|(at, _, text)| (*at as usize, text)).collect::<Vec<_>>(),
                    [want[0], want[1], (want[1].0 + short.len(), &short)]
                );
            }
            assert_eq!(told(&pieces(text.as_bytes(), false, step, long.len())).len(), 6);
        }
    }

    #[test]
    fn memory_is_bounded_while_a_record_is_passed_over() {
        let spare = Spare::default();
        let endless = io::repeat(b'x').take(1 << 28);
        let reader = Reader::new(Cursor::new(V).chain(endless)).unwrap();
        let mut cutter = Cutter::new(FileId(0), reader, 256 << 10, 1 << 20, &spare);
        while !cutter.ended {
            assert!(cutter.settled().is_none());
            cutter.read_on();
            assert!(cutter.pending.bytes.len() < 8 << 20);
        }
        assert!(matches!(cutter.next(), Some(Piece::Problem(Problem::RecordTooLong { bytes, rows: 1 }))
            if bytes == (1 << 28) + V.len() as u64));
        assert!(cutter.next().is_none());
    }
}
