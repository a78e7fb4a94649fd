//! The text of gzip and zstd data: of every member and frame, a piece at a time, in bounded memory.
//!
//! The same bytes for every way in which the data arrive, also of damaged data: all that can be read before the damage,
//! to the byte in gzip, to the block in zstd.

use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;
use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_error_name};

use super::Problem;

named! {
    /// How data are compressed.
    pub enum Packing {
        /// Members, one behind another.
        Gzip = "gzip",
        /// Frames, one behind another.
        Zstd = "zstd",
    }
}

impl Packing {
    /// How the data are compressed that begin so, if they are.
    pub fn of(head: &[u8]) -> Option<Packing> {
        let begins = |packing: &Packing| head.len() >= packing.magic().len() && packing.fits(head);
        Packing::ALL.iter().copied().find(begins)
    }

    /// How a file of this name is compressed.
    pub fn of_name(path: &Path) -> Option<Packing> {
        let is = |ending: &str| path.extension().is_some_and(|other| other.eq_ignore_ascii_case(ending));
        match () {
            () if is("gz") => Some(Packing::Gzip),
            () if is("zst") => Some(Packing::Zstd),
            () => None,
        }
    }

    const fn magic(self) -> &'static [u8] {
        match self {
            Packing::Gzip => b"\x1F\x8B",
            Packing::Zstd => b"\x28\xB5\x2F\xFD",
        }
    }

    /// Whether a member or frame begins so, as far as the bytes go.
    fn fits(self, bytes: &[u8]) -> bool {
        // A frame of zstd that holds no text: four bits of its first byte are free.
        const SKIPPED: &[u8] = b"\x50\x2A\x4D\x18";
        let begins = |magic: &[u8], free: u8| {
            let mask = [!free, 0xFF, 0xFF, 0xFF];
            magic.iter().zip(bytes).zip(mask).all(|((want, byte), mask)| byte & mask == *want)
        };
        begins(self.magic(), 0) || self == Packing::Zstd && begins(SKIPPED, 0x0F)
    }

    const fn part(self) -> &'static str {
        match self {
            Packing::Gzip => "member",
            Packing::Zstd => "frame",
        }
    }
}

/// What is wrong with compressed data. The text before it could be read; whether its last record is whole, nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// They end inside a member or frame.
    BrokenOff(Packing),
    /// They can't be: why.
    Corrupt(Packing, &'static str),
    /// Behind a member or frame stands neither another one nor the end.
    Trailing(Packing),
    /// A frame needs a window of over 128 MiB.
    Window,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::BrokenOff(packing) => {
                write!(f, "the {} data break off inside a {}", packing.name(), packing.part())
            }
            Damage::Corrupt(packing, why) => write!(f, "the {} data are damaged ({why})", packing.name()),
            Damage::Trailing(packing) => {
                let (name, part) = (packing.name(), packing.part());
                write!(f, "behind a whole {part} of {name} data stands something else than a {part}")
            }
            Damage::Window => {
                let most = 1 << (WINDOW_LOG - 20);
                write!(f, "a zstd frame needs a window of over {most} MiB: compress the file without `--long`")
            }
        }
    }
}

/// The widest window of a zstd frame, as a power of 2: what zstd(1) itself grants.
const WINDOW_LOG: u32 = 27;

/// Compressed bytes that are read at a time.
const BLOCK: usize = 128 << 10;

/// Gives the text of compressed data.
pub struct Unpacker {
    packed: Packed,
    codec: Codec,
    /// A member or frame has begun and not ended.
    inside: bool,
    /// Pieces of text are decompressed to here.
    text: Vec<u8>,
    /// Where in `text` the part is that has not been given away.
    left: Range<usize>,
    /// What to say once it is.
    failed: Option<Problem>,
}

enum Codec {
    Gzip(Member),
    Zstd(Frame),
}

impl Unpacker {
    /// Reads `stream`, which begins as [`Packing::of`] says.
    pub fn new(packing: Packing, stream: Box<dyn Read + Send>) -> Unpacker {
        let (codec, room) = match packing {
            Packing::Gzip => (Codec::Gzip(Member::new()), Member::ROOM),
            Packing::Zstd => (Codec::Zstd(Frame::new()), Frame::ROOM),
        };
        Unpacker { packed: Packed::new(stream), codec, inside: false, text: vec![0; room], left: 0..0, failed: None }
    }

    /// Adds the next `count` bytes of text to `buffer`, fewer only at the end or before a problem, and says so once.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, count: usize) -> Result<(), Problem> {
        let end = buffer.len() + count;
        loop {
            let piece = &self.text[self.left.clone()];
            let piece = &piece[..piece.len().min(end - buffer.len())];
            buffer.extend_from_slice(piece);
            self.left.start += piece.len();
            if buffer.len() == end || !self.more()? {
                return Ok(());
            }
        }
    }

    /// As [`Unpacker::fill`], but a problem is kept for the next time.
    pub fn fill_head(&mut self, buffer: &mut Vec<u8>, count: usize) {
        if let Err(problem) = self.fill(buffer, count) {
            self.failed = Some(problem);
        }
    }

    /// Decompresses another piece, perhaps an empty one; `false` at the end.
    fn more(&mut self) -> Result<bool, Problem> {
        if let Some(problem) = self.failed.take() {
            return Err(problem);
        }
        if !self.inside && !self.begin()? {
            return Ok(false);
        }
        let (left, step) = match &mut self.codec {
            Codec::Gzip(member) => {
                let from = member.written();
                let (length, step) = member.step(&mut self.packed, &mut self.text[from..])?;
                (from..from + length, step)
            }
            Codec::Zstd(frame) => {
                let (length, step) = frame.step(&mut self.packed, &mut self.text)?;
                (0..length, step)
            }
        };
        self.left = left;
        self.inside = !matches!(step, Step::End);
        if let Step::Failed(problem) = step {
            self.failed = Some(problem);
        }
        Ok(true)
    }

    /// Goes to the next member or frame; `false` at the end.
    fn begin(&mut self) -> Result<bool, Problem> {
        let ahead = self.packed.ahead(4)?;
        if ahead.is_empty() {
            return Ok(false);
        }
        match &mut self.codec {
            Codec::Gzip(member) if Packing::Gzip.fits(ahead) => member.begin(&mut self.packed)?,
            Codec::Zstd(frame) if Packing::Zstd.fits(ahead) => frame.begin(),
            // Tapes and disks are filled up so.
            Codec::Gzip(_) if self.packed.holds_zeros_only()? => return Ok(false),
            Codec::Gzip(_) => return Err(Problem::Damaged(Damage::Trailing(Packing::Gzip))),
            Codec::Zstd(_) => return Err(Problem::Damaged(Damage::Trailing(Packing::Zstd))),
        }
        self.inside = true;
        Ok(true)
    }
}

/// What a piece of text was.
enum Step {
    /// More may follow.
    Inside,
    /// The last of its member or frame.
    End,
    /// The last that can be read, and why.
    Failed(Problem),
}

const fn damaged(damage: Damage) -> Step {
    Step::Failed(Problem::Damaged(damage))
}

/// Compressed data, in blocks that don't depend on how a pipe gives them.
struct Packed {
    stream: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    at: usize,
    /// Why there are no more.
    failed: Option<Problem>,
}

impl Packed {
    fn new(stream: Box<dyn Read + Send>) -> Packed {
        Packed { stream, bytes: Vec::with_capacity(BLOCK), at: 0, failed: None }
    }

    /// What comes next, `count` bytes of it or more, fewer only at the end.
    fn ahead(&mut self, count: usize) -> Result<&[u8], Problem> {
        if self.bytes.len() - self.at < count {
            if let Some(problem) = self.failed.take() {
                return Err(problem);
            }
            self.bytes.drain(..self.at);
            self.at = 0;
            let wanted = BLOCK - self.bytes.len();
            let read = self.stream.by_ref().take(wanted as u64).read_to_end(&mut self.bytes);
            // What came before a failure is used first.
            self.failed = read.map_err(Problem::Unreadable).err();
            if self.bytes.len() < count
                && let Some(problem) = self.failed.take()
            {
                return Err(problem);
            }
        }
        Ok(&self.bytes[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }

    /// The next `N` bytes, of a gzip member.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        match self.ahead(N)?.first_chunk() {
            Some(&bytes) => {
                self.consume(N);
                Ok(bytes)
            }
            None => Err(Problem::Damaged(Damage::BrokenOff(Packing::Gzip))),
        }
    }

    fn holds_zeros_only(&mut self) -> Result<bool, Problem> {
        loop {
            let ahead = self.ahead(1)?;
            let (count, zeros) = (ahead.len(), ahead.iter().all(|&byte| byte == 0));
            if count == 0 || !zeros {
                return Ok(zeros);
            }
            self.consume(count);
        }
    }
}

/// A member of gzip data (RFC 1952).
struct Member {
    inflate: Decompress,
    crc: Crc,
}

impl Member {
    /// The window of deflate. A decoder that has a window of its own writes it out to its end, so that with the same
    /// turns here nothing of it is held back when damage ends it.
    const ROOM: usize = 32 << 10;

    fn new() -> Member {
        Member { inflate: Decompress::new(false), crc: Crc::new() }
    }

    /// How much of the window is written.
    fn written(&self) -> usize {
        (self.inflate.total_out() % Self::ROOM as u64) as usize
    }

    fn begin(&mut self, packed: &mut Packed) -> Result<(), Problem> {
        const DEFLATE: u8 = 8;
        const CRC: u8 = 1 << 1;
        const EXTRA: u8 = 1 << 2;
        const NAME: u8 = 1 << 3;
        const COMMENT: u8 = 1 << 4;
        const RESERVED: u8 = 0xE0;
        self.inflate.reset(false);
        self.crc.reset();
        let [_, _, method, flags, ..] = packed.take::<10>()?;
        if method != DEFLATE || flags & RESERVED != 0 {
            return Err(Problem::Damaged(Damage::Corrupt(Packing::Gzip, "a header that can't be")));
        }
        if flags & EXTRA != 0 {
            for _ in 0..u16::from_le_bytes(packed.take()?) {
                packed.take::<1>()?;
            }
        }
        for _ in [NAME, COMMENT].iter().filter(|&&text| flags & text != 0) {
            while packed.take()? != [0] {}
        }
        if flags & CRC != 0 {
            packed.take::<2>()?;
        }
        Ok(())
    }

    fn step(&mut self, packed: &mut Packed, text: &mut [u8]) -> Result<(usize, Step), Problem> {
        let (total_in, total_out) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(packed.ahead(1)?, text, FlushDecompress::None);
        let read = (self.inflate.total_in() - total_in) as usize;
        let written = (self.inflate.total_out() - total_out) as usize;
        packed.consume(read);
        self.crc.update(&text[..written]);
        let step = match status {
            Ok(Status::StreamEnd) => self.end(packed),
            Ok(_) if read == 0 && written == 0 => damaged(Damage::BrokenOff(Packing::Gzip)),
            Ok(_) => Step::Inside,
            Err(_) => damaged(Damage::Corrupt(Packing::Gzip, "no deflate stream goes on so")),
        };
        Ok((written, step))
    }

    /// Is the text what it was?
    fn end(&self, packed: &mut Packed) -> Step {
        let want = u64::from(self.crc.sum()) | (self.inflate.total_out() << 32);
        match packed.take().map(u64::from_le_bytes) {
            Ok(end) if end == want => Step::End,
            Ok(_) => damaged(Damage::Corrupt(Packing::Gzip, "the checksum does not fit what was read")),
            Err(problem) => Step::Failed(problem),
        }
    }
}

/// A frame of zstd data (RFC 8878).
struct Frame {
    context: DCtx<'static>,
    /// How many bytes the decoder wants next.
    wanted: usize,
}

impl Frame {
    /// A block of text, which is never larger.
    const ROOM: usize = 128 << 10;

    /// The shortest header of a frame.
    const HEADER: usize = 5;

    /// Before a block.
    const BLOCK_HEADER: usize = 3;

    fn new() -> Frame {
        let mut context = DCtx::create();
        // It is what it takes when nothing is said; a decoder that doesn't know it keeps that.
        let _ = context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG));
        Frame { context, wanted: Self::HEADER }
    }

    fn begin(&mut self) {
        self.wanted = Self::HEADER;
    }

    fn step(&mut self, packed: &mut Packed, text: &mut [u8]) -> Result<(usize, Step), Problem> {
        // An error takes the text of the same call with it: a block comes without the header of the next one.
        let most = self.wanted.checked_sub(Self::BLOCK_HEADER).filter(|&most| most > 0).unwrap_or(self.wanted);
        let ahead = packed.ahead(1)?;
        let mut input = InBuffer::around(&ahead[..ahead.len().min(most)]);
        let mut output = OutBuffer::around(text);
        let result = self.context.decompress_stream(&mut output, &mut input);
        let (read, written) = (input.pos(), output.pos());
        packed.consume(read);
        let step = match result {
            Ok(0) => Step::End,
            Ok(_) if read == 0 && written == 0 => damaged(Damage::BrokenOff(Packing::Zstd)),
            Ok(wanted) => {
                self.wanted = wanted;
                Step::Inside
            }
            Err(code) => damaged(damage_of(code)),
        };
        Ok((written, step))
    }
}

fn damage_of(code: usize) -> Damage {
    const WINDOW: usize = (ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge as usize).wrapping_neg();
    if code == WINDOW { Damage::Window } else { Damage::Corrupt(Packing::Zstd, get_error_name(code)) }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// A pipe that gives a few bytes at a time.
    struct Pipe(Cursor<Vec<u8>>, usize);

    impl Read for Pipe {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = buffer.len().min(self.1);
            self.0.read(&mut buffer[..len])
        }
    }

    fn text_by(packed: &[u8], pipe: usize, count: usize) -> (Vec<u8>, Option<Damage>) {
        let packing = Packing::of(packed).unwrap();
        let mut unpacker = Unpacker::new(packing, Box::new(Pipe(Cursor::new(packed.to_vec()), pipe)));
        let mut text = Vec::new();
        unpacker.fill_head(&mut text, 100);
        loop {
            let before = text.len();
            match unpacker.fill(&mut text, count) {
                Ok(()) if text.len() < before + count => return (text, None),
                Ok(()) => {}
                Err(Problem::Damaged(damage)) => return (text, Some(damage)),
                Err(problem) => panic!("{problem}"),
            }
        }
    }

    /// The text and what is wrong, for all ways of reading.
    fn text_of(packed: &[u8]) -> (Vec<u8>, Option<Damage>) {
        let want = text_by(packed, usize::MAX, 1 << 20);
        for (pipe, count) in [(1, 4096), (7, 1 << 20), (100_003, 65_537)] {
            assert!(text_by(packed, pipe, count) == want, "{pipe} {count}");
        }
        want
    }

    /// Games that differ, so that they don't shrink to nothing.
    fn games(count: u32) -> Vec<u8> {
        let game = |k: u32| {
            let hash = k.wrapping_mul(2_654_435_761);
            format!("[Variant \"C'escacs\"]\n[Id \"{k}-{hash}\"]\n1. E{}-E{} :\n*\n\n", hash % 29, hash % 31)
        };
        (0..count).flat_map(|k| game(k).into_bytes()).collect()
    }

    type Pack = fn(&[u8]) -> Vec<u8>;
    const BOTH: [Pack; 2] = [gzip, zstd];

    #[test]
    fn every_member_and_frame_is_read() {
        let long = games(20_000);
        for pack in BOTH {
            for text in [&b""[..], b"a", &long] {
                assert!(text_of(&pack(text)) == (text.to_vec(), None), "{}", text.len());
            }
            let parts: Vec<u8> = long[..100_000].chunks(977).flat_map(pack).collect();
            assert!(text_of(&parts) == (long[..100_000].to_vec(), None));
            let with_empty = [pack(b""), pack(b"a"), pack(b""), pack(b""), pack(b"b"), pack(b"")].concat();
            assert_eq!(text_of(&with_empty), (b"ab".to_vec(), None));
        }
        let one_line = [&long[..1000], &vec![b'x'; 10 << 20]].concat();
        for pack in BOTH {
            assert!(text_by(&pack(&one_line), 100_003, 256 << 10) == (one_line.clone(), None));
        }
    }

    #[test]
    fn frames_without_text_and_headers_with_more_are_read_over() {
        let skipped = b"\x5A\x2A\x4D\x18\x03\0\0\0abc";
        let frames = [&skipped[..], &zstd(b"a"), skipped, skipped, &zstd(b"b"), skipped].concat();
        assert_eq!(text_of(&frames), (b"ab".to_vec(), None));
        assert_eq!(text_of(skipped), (Vec::new(), None));

        let plain = gzip(b"text");
        let mut full = plain[..10].to_vec();
        full[3] = 0b1_1110;
        full.extend(b"\x05\0extraname\0comment\0\x12\x34");
        full.extend(&plain[10..]);
        assert_eq!(text_of(&full), (b"text".to_vec(), None));
        assert_eq!(text_of(&full[..30]), (Vec::new(), Some(Damage::BrokenOff(Packing::Gzip))));
        full[3] |= 0x20;
        assert!(matches!(text_of(&full), (text, Some(Damage::Corrupt(..))) if text.is_empty()));
    }

    #[test]
    fn what_stands_behind_is_told_but_for_zeros() {
        let (gz, zst) = (gzip(b"a"), zstd(b"a"));
        let behind = |packed: &[u8], more: &[u8]| text_of(&[packed, more].concat()).1;
        for zeros in [1, 511, 300_000] {
            let mut zeros = vec![0; zeros];
            assert_eq!(behind(&gz, &zeros), None);
            assert_eq!(behind(&zst, &zeros), Some(Damage::Trailing(Packing::Zstd)));
            zeros.push(1);
            assert_eq!(behind(&gz, &zeros), Some(Damage::Trailing(Packing::Gzip)));
        }
        for more in [&b"x"[..], b"\n", &zst] {
            assert_eq!(behind(&gz, more), Some(Damage::Trailing(Packing::Gzip)));
        }
        assert_eq!(behind(&zst, &gz), Some(Damage::Trailing(Packing::Zstd)));
        // The beginning of another one.
        assert_eq!(behind(&gz, b"\x1F"), Some(Damage::BrokenOff(Packing::Gzip)));
        assert_eq!(behind(&zst, b"\x28\xB5"), Some(Damage::BrokenOff(Packing::Zstd)));
    }

    #[test]
    fn cut_data_give_what_they_hold() {
        let text = games(40);
        for pack in BOTH {
            let packed = [pack(&text[..1000]), pack(&text[1000..])].concat();
            let packing = Packing::of(&packed).unwrap();
            for len in 4..packed.len() {
                let (part, damage) = text_by(&packed[..len], 3, 64);
                assert!(text.starts_with(&part), "{len}");
                let is_between = len == pack(&text[..1000]).len();
                assert_eq!(damage, (!is_between).then_some(Damage::BrokenOff(packing)), "{len}");
                assert!(part.len() >= 1000 || len < pack(&text[..1000]).len(), "{len}");
            }
        }
    }

    #[test]
    fn a_changed_bit_costs_nothing_before_it() {
        let text = games(10_000);
        for pack in BOTH {
            let packed = [pack(&text), pack(&text)].concat();
            for at in [packed.len() / 5, packed.len() / 3, packed.len() * 2 / 3] {
                let mut changed = packed.clone();
                changed[at] ^= 0x10;
                let (found, damage) = text_of(&changed);
                let right = found.iter().zip(text.iter().chain(&text)).take_while(|(a, b)| a == b).count();
                // In zstd a block falls, of 128 KiB.
                assert!(right + (140 << 10) > 2 * text.len() * at / packed.len(), "{at}: {right}");
                assert!(matches!(damage, Some(Damage::Corrupt(..))), "{damage:?}");
            }
        }
        // Damage at the end of a short file leaves all of it.
        let mut changed = gzip(&text[..5000]);
        let at = changed.len() - 20;
        changed[at] ^= 1;
        let right = text_of(&changed).0.iter().zip(&text).take_while(|(a, b)| a == b).count();
        assert!(right > 4500, "{right}");
    }

    #[test]
    fn checksums_are_checked_behind_the_text() {
        let text = games(10_000);
        for text in [&text[..50], &text[..5000], &text] {
            let why = "the checksum does not fit what was read";
            for from_end in [1, 8] {
                let mut packed = gzip(text);
                let at = packed.len() - from_end;
                packed[at] ^= 1;
                packed.extend(gzip(text));
                assert!(text_of(&packed) == (text.to_vec(), Some(Damage::Corrupt(Packing::Gzip, why))), "{from_end}");
            }
            let mut packed = zstd(text);
            let at = packed.len() - 1;
            packed[at] ^= 1;
            let why = get_error_name((ZSTD_ErrorCode::ZSTD_error_checksum_wrong as usize).wrapping_neg());
            assert!(text_of(&packed) == (text.to_vec(), Some(Damage::Corrupt(Packing::Zstd, why))));
        }
    }

    #[test]
    fn a_failing_pipe_fails_behind_what_it_gave() {
        struct Torn;
        impl Read for Torn {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("torn"))
            }
        }
        let text = games(100);
        for pack in BOTH {
            let packed = Cursor::new(pack(&text)).chain(Torn);
            let mut unpacker = Unpacker::new(Packing::of(&pack(&text)).unwrap(), Box::new(packed));
            let mut found = Vec::new();
            assert!(matches!(unpacker.fill(&mut found, 1 << 20), Err(Problem::Unreadable(_))));
            assert!(found == text);
        }
    }

    #[test]
    fn no_change_of_a_byte_is_fatal() {
        let text = games(8);
        for pack in BOTH {
            let packed = pack(&text);
            for at in 4..packed.len() {
                for bits in [0x01, 0x80, 0xFF] {
                    let mut changed = packed.clone();
                    changed[at] ^= bits;
                    // A header's time and name may change unnoticed.
                    let (found, damage) = text_by(&changed, usize::MAX, 50);
                    assert!(damage.is_some() || found == text, "{at}");
                }
            }
        }
    }
}
