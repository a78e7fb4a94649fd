//! Writing a file so that it is never half written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::write::GzEncoder;
use tempfile::TempPath;

use super::{Input, unpack::Packing};

/// A file's new text, written beside it and put in its place by [`Output::commit`]; dropped before, it leaves the file
/// as it was. What is no regular file (a pipe, a device) is written to at once.
pub struct Output {
    /// What the path leads to, links followed.
    target: PathBuf,
    text: Text,
    /// The file beside the target that `text` goes to, unless it goes to the target itself.
    beside: Option<TempPath>,
    /// What the target was before it was read, where its own filtered text is to replace it.
    before: Option<Before>,
}

/// What takes the text, compressed or not.
enum Text {
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::Encoder<'static, BufWriter<File>>),
}

impl Text {
    fn to(&mut self) -> &mut dyn Write {
        match self {
            Text::Plain(text) => text,
            Text::Gzip(text) => text,
            Text::Zstd(text) => text,
        }
    }

    /// The file, once it has all of the text.
    fn finish(self) -> io::Result<File> {
        let text = match self {
            Text::Plain(text) => text,
            Text::Gzip(text) => text.finish()?,
            Text::Zstd(text) => text.finish()?,
        };
        text.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl Output {
    /// Begins the new text of `path` as [`Output::create`] does, and compresses it if the name ends in `.gz` or `.zst`.
    pub fn packed(path: &Path) -> io::Result<Output> {
        let mut output = Output::create(path)?;
        if let Text::Plain(text) = output.text {
            output.text = match Packing::of_name(path) {
                None => Text::Plain(text),
                Some(Packing::Gzip) => Text::Gzip(GzEncoder::new(text, flate2::Compression::default())),
                Some(Packing::Zstd) => Text::Zstd(zstd::Encoder::new(text, zstd::DEFAULT_COMPRESSION_LEVEL)?),
            };
        }
        Ok(output)
    }

    /// Begins the new text of `path`, which keeps its mode, and its owner where that is allowed, if it is there.
    pub fn create(path: &Path) -> io::Result<Output> {
        let target = follow(path)?;
        let metadata = match fs::metadata(&target) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Output::beside(target, None),
            Err(error) => return Err(error),
        };
        // A file that may not be written may not be replaced either, and a folder is neither.
        let file = OpenOptions::new().write(true).open(&target)?;
        if file.metadata()?.is_file() {
            return Output::beside(target, Some(&metadata));
        }
        Ok(Output { target, text: Text::Plain(BufWriter::new(file)), beside: None, before: None })
    }

    /// Begins the new text of a file that is to be read from now on, as [`Output::create`] does. It is put in its place
    /// only if the file did not change meanwhile, and if it differs. Neither compressed files nor pipes are
    /// rewritten so.
    pub fn in_place(path: &Path) -> io::Result<Output> {
        Output::instead(path, Before::of(path)?)
    }

    /// The same for a file of which it is known what it was before it was read.
    pub fn instead(path: &Path, before: Before) -> io::Result<Output> {
        let target = follow(path)?;
        let metadata = fs::metadata(&target)?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let file = OpenOptions::new().read(true).write(true).open(&target)?;
        if is_compressed(&file)? {
            return Err(io::Error::other("it is compressed, and only read"));
        }
        let output = Output::beside(target, Some(&metadata))?;
        Ok(Output { before: Some(before), ..output })
    }

    fn beside(target: PathBuf, like: Option<&fs::Metadata>) -> io::Result<Output> {
        let (file, beside) = temporary(folder_of(&target), like.is_some())?;
        if let Some(metadata) = like {
            keep_owner(&file, metadata);
            file.set_permissions(metadata.permissions())?;
        }
        Ok(Output { target, text: Text::Plain(BufWriter::new(file)), beside: Some(beside), before: None })
    }

    /// The first input that is the same file as this output.
    pub fn input_among<'a>(&self, inputs: &'a [Input]) -> Option<&'a Input> {
        inputs.iter().find(|input| input.path().is_some_and(|path| self.leads_to(path)))
    }

    /// Whether a path is that of this output's file, or of another name of it.
    pub fn leads_to(&self, path: &Path) -> bool {
        let is_name = follow(path).is_ok_and(|real| real == self.target);
        let of = |path| fs::metadata(path).ok().and_then(|metadata| identity(&metadata));
        is_name || of(path).is_some_and(|path| of(&self.target) == Some(path))
    }

    /// What the file is as long as the text is not put in its place.
    pub fn left(&self) -> &'static str {
        match self.beside {
            Some(_) if self.target.exists() => "left as it was",
            Some(_) => "not written",
            None => "not complete",
        }
    }

    /// Puts the text in its place once it is on disk.
    pub fn commit(self) -> io::Result<()> {
        let Output { target, text, beside, before } = self;
        let file = text.finish()?;
        let Some(beside) = beside else { return Ok(()) };
        if before.is_some() && has_same_bytes(&file, &File::open(&target)?)? {
            return Ok(());
        }
        file.sync_all()?;
        if before.is_some_and(|before| !fs::metadata(&target).is_ok_and(|now| Before::from(&now) == before)) {
            return Err(io::Error::other("it changed since it was read"));
        }
        beside.persist(&target)?;
        // The name's change is on disk too, where a folder can be synced.
        if let Ok(folder) = File::open(folder_of(&target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.to().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.text.to().flush()
    }
}

/// The first input that is the regular file to which standard output goes: it would be read on and on.
pub fn stdout_among(inputs: &[Input]) -> Option<&Input> {
    let out = standard(&io::stdout())?;
    inputs.iter().find(|input| match input.path() {
        Some(path) => fs::metadata(path).is_ok_and(|metadata| identity(&metadata) == Some(out)),
        None => standard(&io::stdin()) == Some(out),
    })
}

/// The regular file that a standard stream leads to.
#[cfg(unix)]
fn standard(stream: &impl std::os::fd::AsFd) -> Option<(u64, u64)> {
    let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
    file.metadata().ok().filter(fs::Metadata::is_file).and_then(|metadata| identity(&metadata))
}

#[cfg(not(unix))]
fn standard<S>(_: &S) -> Option<(u64, u64)> {
    None
}

/// What tells a file from all others, whatever its name: its device and number, where there is such a thing.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn identity(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// What changes when a file is written or replaced.
#[derive(PartialEq, Eq, Debug)]
pub struct Before {
    identity: Option<(u64, u64)>,
    len: u64,
    modified: Option<SystemTime>,
}

impl Before {
    /// What the file that a path leads to is now.
    pub fn of(path: &Path) -> io::Result<Before> {
        Ok(Before::from(&fs::metadata(path)?))
    }
}

impl From<&fs::Metadata> for Before {
    fn from(metadata: &fs::Metadata) -> Before {
        Before { identity: identity(metadata), len: metadata.len(), modified: metadata.modified().ok() }
    }
}

fn is_compressed(file: &File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(4).read_to_end(&mut head)?;
    Ok(Packing::of(&head).is_some())
}

fn has_same_bytes(mut a: &File, b: &File) -> io::Result<bool> {
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    a.rewind()?;
    let (mut a, mut b) = (BufReader::new(a), BufReader::new(b));
    loop {
        let (some, others) = (a.fill_buf()?, b.fill_buf()?);
        let len = some.len().min(others.len());
        if some[..len] != others[..len] {
            return Ok(false);
        }
        if len == 0 {
            return Ok(some.is_empty() && others.is_empty());
        }
        a.consume(len);
        b.consume(len);
    }
}

/// Hidden, and not ending in `.ctl-pgn`, so that no walk takes it for a file of games. What is `private` can be read by
/// its owner only, until it gets another mode.
fn temporary(folder: &Path, private: bool) -> io::Result<(File, TempPath)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // As any new file, less the user's mask.
        options.mode(if private { 0o600 } else { 0o666 });
    }
    #[cfg(not(unix))]
    let _ = private;
    let mut builder = tempfile::Builder::new();
    let file = builder.prefix(".ctl-").suffix(".tmp").make_in(folder, |path| options.open(path))?;
    Ok(file.into_parts())
}

/// Gives a file the owner and group of another, as far as the system lets us.
#[cfg(unix)]
fn keep_owner(file: &File, like: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let (owner, group) = (Some(like.uid()), Some(like.gid()));
    if fchown(file, owner, group).is_err() {
        let _ = fchown(file, None, group);
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The real path, also of a file that is not there yet, at the end of links or not.
fn follow(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::canonicalize(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A pipe's link leads to no name: it is kept as it is.
            real => return real,
        }
        if fs::metadata(&path).is_ok() {
            return Ok(path);
        }
        match fs::read_link(&path) {
            Ok(link) => path = folder_of(&path).join(link),
            Err(_) => break,
        }
    }
    let folder = fs::canonicalize(folder_of(&path))?;
    Ok(path.file_name().map_or(path.clone(), |name| folder.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_only_when_its_text_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ctl-pgn");
        fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let other = names(folder.path()).into_iter().find(|name| name != "a.ctl-pgn").unwrap();
        assert!(other.starts_with('.') && !other.ends_with(".ctl-pgn"));
        drop(output);
        assert_eq!((fs::read(&path).unwrap().as_slice(), names(folder.path()).len()), (&b"old"[..], 1));

        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert_eq!((fs::read(&path).unwrap().as_slice(), names(folder.path()).len()), (&b"new"[..], 1));
        assert!(Output::create(folder.path()).is_err());
        assert!(Output::create(&folder.path().join("none/b")).is_err());
    }

    #[test]
    fn a_text_is_compressed_by_the_ending_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"[Variant \"C'escacs\"]\n".repeat(10_000);
        for (name, packing) in
            [("a.gz", Some(Packing::Gzip)), ("a.ctl-pgn.ZST", Some(Packing::Zstd)), ("zst", None), ("a.gz.txt", None)]
        {
            let path = folder.path().join(name);
            let written = |parts: usize| {
                let mut output = Output::packed(&path).unwrap();
                text.chunks(text.len() / parts).for_each(|part| output.write_all(part).unwrap());
                output.commit().unwrap();
                fs::read(&path).unwrap()
            };
            let packed = written(1);
            assert_eq!(Packing::of(&packed), packing, "{name}");
            assert_eq!(packed, written(100), "{name}");
            let mut out = Vec::new();
            match packing {
                Some(Packing::Gzip) => drop(flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut out).unwrap()),
                Some(Packing::Zstd) => out = zstd::decode_all(&packed[..]).unwrap(),
                None => out.clone_from(&packed),
            }
            assert!(out == text, "{name}");
            drop(Output::packed(&path).map(|mut output| output.write_all(b"new")).unwrap());
            assert_eq!(fs::read(&path).unwrap(), packed, "what is not complete replaces nothing");
        }
    }

    #[test]
    fn a_file_is_replaced_in_place_only_by_another_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ctl-pgn");
        let replace = |text: &str, meanwhile: &dyn Fn()| {
            let mut output = Output::in_place(&path)?;
            meanwhile();
            output.write_all(text.as_bytes()).and_then(|()| output.commit())
        };
        let long = "x\n".repeat(100_000);
        for (old, new) in [("old", "new"), ("", "new"), ("old", ""), ("older", "old"), (&long, &long[2..])] {
            fs::write(&path, old).unwrap();
            replace(new, &|| {}).unwrap();
            assert!(fs::read_to_string(&path).unwrap() == new, "{new}");
        }
        fs::write(&path, &long).unwrap();
        let old = SystemTime::UNIX_EPOCH;
        File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        replace(&long, &|| {}).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), old);

        let said = |meanwhile: &dyn Fn()| replace("new", meanwhile).unwrap_err().to_string();
        assert_eq!(said(&|| fs::write(&path, "other").unwrap()), "it changed since it was read");
        assert_eq!(fs::read(&path).unwrap(), b"other");
        let rewritten = |modified| {
            fs::write(&path, "OTHER").unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        };
        assert_eq!(said(&|| rewritten(old)), "it changed since it was read");
        fs::write(folder.path().join("b"), "OTHER").unwrap();
        assert_eq!(said(&|| fs::rename(folder.path().join("b"), &path).unwrap()), "it changed since it was read");
        assert!(replace("new", &|| fs::remove_file(&path).unwrap()).is_err());
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn what_is_no_plain_file_is_not_rewritten_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let said = |path: &Path| Output::in_place(path).map(|_| ()).unwrap_err().to_string();
        for head in [&b"\x1F\x8B\x08"[..], b"\x28\xB5\x2F\xFDabc", b"\x50\x2A\x4D\x18"] {
            fs::write(&path, head).unwrap();
            assert_eq!(said(&path), "it is compressed, and only read");
        }
        assert_eq!(said(folder.path()), "it is no regular file");
        assert_eq!(said(&folder.path().join("none")), "No such file or directory (os error 2)");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn an_input_that_is_the_output_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&a, "").unwrap();
        let inputs = [Input::Stdin, Input::File(b.clone()), Input::File(folder.path().join("./a"))];
        assert_eq!(Output::create(&a).unwrap().input_among(&inputs), Some(&inputs[2]));
        assert_eq!(Output::create(&b).unwrap().input_among(&inputs), Some(&inputs[1]));
        assert_eq!(Output::create(&folder.path().join("c")).unwrap().input_among(&inputs), None);
        assert_eq!(Output::create(&a).unwrap().left(), "left as it was");
        assert_eq!(Output::create(&b).unwrap().left(), "not written");
        fs::hard_link(&a, folder.path().join("c")).unwrap();
        assert_eq!(Output::create(&folder.path().join("c")).unwrap().input_among(&inputs), Some(&inputs[2]));
    }

    #[cfg(unix)]
    #[test]
    fn modes_are_kept_and_links_followed() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (a, link, new, dangling) =
            (folder.path().join("a"), folder.path().join("link"), folder.path().join("new"), folder.path().join("to"));
        fs::write(&a, "").unwrap();
        let usual = mode(&a);
        fs::set_permissions(&a, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        symlink("new", &dangling).unwrap();
        for (path, real, want) in [(&link, &a, 0o640), (&dangling, &new, usual)] {
            let mut output = Output::create(path).unwrap();
            output.write_all(b"text").unwrap();
            output.commit().unwrap();
            assert!(fs::symlink_metadata(path).unwrap().is_symlink());
            assert_eq!((fs::read(real).unwrap().as_slice(), mode(real)), (&b"text"[..], want));
        }
        let mut null = Output::create(Path::new("/dev/null")).unwrap();
        null.write_all(b"text").unwrap();
        assert_eq!(null.left(), "not complete");
        null.commit().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
