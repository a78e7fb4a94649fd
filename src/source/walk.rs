//! Paths to inputs.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use walkdir::{DirEntry, WalkDir};

use super::Input;

/// A path that could not be reached, and why.
#[derive(Debug)]
pub struct Unreached {
    /// As it is to be shown.
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
}

/// What [`walk`] came upon.
#[derive(Debug, Default)]
pub struct Walked {
    /// What to read: paths in the order given, each folder sorted by the bytes of names.
    pub inputs: Vec<Input>,
    /// What could not be reached.
    pub problems: Vec<Unreached>,
}

/// Finds what to read: `-` is standard input; files are taken whatever they are called; folders are walked for
/// names that end in `.ctl-pgn` in any case, links followed, hidden entries skipped. Each real file is taken once, by
/// the first path that leads to it.
pub fn walk<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Walked {
    let mut walker = Walker::default();
    for path in paths {
        let path = path.as_ref();
        if path == Path::new("-") {
            if !walker.found.inputs.contains(&Input::Stdin) {
                walker.found.inputs.push(Input::Stdin);
            }
            continue;
        }
        match fs::metadata(path) {
            Err(error) => walker.found.problems.push(Unreached { path: path.to_owned(), error }),
            Ok(metadata) if metadata.is_dir() => walker.folder(path),
            Ok(_) => {
                // A pipe may have a name that leads nowhere.
                let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
                walker.file(path, real);
            }
        }
    }
    walker.found
}

#[derive(Default)]
struct Walker {
    found: Walked,
    seen: HashSet<PathBuf>,
    /// The folder last met, and its real path: most files share theirs with the one before.
    parent: Option<(PathBuf, PathBuf)>,
}

impl Walker {
    fn file(&mut self, path: &Path, real: PathBuf) {
        if self.seen.insert(real) {
            self.found.inputs.push(Input::File(path.to_owned()));
        }
    }

    fn folder(&mut self, root: &Path) {
        let shown = |entry: &DirEntry| entry.depth() == 0 || !is_hidden(entry.file_name());
        let entries = WalkDir::new(root).follow_links(true).sort_by(|a, b| a.file_name().cmp(b.file_name()));
        for entry in entries.into_iter().filter_entry(shown) {
            match entry {
                Ok(entry) if entry.file_type().is_file() && is_ctl_pgn(entry.file_name()) => self.take(&entry),
                Ok(_) => {}
                Err(error) => self.failed(root, error),
            }
        }
    }

    fn take(&mut self, entry: &DirEntry) {
        match self.real(entry) {
            Ok(real) => self.file(entry.path(), real),
            Err(error) => self.found.problems.push(Unreached { path: entry.path().to_owned(), error }),
        }
    }

    fn real(&mut self, entry: &DirEntry) -> io::Result<PathBuf> {
        let path = entry.path();
        let Some(folder) = path.parent().filter(|_| !entry.path_is_symlink()) else { return fs::canonicalize(path) };
        if self.parent.as_ref().is_none_or(|(shown, _)| shown != folder) {
            self.parent = Some((folder.to_owned(), fs::canonicalize(folder)?));
        }
        Ok(self.parent.as_ref().map_or_else(|| path.to_owned(), |(_, real)| real.join(entry.file_name())))
    }

    fn failed(&mut self, root: &Path, error: walkdir::Error) {
        let path = error.path().unwrap_or(root).to_owned();
        let name = path.file_name().unwrap_or_default();
        // A loop of links leads to what is walked anyway. An entry that is not wanted, or hidden, may lead nowhere.
        let nowhere = error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
        let unwanted = is_hidden(name) || (nowhere && !is_ctl_pgn(name));
        if error.loop_ancestor().is_none() && (error.depth() == 0 || !unwanted) {
            self.found.problems.push(Unreached { path, error: error.into() });
        }
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn is_ctl_pgn(name: &OsStr) -> bool {
    const ENDING: &[u8] = b".ctl-pgn";
    let name = name.as_encoded_bytes();
    name.len() >= ENDING.len() && name[name.len() - ENDING.len()..].eq_ignore_ascii_case(ENDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay(root: &Path, paths: &[&str]) {
        for path in paths {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }

    fn shown(root: &Path, walked: &Walked) -> Vec<String> {
        let path = |input: &Input| match input {
            Input::Stdin => "-".to_owned(),
            Input::File(path) => path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned(),
        };
        walked.inputs.iter().map(path).collect()
    }

    #[test]
    fn folders_are_walked_and_files_are_taken_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        lay(root, &["b.ctl-pgn", "B.CTL-PGN", "a/x.Ctl-Pgn", "a.ctl-pgn/inner.ctl-pgn", "x.ctl-pgn.bak", "c.pgn"]);
        lay(root, &[".h.ctl-pgn", ".g/a.ctl-pgn", "-x.ctl-pgn", "a b.ctl-pgn"]);
        let walked = walk([root]);
        assert!(walked.problems.is_empty());
        assert_eq!(
            shown(root, &walked),
            ["-x.ctl-pgn", "B.CTL-PGN", "a/x.Ctl-Pgn", "a b.ctl-pgn", "a.ctl-pgn/inner.ctl-pgn", "b.ctl-pgn"]
        );
        let walked = walk([root.join("c.pgn"), root.join(".g"), "-".into(), "-".into(), root.join("none")]);
        assert_eq!(shown(root, &walked), ["c.pgn", ".g/a.ctl-pgn", "-"]);
        assert_eq!(walked.problems.len(), 1);
        assert_eq!(
            (&walked.problems[0].path, walked.problems[0].error.kind()),
            (&root.join("none"), io::ErrorKind::NotFound)
        );
    }

    #[test]
    fn each_file_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        lay(root, &["a/x.ctl-pgn", "a/y.ctl-pgn"]);
        let walked = walk([root.join("a/../a/y.ctl-pgn"), root.join("a"), root.to_owned(), root.join("./a")]);
        assert_eq!(shown(root, &walked), ["a/../a/y.ctl-pgn", "a/x.ctl-pgn"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_without_loops() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        lay(root, &["a/x.ctl-pgn", "z/other"]);
        symlink(root, root.join("a/loop")).unwrap();
        symlink(root.join("a"), root.join("b")).unwrap();
        symlink(root.join("a/x.ctl-pgn"), root.join("a/again.ctl-pgn")).unwrap();
        symlink(root.join("z/other"), root.join("link.ctl-pgn")).unwrap();
        symlink("nowhere", root.join("broken.ctl-pgn")).unwrap();
        symlink("nowhere", root.join("broken")).unwrap();
        symlink("nowhere", root.join(".#x.ctl-pgn")).unwrap();
        let walked = walk([root]);
        assert_eq!(shown(root, &walked), ["a/again.ctl-pgn", "link.ctl-pgn"]);
        let problems: Vec<_> = walked.problems.iter().map(|problem| problem.path.clone()).collect();
        assert_eq!(problems, [root.join("broken.ctl-pgn")]);
    }

    #[cfg(unix)]
    #[test]
    fn names_need_not_be_utf8() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(OsStr::from_bytes(b"p\xE8.ctl-pgn"));
        fs::write(&path, "").unwrap();
        assert_eq!(walk([folder.path()]).inputs, [Input::File(path.clone())]);
        assert_eq!(walk([&path]).inputs, [Input::File(path)]);
    }
}
