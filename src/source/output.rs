//! Writing a file so that it is never half written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Input;

/// A file's new text, written beside it and put in its place by [`Output::commit`]; dropped before, it leaves the file
/// as it was. What is no regular file (a pipe, a device) is written to at once.
pub struct Output {
    /// What the path leads to, links followed.
    target: PathBuf,
    to: To,
}

enum To {
    Beside(BufWriter<NamedTempFile>),
    There(BufWriter<File>),
}

impl Output {
    /// Begins the new text of `path`, which keeps its mode if it is there.
    pub fn create(path: &Path) -> io::Result<Output> {
        let target = follow(path)?;
        let metadata = match fs::metadata(&target) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if metadata.is_some() {
            // A file that may not be written may not be replaced either, and a folder is neither.
            let file = OpenOptions::new().write(true).open(&target)?;
            if !file.metadata()?.is_file() {
                return Ok(Output { target, to: To::There(BufWriter::new(file)) });
            }
        }
        let beside = temporary(folder_of(&target))?;
        if let Some(metadata) = metadata {
            beside.as_file().set_permissions(metadata.permissions())?;
        }
        Ok(Output { target, to: To::Beside(BufWriter::new(beside)) })
    }

    /// The first input that is the same file as this output.
    pub fn input_among<'a>(&self, inputs: &'a [Input]) -> Option<&'a Input> {
        let is_target = |path: &Path| fs::canonicalize(path).is_ok_and(|real| real == self.target);
        inputs.iter().find(|input| input.path().is_some_and(is_target))
    }

    /// Puts the text in its place once it is on disk.
    pub fn commit(self) -> io::Result<()> {
        match self.to {
            To::There(mut file) => file.flush(),
            To::Beside(text) => {
                let beside = text.into_inner().map_err(io::IntoInnerError::into_error)?;
                beside.as_file().sync_all()?;
                beside.persist(&self.target)?;
                // The name's change is on disk too, where a folder can be synced.
                if let Ok(folder) = File::open(folder_of(&self.target)) {
                    let _ = folder.sync_all();
                }
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Beside(file) => file.write(bytes),
            To::There(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Beside(file) => file.flush(),
            To::There(file) => file.flush(),
        }
    }
}

/// Hidden, and not ending in `.ctl-pgn`, so that no walk takes it for a file of games.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ctl-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file, less the user's mask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

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
    Ok(path)
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
    fn an_input_that_is_the_output_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&a, "").unwrap();
        let inputs = [Input::Stdin, Input::File(b.clone()), Input::File(folder.path().join("./a"))];
        assert_eq!(Output::create(&a).unwrap().input_among(&inputs), Some(&inputs[2]));
        assert_eq!(Output::create(&b).unwrap().input_among(&inputs), None);
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
        null.commit().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
