//! Bytes from files and pipes, a window at a time.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use memmap2::{Mmap, MmapOptions};

use super::unpack::Unpacker;
use super::{Packing, Problem};

/// Where text comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Standard input, written `-`.
    Stdin,
    /// A file, by the path to show.
    File(PathBuf),
}

impl Input {
    /// The file's path.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Input::Stdin => None,
            Input::File(path) => Some(path),
        }
    }

    /// How many bytes of text it holds, where its length says so: in regular files that are not compressed.
    pub fn text_len(&self) -> Option<u64> {
        let path = self.path()?;
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let mut head = Vec::new();
        // A file that can't be opened gives nothing.
        let _ = File::open(path).and_then(|file| file.take(4).read_to_end(&mut head));
        Packing::of(&head).is_none().then_some(metadata.len())
    }
}

named! {
    /// What a file is that is no text in UTF-8 (§1.2).
    pub enum NotText {
        /// With or without its byte order mark.
        Utf16 = "UTF-16",
        /// Compressed.
        Gzip = "gzip data",
        /// Compressed.
        Zstd = "zstd data",
        /// Compressed.
        Zip = "a zip archive",
        /// Compressed.
        Xz = "xz data",
        /// Compressed.
        Bzip2 = "bzip2 data",
        /// Something else.
        Binary = "binary data",
    }
}

/// How much of a file tells what it is.
const HEAD: usize = 4 << 10;

/// Smaller files are not mapped.
const MAP_FROM: u64 = 1 << 20;

/// A multiple of every page size, so that windows begin at pages.
const WINDOW: u64 = 4 << 20;

/// Reads one input from its start to its end.
pub struct Reader {
    from: From,
    /// Bytes given so far.
    at: u64,
    /// The longest that a regular file was seen to be.
    len: u64,
}

enum From {
    Map {
        file: File,
        /// The window that holds `at`, with its offset, unless that has been left behind.
        window: Option<(u64, Mmap)>,
    },
    Read {
        /// What was read to tell what it is, then the rest.
        bytes: io::Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>,
    },
    Unpack {
        /// What was unpacked to tell what it is.
        head: Cursor<Vec<u8>>,
        rest: Box<Unpacker>,
    },
}

impl Reader {
    /// Opens an input and looks at its first 4 KiB. Data in gzip and zstd are unpacked; other regular files of 1 MiB and
    /// more are mapped, unless `no_mmap`.
    pub fn open(input: &Input, no_mmap: bool) -> Result<Reader, Problem> {
        let Input::File(path) = input else { return Reader::new(io::stdin()) };
        let mut file = File::open(path).map_err(Problem::Unreadable)?;
        let metadata = file.metadata().map_err(Problem::Unreadable)?;
        let len = if metadata.is_file() { metadata.len() } else { 0 };
        let head = read_head(&mut file)?;
        if !no_mmap && len >= MAP_FROM && Packing::of(&head).is_none() {
            check_text(&head, None)?;
            // Not every file system can.
            if let Ok(window) = map(&file, 0, WINDOW.min(len)) {
                return Ok(Reader { from: From::Map { file, window: Some((0, window)) }, at: 0, len });
            }
        }
        Ok(Reader { len, ..Reader::behind(head, file)? })
    }

    /// Reads a stream, and looks at its first 4 KiB.
    pub fn new(mut stream: impl Read + Send + 'static) -> Result<Reader, Problem> {
        let head = read_head(&mut stream)?;
        Reader::behind(head, stream)
    }

    /// Reads a stream of which `head` has been read.
    fn behind(head: Vec<u8>, stream: impl Read + Send + 'static) -> Result<Reader, Problem> {
        let packing = Packing::of(&head);
        let from = match packing {
            None => {
                check_text(&head, None)?;
                From::Read { bytes: Cursor::new(head).chain(Box::new(stream)) }
            }
            Some(packing) => {
                let mut rest = Unpacker::new(packing, Box::new(Cursor::new(head).chain(stream)));
                let mut head = Vec::with_capacity(HEAD);
                rest.fill_head(&mut head, HEAD);
                check_text(&head, Some(packing))?;
                From::Unpack { head: Cursor::new(head), rest: Box::new(rest) }
            }
        };
        Ok(Reader { from, at: 0, len: 0 })
    }

    /// Adds the next `count` bytes to `buffer`, fewer only at the end, and says how many.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, count: usize) -> Result<usize, Problem> {
        let before = buffer.len();
        match &mut self.from {
            From::Read { bytes } => {
                buffer.reserve(count);
                bytes.take(count as u64).read_to_end(buffer).map_err(Problem::Unreadable)?;
                self.at += (buffer.len() - before) as u64;
                if buffer.len() - before < count && self.at < self.len {
                    return Err(Problem::Changed);
                }
            }
            From::Unpack { head, rest } => {
                let from_head = head.take(count as u64).read_to_end(buffer).map_err(Problem::Unreadable)?;
                rest.fill(buffer, count - from_head)?;
            }
            From::Map { file, window } => {
                while buffer.len() - before < count {
                    let wanted = count - (buffer.len() - before);
                    let len = file.metadata().map_err(Problem::Unreadable)?.len();
                    if len < self.len {
                        return Err(Problem::Changed);
                    }
                    self.len = len;
                    if self.at == len {
                        break;
                    }
                    let bytes = mapped(file, window, self.at, len).map_err(Problem::Unreadable)?;
                    let bytes = &bytes[..bytes.len().min(wanted)];
                    buffer.extend_from_slice(bytes);
                    self.at += bytes.len() as u64;
                }
            }
        }
        Ok(buffer.len() - before)
    }
}

/// What `window` holds from `at` on, after moving it there if need be; at least a byte, given that `at` is below `len`.
fn mapped<'a>(file: &File, window: &'a mut Option<(u64, Mmap)>, at: u64, len: u64) -> io::Result<&'a [u8]> {
    let holds = |(offset, map): &(u64, Mmap)| at < offset + map.len() as u64;
    let (offset, map) = if let Some(kept) = window.take().filter(holds) {
        window.insert(kept)
    } else {
        let offset = at - at % WINDOW;
        window.insert((offset, map(file, offset, WINDOW.min(len - offset))?))
    };
    Ok(&map[(at - *offset) as usize..])
}

/// The caller has just seen that the file reaches to `offset + len`.
#[allow(unsafe_code)]
fn map(file: &File, offset: u64, len: u64) -> io::Result<Mmap> {
    // SAFETY: the mapping is private to this module and read only; it is read in one place, which copies bytes out right
    // after checking that the file still has them. Another process that cuts the file in that moment ends
    // this one by a signal; one that rewrites it changes which bytes are copied, and nothing holds a reference
    // to them meanwhile. `--no-mmap` is there for files that are being rewritten.
    unsafe { MmapOptions::new().offset(offset).len(len as usize).populate().map(file) }
}

fn read_head(stream: &mut impl Read) -> Result<Vec<u8>, Problem> {
    let mut head = Vec::with_capacity(HEAD);
    stream.take(HEAD as u64).read_to_end(&mut head).map_err(Problem::Unreadable)?;
    Ok(head)
}

fn check_text(head: &[u8], packing: Option<Packing>) -> Result<(), Problem> {
    not_text(head).map_or(Ok(()), |what| Err(Problem::NotText(what, packing)))
}

fn not_text(head: &[u8]) -> Option<NotText> {
    const MAGIC: [(&[u8], NotText); 6] = [
        (b"\xFF\xFE", NotText::Utf16),
        (b"\xFE\xFF", NotText::Utf16),
        (b"\x1F\x8B", NotText::Gzip),
        (b"\x28\xB5\x2F\xFD", NotText::Zstd),
        (b"PK\x03\x04", NotText::Zip),
        (b"\xFD7zXZ\0", NotText::Xz),
    ];
    if let Some(&(_, what)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(what);
    }
    match head {
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(NotText::Bzip2),
        _ if is_utf16(head) => Some(NotText::Utf16),
        _ if is_binary(head) => Some(NotText::Binary),
        _ => None,
    }
}

/// Nearly every other byte is zero, and the others hardly ever.
fn is_utf16(head: &[u8]) -> bool {
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    half > 1 && (even.max(odd) * 10 > half * 8) && (even.min(odd) * 10 < half * 2)
}

/// Over 30 % of what is not NUL is neither text nor line ends, and no record begins. Runs of NUL are left to the rules (§1.2).
fn is_binary(head: &[u8]) -> bool {
    let is_odd = |c: char| c.is_ascii_control() && !matches!(c, '\0' | '\t' | '\n' | '\r');
    let odd: usize = head
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().filter(|&c| is_odd(c)).count() + chunk.invalid().len())
        .sum();
    let zeros = memchr::memchr_iter(0, head).count();
    odd * 10 > (head.len() - zeros) * 3 && memchr::memmem::find(head, b"[Variant").is_none()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn all(mut reader: Reader, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while reader.fill(&mut bytes, count).unwrap() == count {}
        bytes
    }

    #[test]
    fn maps_and_reads_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let text: Vec<u8> = (0..9_000_000_u32).map(|i| b"0123456 \n"[(i % 9) as usize]).collect();
        for len in [0, 5, HEAD, MAP_FROM as usize, WINDOW as usize, WINDOW as usize + 1, text.len()] {
            let input = Input::File(folder.path().join("a"));
            fs::write(input.path().unwrap(), &text[..len]).unwrap();
            for count in [100_003, WINDOW as usize, 20 << 20] {
                for no_mmap in [false, true] {
                    let reader = Reader::open(&input, no_mmap).unwrap();
                    assert_eq!(matches!(reader.from, From::Map { .. }), !no_mmap && len >= MAP_FROM as usize);
                    assert!(all(reader, count) == text[..len], "{len} by {count}, {no_mmap}");
                }
            }
        }
    }

    #[test]
    fn a_file_that_gets_shorter_is_noticed_and_one_that_grows_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let input = Input::File(folder.path().join("a"));
        let text = vec![b'a'; 5 << 20];
        for no_mmap in [false, true] {
            fs::write(input.path().unwrap(), &text).unwrap();
            let mut reader = Reader::open(&input, no_mmap).unwrap();
            let mut bytes = Vec::new();
            assert_eq!(reader.fill(&mut bytes, 100_000).unwrap(), 100_000);
            fs::write(input.path().unwrap(), &text[..2 << 20]).unwrap();
            assert!(matches!(reader.fill(&mut bytes, 4 << 20), Err(Problem::Changed)));

            fs::write(input.path().unwrap(), &text[..2 << 20]).unwrap();
            let reader = Reader::open(&input, no_mmap).unwrap();
            fs::write(input.path().unwrap(), &text).unwrap();
            assert_eq!(all(reader, 100_000).len(), text.len());
        }
        assert!(matches!(Reader::open(&Input::File(folder.path().join("none")), false), Err(Problem::Unreadable(_))));
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        flate2::read::GzEncoder::new(text, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
        packed
    }

    #[test]
    fn compressed_files_are_unpacked_never_mapped_and_tell_no_length() {
        let folder = tempfile::tempdir().unwrap();
        // Signs that hardly shrink.
        let mut state = 1_u32;
        let mut sign = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8 % 90 + 32
        };
        let text: Vec<u8> = (0..3_000_000).map(|_| sign()).collect();
        for packed in [gzip(&text), zstd::encode_all(&text[..], 1).unwrap()] {
            assert!(packed.len() as u64 > MAP_FROM);
            let input = Input::File(folder.path().join("a"));
            fs::write(input.path().unwrap(), &packed).unwrap();
            assert_eq!(input.text_len(), None);
            for no_mmap in [false, true] {
                let reader = Reader::open(&input, no_mmap).unwrap();
                assert!(matches!(reader.from, From::Unpack { .. }));
                assert!(all(reader, 100_003) == text);
            }
            assert!(all(Reader::new(Cursor::new(packed)).unwrap(), 1 << 20) == text);
        }
        let input = Input::File(folder.path().join("b"));
        fs::write(input.path().unwrap(), b"[Variant").unwrap();
        assert_eq!((input.text_len(), Input::Stdin.text_len()), (Some(8), None));
    }

    #[test]
    fn what_is_compressed_must_be_text() {
        for (text, want) in [
            (gzip(b"text"), "not a text in UTF-8, but gzip data inside gzip data"),
            (zstd::encode_all(&b"text"[..], 1).unwrap(), "not a text in UTF-8, but zstd data inside gzip data"),
            (b"\xFF\xFE[\0V\0".to_vec(), "not a text in UTF-8, but UTF-16 inside gzip data"),
        ] {
            assert_eq!(Reader::new(Cursor::new(gzip(&text))).err().unwrap().to_string(), want);
        }
    }

    #[test]
    fn what_is_no_text_is_told() {
        let utf16: Vec<u8> = "[Variant \"C'escacs\"]\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let swapped: Vec<u8> = "[Variant \"C'escacs\"]\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (head, want) in [
            (&utf16[..], Some(NotText::Utf16)),
            (&swapped, Some(NotText::Utf16)),
            (b"\xFF\xFE[\0", Some(NotText::Utf16)),
            (b"PK\x03\x04", Some(NotText::Zip)),
            (b"BZh91AY", Some(NotText::Bzip2)),
            (b"\xFD7zXZ\0", Some(NotText::Xz)),
            (b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3E", Some(NotText::Binary)),
            (b"\x01\x02\x03\x04[Variant", None),
            (&[0; HEAD], None),
            (b"", None),
            (b"\0", None),
            ("[Id \"p\u{E8}\"]".as_bytes(), None),
            (b"caf\xE9 \xE0 la carte", None),
        ] {
            assert_eq!(
                Reader::new(Cursor::new(head.to_vec())).err().map(|e| e.to_string()),
                want.map(|what| { format!("not a text in UTF-8, but {}", what.name()) })
            );
        }
    }
}
