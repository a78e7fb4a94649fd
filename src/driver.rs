//! Files to chunks of whole records, chunks to workers, outcomes back in order.
//!
//! The calling thread reads, cuts and takes the outcomes; the workers are a pool's. What comes is the same for any number
//! of threads. Files that fit a chunk are opened, cut and judged inside a worker.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use crate::source::{Chunk, Cutter, FileId, Input, Piece, Problem, RECORD_BOUND, Reader, Spare, line_ends};

/// How a run reads.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads that judge; up to 1: the calling thread does, and there is no other.
    pub threads: usize,
    /// Read files, never map them.
    pub no_mmap: bool,
    /// About how many bytes a chunk has, at least 1.
    pub chunk: usize,
    /// The longest record that is read, in bytes (§1.11).
    pub record: usize,
    /// Every line is a record, as in JSON Lines.
    pub lines: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { threads: 1, no_mmap: false, chunk: 256 << 10, record: RECORD_BOUND, lines: false }
    }
}

/// Judges chunks; one a thread, with the memory it needs, used again and again. A panic in it reaches the caller
/// of [`run`]: who wants the rest to go on catches it record by record.
pub trait Worker: Send {
    /// What it finds.
    type Out: Send;

    /// Judges the records of a chunk.
    fn judge(&mut self, chunk: &Chunk) -> Self::Out;
}

/// What a run tells, file by file in the order of the inputs, and within a file in its order.
#[derive(Debug)]
pub enum Event<'a, O> {
    /// A file begins.
    Start(FileId),
    /// A chunk was judged.
    Chunk {
        /// The chunk.
        chunk: &'a Chunk,
        /// Line ends before it in its file.
        row: u64,
        /// Records before it in its file.
        record: u64,
        /// What the worker said.
        out: O,
    },
    /// The file, or a part of it, could not be read.
    Problem {
        /// The file.
        file: FileId,
        /// Bytes before it.
        offset: u64,
        /// Line ends before it.
        row: u64,
        /// Characters before it on its line.
        column: u32,
        /// Records before it.
        record: u64,
        /// What it is.
        what: Problem,
    },
    /// The file is done, with what was seen of it: records passed over count, what follows a failure doesn't.
    End {
        /// The file.
        file: FileId,
        /// Its records.
        records: u64,
        /// Its line ends.
        rows: u64,
        /// Its length.
        bytes: u64,
    },
}

/// Reads `inputs`, judges their chunks with workers that `make` makes, and tells `consume` on the calling thread, until
/// it breaks.
pub fn run<W: Worker>(
    inputs: &[Input],
    options: &Options,
    make: impl Fn() -> W + Sync,
    consume: impl FnMut(Event<'_, W::Out>) -> ControlFlow<()>,
) {
    let options = Options { chunk: options.chunk.clamp(1, RECORD_BOUND), ..options.clone() };
    let shared =
        Shared { options, make, workers: Mutex::default(), spare: Spare::default(), stop: AtomicBool::default() };
    let mut teller = Teller { consume, spare: &shared.spare, bytes: 0, rows: 0, column: 0, records: 0 };
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().ok();
    // Where no thread can be made, one does.
    let _ = match Some(shared.options.threads).filter(|&threads| threads > 1).and_then(pool) {
        Some(pool) => run_pooled(inputs, &shared, &pool, &mut teller),
        None => files(inputs).try_for_each(|(file, input)| {
            shared.with_worker(|worker| shared.judge_file(file, input, worker, &mut |part| teller.tell(part)))
        }),
    };
}

fn files(inputs: &[Input]) -> impl Iterator<Item = (FileId, &Input)> {
    inputs.iter().enumerate().map(|(k, input)| (FileId(k as u32), input))
}

/// What workers and the calling thread share.
struct Shared<M, W> {
    options: Options,
    make: M,
    workers: Mutex<Vec<W>>,
    spare: Spare,
    /// Nobody waits for outcomes any more.
    stop: AtomicBool,
}

/// An event that has not been told: it lacks what is before it.
enum Part<O> {
    Start(FileId),
    Chunk { chunk: Chunk, rows: u64, out: O },
    Problem(FileId, Problem),
    End(FileId),
}

impl<W: Worker, M: Fn() -> W + Sync> Shared<M, W> {
    /// Lends a worker, a new one if all are lent.
    fn with_worker<R>(&self, work: impl FnOnce(&mut W) -> R) -> R {
        let kept = self.workers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = kept.unwrap_or_else(&self.make);
        let result = work(&mut worker);
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        result
    }

    /// Cuts a file and hands on its pieces, between a start and an end.
    fn cut_file(
        &self,
        file: FileId,
        input: &Input,
        mut each: impl FnMut(Cut<W::Out>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        each(Cut::Part(Part::Start(file)))?;
        match Reader::open(input, self.options.no_mmap) {
            Err(problem) => each(Cut::Part(Part::Problem(file, problem)))?,
            Ok(reader) => {
                let mut cutter = Cutter::new(file, reader, self.options.chunk, self.options.record, &self.spare);
                if self.options.lines {
                    cutter.cut_lines();
                }
                while let Some(piece) = cutter.next() {
                    each(match piece {
                        Piece::Chunk(chunk) => Cut::Chunk(chunk),
                        Piece::Problem(problem) => Cut::Part(Part::Problem(file, problem)),
                    })?;
                }
            }
        }
        each(Cut::Part(Part::End(file)))
    }

    fn judge_file(
        &self,
        file: FileId,
        input: &Input,
        worker: &mut W,
        each: &mut dyn FnMut(Part<W::Out>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.cut_file(file, input, |cut| {
            each(match cut {
                Cut::Chunk(chunk) => judge(chunk, worker),
                Cut::Part(part) => part,
            })
        })
    }

    /// A file that is worth no chunk of its own. A compressed one may hold any amount of text, and a worker keeps
    /// all of a small file.
    fn is_small(&self, input: &Input) -> bool {
        input.text_len().is_some_and(|len| len <= self.options.chunk as u64)
    }
}

/// A piece of a file: to be judged, or to be told as it is.
enum Cut<O> {
    Chunk(Chunk),
    Part(Part<O>),
}

fn judge<W: Worker>(chunk: Chunk, worker: &mut W) -> Part<W::Out> {
    let out = worker.judge(&chunk);
    Part::Chunk { rows: line_ends(chunk.text()), chunk, out }
}

fn run_pooled<W: Worker, M: Fn() -> W + Sync, F: FnMut(Event<'_, W::Out>) -> ControlFlow<()>>(
    inputs: &[Input],
    shared: &Shared<M, W>,
    pool: &ThreadPool,
    teller: &mut Teller<'_, F>,
) -> ControlFlow<()> {
    pool.in_place_scope(|scope| {
        let mut ring = Ring::new(&shared.options);
        let flow = files(inputs).try_for_each(|(file, input)| {
            if shared.is_small(input) {
                ring.make_room(teller)?;
                ring.start(scope, shared.options.chunk, shared, move |worker| {
                    let mut parts = Vec::new();
                    let _ = shared.judge_file(file, input, worker, &mut |part| {
                        parts.push(part);
                        ControlFlow::Continue(())
                    });
                    parts
                });
                return ControlFlow::Continue(());
            }
            shared.cut_file(file, input, |cut| {
                ring.make_room(teller)?;
                match cut {
                    Cut::Part(part) => ring.put(part),
                    Cut::Chunk(chunk) => {
                        ring.start(scope, chunk.text().len(), shared, move |worker| vec![judge(chunk, worker)]);
                    }
                }
                ControlFlow::Continue(())
            })
        });
        let flow = if flow.is_continue() { ring.finish(teller) } else { flow };
        shared.stop.store(true, Ordering::Relaxed);
        flow
    })
}

/// What a job gives: its parts, or the panic that ended it.
type Given<O> = Result<Vec<Part<O>>, Box<dyn Any + Send>>;

/// The jobs that were started and not told, in order.
struct Ring<O> {
    slots: VecDeque<Slot<O>>,
    /// The number of the first slot.
    first: u64,
    /// The weight of all slots.
    weight: usize,
    most_slots: usize,
    most_weight: usize,
    send: Sender<(u64, Given<O>)>,
    done: Receiver<(u64, Given<O>)>,
}

struct Slot<O> {
    /// Its text's length in bytes.
    weight: usize,
    parts: Option<Vec<Part<O>>>,
}

impl<O: Send> Ring<O> {
    fn new(options: &Options) -> Ring<O> {
        let (send, done) = channel();
        let most_slots = 4 * options.threads;
        let most_weight = 2 * most_slots * options.chunk.max(256 << 10);
        Ring { slots: VecDeque::new(), first: 0, weight: 0, most_slots, most_weight, send, done }
    }

    fn put(&mut self, part: Part<O>) {
        self.slots.push_back(Slot { weight: 0, parts: Some(vec![part]) });
    }

    fn start<'s, W: Worker<Out = O> + 's, M: Fn() -> W + Sync>(
        &mut self,
        scope: &Scope<'s>,
        weight: usize,
        shared: &'s Shared<M, W>,
        work: impl FnOnce(&mut W) -> Vec<Part<O>> + Send + 's,
    ) where
        O: 's,
    {
        let number = self.first + self.slots.len() as u64;
        let send = self.send.clone();
        self.slots.push_back(Slot { weight, parts: None });
        self.weight += weight;
        scope.spawn(move |_| {
            if !shared.stop.load(Ordering::Relaxed) {
                let given = catch_unwind(AssertUnwindSafe(|| shared.with_worker(work)));
                // Nobody listens any more only when the run has ended.
                let _ = send.send((number, given));
            }
        });
    }

    /// Tells what is due, and waits until there is room for another job.
    fn make_room(&mut self, teller: &mut impl Tell<O>) -> ControlFlow<()> {
        self.settle(teller, self.most_slots - 1, self.most_weight)
    }

    fn finish(&mut self, teller: &mut impl Tell<O>) -> ControlFlow<()> {
        self.settle(teller, 0, 0)
    }

    fn settle(&mut self, teller: &mut impl Tell<O>, slots: usize, weight: usize) -> ControlFlow<()> {
        loop {
            while let Ok(given) = self.done.try_recv() {
                self.keep(given);
            }
            while let Some(parts) = self.slots.front_mut().and_then(|slot| slot.parts.take()) {
                self.weight -= self.slots.pop_front().map_or(0, |slot| slot.weight);
                self.first += 1;
                parts.into_iter().try_for_each(|part| teller.tell(part))?;
            }
            if self.slots.len() <= slots && self.weight <= weight {
                return ControlFlow::Continue(());
            }
            if let Ok(given) = self.done.recv() {
                self.keep(given);
            }
        }
    }

    fn keep(&mut self, (number, given): (u64, Given<O>)) {
        let parts = given.unwrap_or_else(|panic| resume_unwind(panic));
        if let Some(slot) = self.slots.get_mut((number - self.first) as usize) {
            slot.parts = Some(parts);
        }
    }
}

/// Takes parts in order.
trait Tell<O> {
    fn tell(&mut self, part: Part<O>) -> ControlFlow<()>;
}

/// Adds to the parts what came before them in their file.
struct Teller<'s, F> {
    consume: F,
    spare: &'s Spare,
    bytes: u64,
    rows: u64,
    column: u32,
    records: u64,
}

impl<O, F: FnMut(Event<'_, O>) -> ControlFlow<()>> Tell<O> for Teller<'_, F> {
    fn tell(&mut self, part: Part<O>) -> ControlFlow<()> {
        let Teller { bytes, rows: row, column, records: record, .. } = *self;
        match part {
            Part::Start(file) => {
                (self.bytes, self.rows, self.column, self.records) = (0, 0, 0, 0);
                (self.consume)(Event::Start(file))
            }
            Part::Chunk { chunk, rows, out } => {
                let flow = (self.consume)(Event::Chunk { chunk: &chunk, row, record, out });
                self.add(chunk.text().len() as u64, rows, chunk.end_column(), chunk.cuts().len() as u64);
                self.spare.put(chunk);
                flow
            }
            Part::Problem(file, what) => {
                if let Problem::RecordTooLong { bytes, rows } = what {
                    self.add(bytes, rows, 0, 1);
                }
                (self.consume)(Event::Problem { file, offset: bytes, row, column, record, what })
            }
            Part::End(file) => (self.consume)(Event::End { file, records: record, rows: row, bytes }),
        }
    }
}

impl<F> Teller<'_, F> {
    fn add(&mut self, bytes: u64, rows: u64, column: u32, records: u64) {
        self.bytes += bytes;
        self.rows += rows;
        self.column = column;
        self.records += records;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Tells records by their texts.
    struct Texts;

    impl Worker for Texts {
        type Out = Vec<String>;

        fn judge(&mut self, chunk: &Chunk) -> Vec<String> {
            chunk.records().map(|text| String::from_utf8_lossy(text).into_owned()).collect()
        }
    }

    /// The events, with a chunk's records one by one, so that they don't depend on chunks.
    fn told(inputs: &[Input], options: &Options) -> Vec<String> {
        let mut all = Vec::new();
        run(
            inputs,
            options,
            || Texts,
            |event| {
                match event {
                    Event::Chunk { chunk, row, record, out } => {
                        let mut rows = chunk.rows();
                        for (k, (text, &cut)) in out.iter().zip(chunk.cuts()).enumerate() {
                            let (relative, column) = rows.place(cut as usize);
                            let (at, row) = (chunk.base + u64::from(cut), row + u64::from(relative));
                            all.push(format!("{:?} {} {at} {row}:{column} {text}", chunk.file, record + k as u64));
                        }
                    }
                    other => all.push(format!("{other:?}")),
                }
                ControlFlow::Continue(())
            },
        );
        all
    }

    fn lay(folder: &Path, files: &[(&str, &[u8])]) -> Vec<Input> {
        let lay = |&(name, text): &(&str, &[u8])| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            Input::File(path)
        };
        files.iter().map(lay).collect()
    }

    const V: &str = "[Variant \"C'escacs\"]\n";

    fn games(count: usize) -> String {
        let game = |k| format!("{V}[Id \"{k}\"]\n1. E7-E13, E21-E15\r\n2. H6\u{D7}H12 :\n*\n\n");
        (0..count).map(game).collect::<Vec<_>>().concat()
    }

    #[test]
    fn events_are_the_same_for_every_way_of_reading() {
        let folder = tempfile::tempdir().unwrap();
        let long = format!("{}{V}{}\n3-0{V}*\n", games(3), "x\r\n".repeat(1_000_000));
        let mut inputs = lay(
            folder.path(),
            &[
                ("many", games(20_000).as_bytes()),
                ("one", games(1).as_bytes()),
                ("empty", b""),
                ("blank", b"\n{ a }\n"),
                ("zip", b"PK\x03\x04"),
                ("long", long.as_bytes()),
                ("two", format!("\u{FEFF}x\n{}", games(2)).as_bytes()),
            ],
        );
        inputs.insert(3, Input::File(folder.path().join("none")));
        let options = |threads, no_mmap, chunk| Options { threads, no_mmap, chunk, record: 1 << 20, lines: false };
        let want = told(&inputs, &options(1, true, 1 << 20));
        for (threads, no_mmap, chunk) in
            [(1, false, 1 << 20), (4, false, 1 << 20), (4, true, 10_000), (4, false, 10_000), (3, false, 300)]
        {
            assert!(told(&inputs, &options(threads, no_mmap, chunk)) == want, "{threads} {no_mmap} {chunk}");
        }
        let few = &inputs[1..5];
        assert!(told(few, &options(4, false, 1)) == told(few, &options(1, false, 1 << 20)));

        assert_eq!(want.len(), 20_000 + 1 + 2 + 5 + 3 + 8 * 2);
        let end = &want[20_001];
        assert_eq!(
            *end,
            format!("End {{ file: FileId(0), records: 20000, rows: 120000, bytes: {} }}", games(20_000).len())
        );
        let [.., four, _, start, first, _, _, _] = &want[..] else { panic!() };
        assert!(four.ends_with(&format!("4 {} 1000021:4 {V}*\n", long.len() - V.len() - 2)), "{four}");
        assert_eq!(start, "Start(FileId(7))");
        assert_eq!(first, "FileId(7) 0 0 1:1 \u{FEFF}x\n");
        for problem in [
            "Problem { file: FileId(3), offset: 0, row: 0, column: 0, record: 0, what: Unreadable(",
            "Problem { file: FileId(5), offset: 0, row: 0, column: 0, record: 0, what: NotText(Zip, None) }",
            "what: RecordTooLong { bytes: 3000025, rows: 1000002 } }",
        ] {
            assert!(want.iter().any(|event| event.contains(problem)), "{problem}");
        }
    }

    #[test]
    fn compressed_files_give_the_same_events() {
        let folder = tempfile::tempdir().unwrap();
        let line = format!("{V}{{ {} }} *\n", "x".repeat(10 << 20));
        let text = format!("{}{line}{}", games(100), games(9_000));
        let plain = lay(folder.path(), &[("plain", text.as_bytes())]);
        let zst = zstd::encode_all(text.as_bytes(), 1).unwrap();
        // Little data, much text.
        assert!(zst.len() < 256 << 10);
        let options = |threads, no_mmap, chunk| Options { threads, no_mmap, chunk, ..Options::default() };
        let want = told(&plain, &options(1, true, 1 << 20));
        assert_eq!(want.len(), 1 + 100 + 1 + 9_000 + 1);
        let packed = lay(folder.path(), &[("zst", &zst)]);
        let cut = lay(folder.path(), &[("cut", &[&zst[..], b"cut"].concat())]);
        for options in [options(1, false, 256 << 10), options(4, false, 1 << 20), options(4, true, 300)] {
            assert!(told(&packed, &options) == want, "{options:?}");
            let mut damaged = told(&cut, &options);
            let problem = damaged.remove(want.len() - 1);
            assert!(
                problem.contains(&format!("offset: {}, row: 54602, column: 0, record: 9101", text.len())),
                "{problem}"
            );
            assert!(damaged == want, "{options:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pipes_are_read() {
        use std::io::Write;
        use std::os::fd::AsRawFd;
        let (read, mut write) = std::io::pipe().unwrap();
        let text = games(5_000);
        let input = [Input::File(PathBuf::from(format!("/dev/fd/{}", read.as_raw_fd())))];
        let want = told(&lay(tempfile::tempdir().unwrap().path(), &[("a", b"")]), &Options::default()).len() + 5_000;
        let told = std::thread::scope(|scope| {
            scope.spawn(|| {
                write.write_all(text.as_bytes()).unwrap();
                drop(write);
            });
            told(&input, &Options { threads: 2, ..Options::default() })
        });
        assert_eq!(told.len(), want);
    }

    #[test]
    fn a_run_stops_when_it_is_told_to_and_passes_a_panic_on() {
        struct Panics;
        impl Worker for Panics {
            type Out = ();
            fn judge(&mut self, chunk: &Chunk) {
                assert!(chunk.base == 0, "not the first");
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let inputs = lay(folder.path(), &[("a", games(50_000).as_bytes())]);
        for threads in [1, 4] {
            let options = Options { threads, chunk: 1 << 10, ..Options::default() };
            let mut events = 0;
            run(
                &inputs,
                &options,
                || Texts,
                |_| {
                    events += 1;
                    if events == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            assert_eq!(events, 3);
            let run = || run(&inputs, &options, || Panics, |_| ControlFlow::Continue(()));
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }

    #[test]
    fn few_chunks_are_alive_at_once() {
        use std::sync::atomic::AtomicUsize;
        struct Counts<'a>(&'a AtomicUsize);
        impl Worker for Counts<'_> {
            type Out = ();
            fn judge(&mut self, _: &Chunk) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let inputs = lay(folder.path(), &[("a", games(50_000).as_bytes())]);
        let options = Options { threads: 2, chunk: 1 << 12, ..Options::default() };
        let judged = AtomicUsize::new(0);
        let mut told = 0;
        run(
            &inputs,
            &options,
            || Counts(&judged),
            |event| {
                if let Event::Chunk { .. } = event {
                    if told < 20 {
                        std::thread::sleep(std::time::Duration::from_millis(5));
                    }
                    told += 1;
                    assert!(judged.load(Ordering::Relaxed) <= told + 8);
                }
                ControlFlow::Continue(())
            },
        );
        assert!(told > 100);
    }
}
