//! Paths to inputs.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fs, io};

use globset::{GlobBuilder, GlobMatcher};
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

/// Which files or folders are meant. A glob without a slash is matched with names; one with a slash inside, or at its
/// start, with the path from the start: as it is shown and from the folder that is walked on, or, for one out of a
/// configuration, from that one's folder on. One that ends in a slash matches folders only. Neither `*` nor `?` matches a
/// slash, `**` does.
#[derive(Clone, Debug)]
pub struct PathGlob {
    glob: GlobMatcher,
    by_name: bool,
    folders_only: bool,
    /// The folder from which on it counts, a real path.
    within: Option<PathBuf>,
}

impl FromStr for PathGlob {
    type Err = String;

    fn from_str(text: &str) -> Result<PathGlob, String> {
        let bare = text.trim_end_matches('/');
        let by_name = !bare.contains('/');
        let glob = bare.strip_prefix("./").unwrap_or(bare);
        if glob.is_empty() {
            return Err("a name or a path was expected".to_owned());
        }
        let glob = GlobBuilder::new(glob).literal_separator(true).build().map_err(|error| error.kind().to_string())?;
        Ok(PathGlob { glob: glob.compile_matcher(), by_name, folders_only: bare != text, within: None })
    }
}

impl PartialEq for PathGlob {
    fn eq(&self, other: &PathGlob) -> bool {
        let parts = |of: &PathGlob| (of.glob.glob().clone(), of.by_name, of.folders_only, of.within.clone());
        parts(self) == parts(other)
    }
}

impl Eq for PathGlob {}

impl PathGlob {
    /// As it was written, but for slashes and a dot around it.
    pub fn text(&self) -> &str {
        self.glob.glob().glob()
    }

    /// The glob, its paths counted from a folder on, which is a real path.
    pub fn within(self, folder: &Path) -> PathGlob {
        PathGlob { within: Some(folder.to_owned()), ..self }
    }

    /// Whether it matches a file, or a folder that the file lies in, below the folder from which on it counts.
    pub fn covers(&self, file: &Path) -> bool {
        let (Some(real), Some(within)) = (real_path(file), self.within.as_deref()) else { return false };
        let folders = real.ancestors().skip(1).take_while(|folder| *folder != within && folder.starts_with(within));
        self.matches_within(within, &real, false)
            || folders.into_iter().any(|folder| self.matches_within(within, folder, true))
    }

    /// Whether it matches what stands at `path`, below the folder `root` that is walked.
    fn matches(&self, root: &Root<'_>, path: &Path, is_folder: bool) -> bool {
        let below = path.strip_prefix(root.shown).unwrap_or(path);
        match &self.within {
            Some(within) => self.matches_within(within, &root.real.join(below), is_folder),
            None => self.matches_below(below, is_folder) || self.matches_path(path, is_folder),
        }
    }

    /// Whether it matches what stands at a real path.
    fn matches_within(&self, within: &Path, real: &Path, is_folder: bool) -> bool {
        self.matches_below(real.strip_prefix(within).unwrap_or(real), is_folder)
    }

    /// Whether it matches a path from the folder on from which on it counts.
    fn matches_below(&self, path: &Path, is_folder: bool) -> bool {
        self.matches_path(path, is_folder) || self.matches_path(&Path::new("/").join(path), is_folder)
    }

    fn matches_path(&self, path: &Path, is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        if self.by_name {
            return path.file_name().is_some_and(|name| self.glob.is_match(name));
        }
        self.glob.is_match(path.strip_prefix("./").unwrap_or(path))
    }
}

/// The path of a file that may not be there, without links and dots in that of its folder.
fn real_path(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = fs::canonicalize(folder).or_else(|_| std::path::absolute(folder)).ok()?;
    Some(real.join(file.file_name()?))
}

/// A folder that is walked.
struct Root<'r> {
    /// As it was named.
    shown: &'r Path,
    /// Without links and dots.
    real: PathBuf,
}

/// What is taken of the folders that are walked.
#[derive(Clone, Copy, Default, Debug)]
pub struct Wanted<'g> {
    /// Files, instead of those whose names end in `.ctl-pgn`, `.ctl-pgn.gz` or `.ctl-pgn.zst` in any case.
    pub include: Option<&'g [PathGlob]>,
    /// Files and folders to pass over.
    pub exclude: &'g [PathGlob],
}

impl Wanted<'_> {
    fn has(&self, root: &Root<'_>, path: &Path) -> bool {
        match self.include {
            Some(include) => include.iter().any(|glob| glob.matches(root, path, false)),
            None => path.file_name().is_some_and(is_ctl_pgn),
        }
    }
}

/// Finds what to read: `-` is standard input; files are taken whatever they are called; folders are walked for what is
/// wanted, links followed, without hidden entries. Each real file is taken once, and each real folder walked once, by the
/// first path that leads to it.
pub fn walk<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, wanted: Wanted<'_>) -> Walked {
    let mut walker = Walker { found: Walked::default(), seen: HashSet::new(), wanted };
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
            Ok(metadata) => walker.file(path, &metadata),
        }
    }
    walker.found
}

/// What tells one file or folder from all others, by whatever path it was reached.
#[cfg(unix)]
fn identity(_: &Path, metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// What tells one file or folder from all others, save for hard links.
#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> PathBuf {
    // A pipe may have a name that leads nowhere.
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

struct Walker<'g> {
    found: Walked,
    seen: HashSet<Identity>,
    wanted: Wanted<'g>,
}

impl Walker<'_> {
    fn is_new(&mut self, path: &Path, metadata: &Metadata) -> bool {
        self.seen.insert(identity(path, metadata))
    }

    fn file(&mut self, path: &Path, metadata: &Metadata) {
        if self.is_new(path, metadata) {
            self.found.inputs.push(Input::File(path.to_owned()));
        }
    }

    fn folder(&mut self, root: &Path) {
        let root = &Root { shown: root, real: fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()) };
        let by_name = |a: &DirEntry, b: &DirEntry| a.file_name().cmp(b.file_name());
        let mut entries = WalkDir::new(root.shown).follow_links(true).sort_by(by_name).into_iter();
        while let Some(entry) = entries.next() {
            match entry.and_then(|entry| self.enters(root, &entry)) {
                Ok(true) => {}
                Ok(false) => entries.skip_current_dir(),
                Err(error) => self.failed(root, error),
            }
        }
    }

    /// Takes a file that is wanted. Says whether to go on; `false`: a folder is not to be entered.
    fn enters(&mut self, root: &Root<'_>, entry: &DirEntry) -> walkdir::Result<bool> {
        let (path, kind) = (entry.path(), entry.file_type());
        let is_out = entry.depth() > 0 && self.is_out(root, path, kind.is_dir());
        if kind.is_dir() {
            return Ok(!is_out && self.is_new(path, &entry.metadata()?));
        }
        if !is_out && kind.is_file() && self.wanted.has(root, path) {
            self.file(path, &entry.metadata()?);
        }
        Ok(true)
    }

    fn is_out(&self, root: &Root<'_>, path: &Path, is_folder: bool) -> bool {
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        is_hidden || self.wanted.exclude.iter().any(|glob| glob.matches(root, path, is_folder))
    }

    fn failed(&mut self, root: &Root<'_>, error: walkdir::Error) {
        let path = error.path().unwrap_or(root.shown).to_owned();
        // An entry that is not wanted may lead nowhere, by a link to nothing or to itself.
        let may_matter = |error: &io::Error| {
            error.kind() == io::ErrorKind::PermissionDenied
                || self.wanted.has(root, &path)
                || !path.is_symlink() && error.kind() != io::ErrorKind::NotFound
        };
        let is_root = error.depth() == 0;
        // A loop of links, which has no such error, leads to what is walked anyway.
        let Some(error) = error.into_io_error().filter(|error| is_root || may_matter(error)) else { return };
        if is_root || !self.is_out(root, &path, false) {
            self.found.problems.push(Unreached { path, error });
        }
    }
}

fn is_ctl_pgn(name: &OsStr) -> bool {
    const ENDINGS: [&[u8]; 3] = [b".ctl-pgn", b".ctl-pgn.gz", b".ctl-pgn.zst"];
    let name = name.as_encoded_bytes();
    ENDINGS.iter().any(|ending| {
        name.len().checked_sub(ending.len()).is_some_and(|start| name[start..].eq_ignore_ascii_case(ending))
    })
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
        let walked = walk([root], Wanted::default());
        assert!(walked.problems.is_empty());
        assert_eq!(
            shown(root, &walked),
            ["-x.ctl-pgn", "B.CTL-PGN", "a/x.Ctl-Pgn", "a b.ctl-pgn", "a.ctl-pgn/inner.ctl-pgn", "b.ctl-pgn"]
        );
        let walked =
            walk([root.join("c.pgn"), root.join(".g"), "-".into(), "-".into(), root.join("none")], Wanted::default());
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
        let walked =
            walk([root.join("a/../a/y.ctl-pgn"), root.join("a"), root.to_owned(), root.join("./a")], Wanted::default());
        assert_eq!(shown(root, &walked), ["a/../a/y.ctl-pgn", "a/x.ctl-pgn"]);
    }

    #[test]
    fn compressed_files_are_found_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let found = ["a.ctl-pgn.gz", "b.ctl-pgn.zst", "c.CTL-PGN.Gz", "d.Ctl-Pgn.ZST", "e.ctl-pgn.gz/x.ctl-pgn"];
        lay(root, &found);
        lay(root, &["f.ctl-pgn.xz", "g.gz", "h.ctl-pgn.gz.zst", "i.pgn.gz", "j.ctl-pgngz", ".k.ctl-pgn.gz"]);
        assert_eq!(shown(root, &walk([root], Wanted::default())), found);
    }

    fn without(root: &Path, paths: &[PathBuf], globs: &[&str]) -> Vec<String> {
        let globs: Vec<PathGlob> = globs.iter().map(|glob| glob.parse().unwrap()).collect();
        shown(root, &walk(paths, Wanted { exclude: &globs, include: None }))
    }

    #[test]
    fn what_is_excluded_is_left_out_at_any_depth_or_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let all = ["a/old/b/x.ctl-pgn", "a/old/x.ctl-pgn", "a/x.ctl-pgn", "old/x.ctl-pgn", "old.ctl-pgn", "y.ctl-pgn"];
        lay(root, &all);
        let left = |globs: &[&str]| without(root, &[root.to_owned()], globs);
        let but = |out: &[usize]| (0..all.len()).filter(|k| !out.contains(k)).map(|k| all[k]).collect::<Vec<_>>();
        let mut sorted = but(&[]);
        sorted.sort_unstable_by_key(|path| path.replace('/', "\0"));
        assert_eq!(left(&[]), sorted);
        let shown = root.to_str().unwrap();
        for (globs, out) in [
            (&["old"][..], &[0, 1, 3][..]),
            (&["old/"], &[0, 1, 3]),
            (&["old.ctl-pgn/"], &[]),
            (&["old*"], &[0, 1, 3, 4]),
            (&["x.ctl-pgn"], &[0, 1, 2, 3]),
            (&["/old"], &[3]),
            (&["./old"], &[3]),
            (&["a/old"], &[0, 1]),
            (&["a/*.ctl-pgn"], &[2]),
            (&["a/*/*.ctl-pgn"], &[1]),
            (&["a/**"], &[0, 1, 2]),
            (&["**/old/b"], &[0]),
            (&["a/*d"], &[0, 1]),
            (&["?.ctl-pgn", "ol[de]"], &[0, 1, 2, 3, 5]),
            (&["{y,old}.ctl-pgn"], &[4, 5]),
            (&["OLD"], &[]),
            (&["b/x.ctl-pgn"], &[]),
            (&[&format!("{shown}/a")], &[0, 1, 2]),
        ] {
            let mut want = but(out);
            want.sort_unstable_by_key(|path| path.replace('/', "\0"));
            assert_eq!(left(globs), want, "{globs:?}");
        }
    }

    #[test]
    fn what_is_named_is_taken_whatever_is_excluded() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        lay(root, &["old/x.ctl-pgn", "old/old/y.ctl-pgn", "old/z.ctl-pgn"]);
        let named = [root.join("old/x.ctl-pgn"), root.join("old")];
        assert_eq!(without(root, &named, &["old", "x.*"]), ["old/x.ctl-pgn", "old/z.ctl-pgn"]);
    }

    #[test]
    fn globs_of_a_configuration_count_from_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = &fs::canonicalize(folder.path()).unwrap();
        lay(root, &["a/old/x.ctl-pgn", "a/x.ctl-pgn", "a/y.pgn", "old/x.ctl-pgn"]);
        let glob = |text: &str| text.parse::<PathGlob>().unwrap().within(root);
        let wanted = |include: &[&str], exclude: &[&str]| {
            let exclude: Vec<_> = exclude.iter().map(|text| glob(text)).collect();
            let include: Vec<_> = include.iter().map(|text| glob(text)).collect();
            let include = Some(&include[..]).filter(|globs| !globs.is_empty());
            shown(root, &walk([root.join("old/../a")], Wanted { include, exclude: &exclude }))
        };
        let both = ["old/../a/old/x.ctl-pgn", "old/../a/x.ctl-pgn"];
        assert_eq!(wanted(&[], &["/old", "a/*.pgn"]), both);
        assert_eq!(wanted(&[], &["a/old"]), both[1..]);
        assert_eq!(wanted(&[], &["old/"]), both[1..]);
        assert_eq!(wanted(&["*.pgn"], &[]), ["old/../a/y.pgn"]);
        assert_eq!(wanted(&["/a/*.ctl-pgn"], &[]), both[1..]);

        let covers = |text: &str| {
            let files = ["a/old/x.ctl-pgn", "a/x.ctl-pgn", "old/../a/y.pgn", "a/none"];
            files.iter().filter(|file| glob(text).covers(&root.join(file))).copied().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(covers("old"), "a/old/x.ctl-pgn");
        assert_eq!(covers("a/*.*"), "a/x.ctl-pgn old/../a/y.pgn");
        assert_eq!(covers("none"), "a/none");
        assert_eq!(covers("a/"), "a/old/x.ctl-pgn a/x.ctl-pgn old/../a/y.pgn a/none");
        let name = root.file_name().unwrap().to_str().unwrap();
        assert_eq!(covers(name), "");
    }

    #[test]
    fn a_glob_that_cannot_be_is_refused() {
        for (glob, why) in [
            ("a[", "unclosed character class; missing ']'"),
            ("{a", "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"),
            ("[b-a]", "invalid range; 'b' > 'a'"),
            ("", "a name or a path was expected"),
            ("/", "a name or a path was expected"),
        ] {
            assert_eq!(glob.parse::<PathGlob>().unwrap_err(), why);
        }
    }

    #[cfg(unix)]
    #[test]
    fn hard_links_lead_to_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        lay(root, &["a/x.ctl-pgn", "b/z.ctl-pgn"]);
        fs::hard_link(root.join("a/x.ctl-pgn"), root.join("b/y.ctl-pgn")).unwrap();
        assert_eq!(shown(root, &walk([root], Wanted::default())), ["a/x.ctl-pgn", "b/z.ctl-pgn"]);
    }

    #[cfg(unix)]
    #[test]
    fn folders_linked_with_one_another_are_walked_once() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let names: Vec<String> = (10..30).map(|k| k.to_string()).collect();
        for name in &names {
            lay(root, &[&format!("{name}/x.ctl-pgn")]);
            names.iter().for_each(|other| symlink(root.join(other), root.join(name).join(other)).unwrap());
        }
        // By all paths they would be walked 20! times.
        let walked = walk([root], Wanted::default());
        assert_eq!((walked.inputs.len(), walked.problems.len()), (20, 0));
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_reached_is_told_and_the_rest_is_taken() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        use std::os::unix::net::UnixListener;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        lay(root, &["a/x.ctl-pgn", "closed/y.ctl-pgn", "z.ctl-pgn"]);
        symlink("self.ctl-pgn", root.join("self.ctl-pgn")).unwrap();
        symlink("self", root.join("self")).unwrap();
        symlink("nowhere", root.join("left-out.ctl-pgn")).unwrap();
        let _socket = UnixListener::bind(root.join("socket.ctl-pgn")).unwrap();
        let closed = root.join("closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
        // Nothing is closed to root.
        let is_open = fs::read_dir(&closed).is_ok();
        let walked = walk([root], Wanted { exclude: &["left-*".parse().unwrap()], include: None });
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
        let problems: Vec<_> = walked.problems.iter().map(|problem| problem.path.clone()).collect();
        if is_open {
            assert_eq!(shown(root, &walked), ["a/x.ctl-pgn", "closed/y.ctl-pgn", "z.ctl-pgn"]);
            assert_eq!(problems, [root.join("self.ctl-pgn")]);
        } else {
            assert_eq!(shown(root, &walked), ["a/x.ctl-pgn", "z.ctl-pgn"]);
            assert_eq!(problems, [closed, root.join("self.ctl-pgn")]);
            assert_eq!(walked.problems[0].error.kind(), io::ErrorKind::PermissionDenied);
        }
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
        let walked = walk([root], Wanted::default());
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
        assert_eq!(walk([folder.path()], Wanted::default()).inputs, [Input::File(path.clone())]);
        assert_eq!(walk([&path], Wanted::default()).inputs, [Input::File(path)]);
    }
}
