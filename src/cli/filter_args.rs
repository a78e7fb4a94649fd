//! What ctl-filter takes.

use std::path::{Path, PathBuf};

use clap::builder::{ArgPredicate, PathBufValueParser, PossibleValue, TypedValueParser};
use clap::{ArgGroup, Parser, ValueEnum, ValueHint};

use super::RunArgs;
use super::generate::{Documented, Section, after_help};
use crate::filter::{Data, Form, Gather, Notation, Part, PieceLetters, Separators, Take, Wanted};
use crate::notation::{Fragment, Letters, RedefineFault};

/// One of these is needed.
const FORMS: [&str; 14] = [
    "minimal",
    "canonical",
    "letters",
    "ascii",
    "typographic",
    "strip",
    "linear",
    "fragment",
    "merge_variations",
    "join",
    "to",
    "from",
    "generate",
    "show_files",
];

/// Another notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Target {
    /// The position after the last coherent ply of each main line, one a line
    Pdtl,
    /// The positions of each main line, one a line, an empty line between records; `?` where it is unknown
    PdtlPerPly,
    /// The plies of each main line in standard letters, a record a line
    Plies,
    /// All of each record: a JSON array of objects
    Json,
    /// All of each record: a JSON object a line
    Jsonl,
    /// All plies: a row for each, of variations too, behind a row of names
    Csv,
}

impl Target {
    /// What is to be written, with the position behind each ply if wanted.
    fn wanted(self, positions: bool) -> Wanted {
        let notation = match self {
            Target::Pdtl => return Wanted::Pdtl,
            Target::PdtlPerPly => Notation::Positions,
            Target::Plies => Notation::Plies,
            Target::Json => Notation::Json,
            Target::Jsonl => Notation::Jsonl,
            Target::Csv => Notation::Csv,
        };
        Wanted::Data(Data { notation, positions })
    }
}

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Origin {
    /// A JSON object a line, as --to jsonl writes them
    Jsonl,
}

/// What to do about a record that can't be filtered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum OnError {
    /// Report it and leave it out
    Skip,
    /// Report it and stop
    Stop,
}

/// Writes archives of C'escacs games in CTL-PGN in another form
///
/// What can't be read with certainty is reported on standard error and left out, never guessed; all the rest goes to
/// standard output.
#[derive(Parser, Clone, PartialEq, Eq, Debug)]
#[command(name = "ctl-filter", version, max_term_width = 100, after_long_help = after_help(FilterArgs::SECTIONS))]
#[command(group = ArgGroup::new("form").required(true).multiple(true).args(FORMS))]
pub struct FilterArgs {
    /// Files and folders; `-` is standard input
    ///
    /// Files are read whatever they are called; folders are walked for `*.ctl-pgn`, `*.ctl-pgn.gz` and `*.ctl-pgn.zst`, without
    /// hidden entries. What is compressed is known by its first bytes.
    #[arg(
        value_name = "PATH",
        value_hint = ValueHint::AnyPath,
        default_value = "-",
        default_value_if("files_from", ArgPredicate::IsPresent, None),
    )]
    pub paths: Vec<PathBuf>,

    /// Write the minimal form
    ///
    /// Standard letters, a pair a line; no comments, variations or valuations (§13.1).
    #[arg(long)]
    pub minimal: bool,

    /// Write the canonical form
    ///
    /// The same bytes for the same content, whoever wrote it (§13.6): tags in their order, one spelling of each sign, a
    /// pair a line with its comments and variations behind it. Letters stay those of the record, unless --letters or
    /// `--strip redefine` say otherwise.
    #[arg(long, conflicts_with = "minimal")]
    pub canonical: bool,

    /// Write the pieces in these letters
    ///
    /// `standard`; `ca`, `es`, `it`, `en`, `de`, `fr`: those that a language is used to; `fan`: figurines; or as a Redefine
    /// tag has them, `A@J, T@R`. Moves, promotions, captures, castlings, PDTL and references in comments are
    /// translated, and the Redefine tag says so (§13.7).
    #[arg(long, value_name = "LETTERS", value_parser = letters, value_hint = ValueHint::Other)]
    #[arg(conflicts_with = "minimal")]
    pub letters: Option<Letters>,

    /// Write `-`, `*` and `...` for `‐`, `×` and `…`
    ///
    /// In moves; `-` also in the tags that may have `‐`: PDTL, dates, rounds and identifiers. Comments stay as they are.
    #[arg(long)]
    pub ascii: bool,

    /// Write `‐`, `×` and `…` for `-`, `*` and `...`
    ///
    /// In moves. Tags and comments stay as they are.
    #[arg(long, conflicts_with = "ascii")]
    pub typographic: bool,

    /// Leave these parts out, and keep all else
    ///
    /// Separated by commas, or given again; with --minimal, besides what that leaves out. A record with no fault and
    /// nothing to leave out stays byte for byte; any other one is laid out anew: a pair a line, behind it its comments and
    /// its variations, each on lines of its own. What is kept must be read with certainty, or the record is refused:
    /// variations too, if they are kept (§13.3, §13.5).
    #[arg(long, value_name = "PARTS", value_enum, value_delimiter = ',')]
    pub strip: Vec<Part>,

    /// Bring Id and Lang into line with what is left out
    ///
    /// Without variations, an Id loses its -V and the version behind that, unless it is of one line (-S). Where neither
    /// comments nor a Title are left, and some may have been left out, the Lang tag goes, and the Id's language with it.
    /// Annotator, `AnnotatorId`, and the Ids in Model, Example and Revisited stay.
    #[arg(long)]
    pub retag: bool,

    /// Write one line of each record, or every one as a record of its own
    ///
    /// `0:1`: of the pairs of the line that have alternatives, stay with the first one, take the first alternative to
    /// the second one, and stay from then on; `all`: every line. The Id tells which line it is (§13.8). What the line does not have
    /// goes: comments on plies that are replaced, those behind the result, Termination; the result is `*` unless the line mates.
    #[arg(long, value_name = "LINE", value_parser = line, value_hint = ValueHint::Other)]
    pub linear: Option<Take>,

    /// Write some pairs of each record
    ///
    /// Named as in Ids (§4.7): `O20` up to pair 20, `C5-20` and `M5-20` the pairs 5 to 20, `E30` from pair 30 on; `C5b-20w` from
    /// Black's ply of pair 5 to White's of pair 20. Comments and variations stay. The Id of a game record gets the fragment, and
    /// a PDTL tag tells where it begins (§13.9); the result is `*` unless the game ends there.
    #[arg(long, value_name = "PAIRS", value_parser = fragment, value_hint = ValueHint::Other, conflicts_with = "linear")]
    pub fragment: Option<Take>,

    /// Put lines of a record back together as its variations
    ///
    /// A main line and the lines that follow it in their file, as `--linear all` writes them, become one record; their Ids tell which
    /// belong together (§4.5, §13.8). All that the numbers in the Ids ask for must be there, with the same tags, and must say the
    /// same of the pairs that they share: else none of them is written, and --rejects takes them all. Labels are in no line; where White's
    /// ply stays, variations begin with `…`. All other records are
    /// written as they are. The lines of a record are in memory together, at most 64 MiB; all else is written as it comes.
    #[arg(long, conflicts_with_all = ["minimal", "linear", "fragment"])]
    pub merge_variations: bool,

    /// Join a fragment with those that continue it
    ///
    /// A fragment and those that follow it in their file, as `--fragment` writes them, become one record, if each goes on where
    /// the one before it ends: by its Id (§4.7; in an Id record, by its moves) and by the position of its PDTL tag. Where the Ids go on
    /// and tags, moves or position don't, none of them is written, and --rejects takes them all. All other records are written
    /// as they are. The fragments of a game are in memory together, at most 64 MiB; all else is written as it comes.
    #[arg(long, conflicts_with_all = ["linear", "fragment", "merge_variations"])]
    pub join: bool,

    /// Write another notation
    ///
    /// For other programs; docs/data.md tells what each field is. `json`, `jsonl` and `csv` take variations too: a record that
    /// --canonical refuses they refuse, JSON also one with a comment that is not UTF-8; `plies` and `pdtl-per-ply` take the
    /// main line, as --minimal does. All of them stream: memory does not grow with the archive.
    #[arg(long, value_name = "NOTATION", value_enum, conflicts_with_all = ["minimal", "canonical", "letters", "ascii", "typographic", "strip", "retag", "linear", "fragment", "merge_variations", "join"])]
    pub to: Option<Target>,

    /// With `--to json|jsonl|csv`: add the position behind each ply
    #[arg(long, requires = "to")]
    pub pdtl: bool,

    /// Read another notation
    ///
    /// A record in JSON on each line of what is read, of folders in `*.jsonl`, `*.jsonl.gz` and `*.jsonl.zst`; it goes on as if
    /// it stood there in canonical form, which is written unless something else is asked for. A line that is no record is
    /// reported and left out, and so is a faulty record; empty lines are passed over. A line may have 64 MiB. It does not go
    /// with --in-place, nor with --merge-variations and --join, which take its output.
    #[arg(long, value_name = "NOTATION", value_enum, conflicts_with_all = ["in_place", "merge_variations", "join"])]
    pub from: Option<Origin>,

    /// Write to a file instead of standard output
    ///
    /// The file is replaced only when its new text is complete. One that ends in `.gz` or `.zst` is compressed so. `-` is
    /// standard output.
    #[arg(short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Replace each file by its filtered text
    ///
    /// A file is replaced only when its new text is complete and on disk. It keeps its mode, and its owner where that
    /// is allowed; links are followed; another hard link to it keeps the old text. It is left as it was if a
    /// record in it can't be filtered, if it changed meanwhile, if it may not be written, or if nothing
    /// in it would change. Standard input and compressed files are refused. A run that is killed may leave a hidden
    /// file `.ctl-….tmp` behind, which neither program reads and anybody may remove.
    #[arg(long, conflicts_with_all = ["to", "output", "rejects"])]
    pub in_place: bool,

    /// Write the records that can't be filtered to a file, unchanged
    ///
    /// In the order of the input, with an empty line between them. The file is empty if there are none. What is
    /// not read as records at all (other kinds of files, records over 64 MiB) is not copied. A file that ends in `.gz` or
    /// `.zst` is compressed so.
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(a_file))]
    pub rejects: Option<PathBuf>,

    /// What to do about a record that can't be filtered
    ///
    /// Where it stops, what was written before to standard output stays, and a file to be written is left as it
    /// was; --rejects takes the record at which it stopped.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = OnError::Skip)]
    pub on_error: OnError,

    /// What both programs take.
    #[command(flatten)]
    pub run: RunArgs,
}

impl FilterArgs {
    /// What is to be written.
    pub fn wanted(&self) -> Wanted {
        if let Some(target) = self.to {
            return target.wanted(self.pdtl);
        }
        // What comes from elsewhere has no layout of its own.
        let mut form = match (self.minimal, self.canonical || self.from.is_some()) {
            (true, _) => Form::MINIMAL,
            (_, true) => Form::CANONICAL,
            _ => Form::WHOLE,
        };
        if let Some(letters) = self.letters {
            form.letters = PieceLetters::These(letters);
        }
        if self.ascii {
            form.separators = Separators::Ascii;
        } else if self.typographic {
            form.separators = Separators::Typographic;
        }
        let form = self.strip.iter().fold(form, |form, part| form.without(*part));
        let form = Form { retag: self.retag, ..form };
        match self.linear.as_ref().or(self.fragment.as_ref()) {
            Some(take) => Wanted::Parts(take.clone(), form),
            None if self.merge_variations => Wanted::Gathered(Gather::Lines, form),
            None if self.join => Wanted::Gathered(Gather::Fragments, form),
            None => Wanted::Records(form),
        }
    }

    /// How to read: of folders what holds the notation that is read.
    pub fn reading(&self) -> RunArgs {
        // In any case, as the endings of CTL-PGN are.
        let globs = self.from.map(|Origin::Jsonl| {
            ["*.[jJ][sS][oO][nN][lL]", "*.[jJ][sS][oO][nN][lL].[gG][zZ]", "*.[jJ][sS][oO][nN][lL].[zZ][sS][tT]"]
        });
        let include = globs.map(|globs| globs.iter().filter_map(|glob| glob.parse().ok()).collect());
        RunArgs { include, ..self.run.clone() }
    }

    /// What of the options contradicts what.
    pub fn contradiction(&self) -> Option<&'static str> {
        if self.letters.is_some() && self.strip.contains(&Part::Redefine) {
            return Some("--letters and `--strip redefine` both say which letters to write: name one of them");
        }
        if self.merge_variations && self.strip.contains(&Part::Variations) {
            return Some("--merge-variations makes what `--strip variations` leaves out: name one of them");
        }
        let has_plies = matches!(self.to, None | Some(Target::Json | Target::Jsonl | Target::Csv));
        (self.pdtl && !has_plies).then_some("--pdtl goes with `--to json`, `--to jsonl` and `--to csv` only")
    }
}

/// A line by its choices, or all lines.
fn line(value: &str) -> Result<Take, &'static str> {
    if value == "all" {
        return Ok(Take::EveryLine);
    }
    let choices: Result<Vec<u32>, _> = value.split(':').map(str::parse).collect();
    choices.map(Take::Line).map_err(|_| "`all`, or numbers as in `0:1:1` were expected")
}

fn fragment(value: &str) -> Result<Take, &'static str> {
    let read = Fragment::parse(value).map(Take::Fragment);
    read.ok_or("pairs as in `O20`, `C5-20`, `M5b-20w` or `E30` were expected")
}

/// A set of letters by its name, or as a `Redefine` tag declares it.
fn letters(value: &str) -> Result<Letters, String> {
    let read = || Letters::parse(value.as_bytes());
    Letters::tradition(value).map_or_else(read, Ok).map_err(|slip| {
        let found = value.get(slip.at as usize..(slip.at + slip.len) as usize).unwrap_or(value);
        match slip.fault {
            RedefineFault::Letter => format!("`{found}` gives no piece one of its other letters, which are {OTHERS}"),
            RedefineFault::Twice => format!("`{found}` gives a piece a second letter"),
            RedefineFault::Syntax => {
                "standard, ca, es, it, en, de, fr, fan, or letters as in `A@J, T@R` were expected".to_owned()
            }
        }
    })
}

/// The other letters of pieces (§2.5).
const OTHERS: &str = "A, B, F, L for J; C, S for N; T for R; W for V; Q for D";

impl ValueEnum for Part {
    fn value_variants<'a>() -> &'a [Part] {
        Part::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Part::Redefine => {
                "Other letters: moves, PDTL, and references in comments are written in standard letters, without the Redefine tag"
            }
            Part::Comments => "All comments",
            Part::AutoComments => "Comments made by a program, which begin with `{:`; `{: ctl-lint ignore …}` stays",
            Part::Variations => "Variations, with the comments in them",
            Part::Valuations => "Valuations: `!`, `?!`, `◇` and the like",
            Part::DrawOffers => "Draw offers: `(=)`",
            Part::CheckPrecision => "What a check is like: `+` for `+∞`, `+^` and `++`",
            Part::OptionalTags => {
                "Tags that need not be there: all but Variant, Event, Site, Date, Round, White, Black, their aliases (or \
                 WhiteNA, BlackNA in their place), Result, Id, Redefine and PDTL; in an Id record all but Variant, Id, Date, \
                 Result, the first Annotator, Redefine and PDTL; AnnotatorId stays where the Id is of class A"
            }
            Part::Addresses => {
                "WhiteNA and BlackNA; where one holds a player's place, White or Black takes it with the value `?`"
            }
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl Documented for FilterArgs {
    const SECTIONS: &'static [Section] = &[
        Section {
            title: "Exit status",
            lines: &[
                ("0", "every record is written"),
                ("1", "records could not be filtered and are left out"),
                ("2", "usage, configuration, reading, writing or an internal error; wins over 1"),
            ],
        },
        Section {
            title: "Examples",
            lines: &[
                ("ctl-filter --minimal games -o minimal.ctl-pgn", "a folder's games in one file"),
                ("ctl-filter --to pdtl my.ctl-pgn", "the last position of each game"),
                ("ctl-filter --to jsonl games | ctl-filter --from jsonl", "to JSON and back"),
                ("ctl-filter --canonical --letters en games -o games.zst", "one spelling, English letters, compressed"),
            ],
        },
    ];
}

fn a_file(path: PathBuf) -> Result<PathBuf, &'static str> {
    if path == Path::new("-") { Err("standard output takes the text: name a file") } else { Ok(path) }
}

#[cfg(test)]
mod tests {

    use clap::CommandFactory;

    use super::*;
    use crate::source::{self, Input};

    fn parse(line: &str) -> Result<FilterArgs, clap::Error> {
        FilterArgs::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_definition_holds() {
        FilterArgs::command().debug_assert();
        assert!(FilterArgs::command().render_long_help().to_string().contains("wins over 1"));
    }

    #[test]
    fn folders_are_walked_for_what_is_read_in_any_case() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "b.JSONL", "c.Jsonl.GZ", "d.jsonl.zst", "e.json", "f.jsonl.bz2", "jsonl", "g.ctl-pgn"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let args = parse("ctl-filter --from jsonl").unwrap().reading();
        let include = args.include.unwrap();
        let walked = source::walk([folder.path()], source::Wanted { exclude: &[], include: Some(&include) });
        let names = walked.inputs.iter().map(|input| match input {
            Input::Stdin => "-".to_owned(),
            Input::File(path) => path.file_name().unwrap().to_string_lossy().into_owned(),
        });
        assert_eq!(names.collect::<Vec<_>>(), ["a.jsonl", "b.JSONL", "c.Jsonl.GZ", "d.jsonl.zst"]);
    }

    #[test]
    fn a_form_is_needed_and_one_only() {
        assert!(parse("ctl-filter --minimal").unwrap().minimal);
        assert_eq!(parse("ctl-filter --to pdtl").unwrap().to, Some(Target::Pdtl));
        for line in [
            "ctl-filter",
            "ctl-filter a",
            "ctl-filter --minimal --to pdtl",
            "ctl-filter --to fen",
            "ctl-filter --strip comments --to pdtl",
            "ctl-filter --strip comment",
            "ctl-filter --strip comments,,redefine",
            "ctl-filter --retag",
            "ctl-filter --retag --to pdtl",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn each_part_is_left_out_by_its_name_in_any_company() {
        let form = |line: &str| match parse(&format!("ctl-filter {line}")).expect(line).wanted() {
            Wanted::Records(form) => form,
            other => panic!("{line}: {other:?}"),
        };
        for part in Part::ALL {
            assert_eq!(form(&format!("--strip {}", part.name())), Form::WHOLE.without(*part));
            assert_eq!(form(&format!("--minimal --strip {}", part.name())), Form::MINIMAL.without(*part));
        }
        let several = form("--strip redefine,comments --strip addresses");
        assert_eq!(several, Form::WHOLE.without(Part::Redefine).without(Part::Comments).without(Part::Addresses));
        assert_eq!(form("--strip comments,auto-comments"), form("--strip auto-comments,comments"));
        assert_eq!(form("--minimal --retag"), Form { retag: true, ..Form::MINIMAL });
        assert_eq!(parse("ctl-filter --to pdtl").unwrap().wanted(), Wanted::Pdtl);
    }

    #[test]
    fn nothing_said_means_standard_input_and_output() {
        let args = parse("ctl-filter --minimal").unwrap();
        assert_eq!((args.paths.as_slice(), args.output), ([PathBuf::from("-")].as_slice(), None));
        assert_eq!(args.on_error, OnError::Skip);
        assert!(parse("ctl-filter --minimal --files-from list").unwrap().paths.is_empty());
        let args = parse("ctl-filter --minimal -o out --on-error stop a").unwrap();
        assert_eq!((args.output.as_deref(), args.on_error), (Some(Path::new("out")), OnError::Stop));
    }

    #[test]
    fn in_place_goes_with_nothing_that_drops_records() {
        assert!(parse("ctl-filter --minimal --in-place a --on-error stop").unwrap().in_place);
        for more in ["--minimal -o b", "--minimal --rejects b", "--to pdtl"] {
            assert_eq!(parse(&format!("ctl-filter --in-place a {more}")).unwrap_err().exit_code(), 2, "{more}");
        }
    }
}
