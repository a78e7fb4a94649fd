//! Faults: the one seam between reading and judging. A fault says what is wrong and where; it knows no rule and no
//! severity. Each kind is claimed by exactly one page of `rules/`.

use std::ops::{Deref, DerefMut};

use crate::game::Incoherence;
use crate::notation::{IdFault, PdtlFault, PlyFault, Reading, RedefineFault};

named! {
    /// What is wrong with a file, or with bytes whatever they belong to (§1).
    pub enum FileFault {
        /// Opening or reading failed.
        Unreadable = "unreadable",
        /// UTF-16, compressed, or no text at all.
        NotText = "not-text",
        /// It got shorter while it was read.
        Changed = "changed",
        /// Compressed data break off, or can't be.
        Damaged = "damaged",
        /// No record in it (§1.1).
        NoRecord = "no-record",
        /// A record over 64 MiB (§1.11).
        RecordTooLong = "record-too-long",
        /// Our own fault.
        Internal = "internal",
        /// Bytes that are not UTF-8 (§1.2).
        NotUtf8 = "not-utf8",
        /// A run of NUL bytes (§1.2).
        Nul = "nul",
        /// A byte order mark at the file's start (§1.3).
        Bom = "bom",
        /// A byte order mark elsewhere (§1.3).
        StrayBom = "stray-bom",
        /// A line end that differs from the file's first (§1.4).
        MixedEnds = "mixed-ends",
        /// A carriage return alone (§1.4).
        LoneCr = "lone-cr",
        /// A Unicode blank or an invisible character in movetext (§1.5).
        OddBlank = "odd-blank",
        /// More faults than are told of one record.
        TooMany = "too-many-faults",
        /// `ctl-filter` was asked for a line or a fragment that the record does not have (§13.8, §13.9).
        NoSuchPart = "no-such-part",
        /// `ctl-filter` was asked for all lines, and they are too long together (§13.8).
        TooManyLines = "too-many-lines",
        /// `ctl-filter` was asked to put records together, and they don't fit (§13.8, §13.9).
        UnfitPart = "unfit-part",
        /// A line of JSON that is no record.
        Json = "json",
        /// A record begins behind a result on its line (§1.7).
        RecordBehindResult = "record-behind-result",
        /// No initial tag, but what follows is ordinary PGN (§1.6).
        OrdinaryPgn = "ordinary-pgn",
        /// The file does not end with a line end (§1.5).
        NoFinalNewline = "no-final-newline",
        /// Blanks at a line's end (§1.5).
        TrailingBlanks = "trailing-blanks",
        /// A tab in movetext (§1.5).
        Tab = "tab",
        /// No empty line before the next record (§1.5).
        NoEmptyLine = "no-empty-line",
        /// Several empty lines before the next record (§1.5).
        EmptyLines = "empty-lines",
    }
}

named! {
    /// What is wrong with a tag as it is written (§3.1–3.3), or with the first one.
    pub enum TagFault {
        /// The record does not start with `Variant` (§1.6).
        NoVariant = "no-variant",
        /// `Variant` has another value than `C'escacs` (§3.1).
        OtherVariant = "other-variant",
        /// `Grand C'escacs`: not replayed (§3.1).
        GrandVariant = "grand-variant",
        /// A typographic apostrophe in `C'escacs` (§3.1).
        VariantApostrophe = "variant-apostrophe",
        /// A known name in the wrong case (§3.3).
        NameCase = "name-case",
        /// `Variant` in the wrong case (§1.6).
        VariantCase = "variant-case",
        /// No name, or a name that is not a letter and letters or digits.
        Name = "name",
        /// No blank between name and quote.
        NoBlank = "no-blank",
        /// A value without quotes.
        NoQuotes = "no-quotes",
        /// The closing quote is missing.
        NoClosingQuote = "no-closing-quote",
        /// The closing bracket is missing.
        NoBracket = "no-bracket",
        /// A quote inside the value, without a backslash.
        BareQuote = "bare-quote",
        /// `\"` or `\\`.
        Escape = "escape",
        /// A backslash before anything else.
        FalseEscape = "false-escape",
        /// A control character in the value.
        Control = "control",
        /// A second tag on the line.
        TwoOnLine = "two-on-line",
        /// The initial tag behind another tag on its line: a record that cannot begin there.
        VariantBehindTag = "variant-behind-tag",
        /// Something else behind the tag on its line.
        Behind = "behind-tag",
        /// A comment before the tags or among them (§1.7).
        CommentAmongTags = "comment-among-tags",
        /// Text among the tags that is neither tag nor comment (§1.7).
        TextAmongTags = "text-among-tags",
        /// `Redefine` given twice with different values.
        TwoRedefines = "two-redefines",
        /// `PDTL` given twice with different values.
        TwoPdtls = "two-pdtls",
        /// An empty line between tags (§1.10).
        EmptyLine = "empty-line-among-tags",
        /// A language, but nothing is written in it (§9.10).
        NeedlessLanguage = "needless-language",
    }
}

named! {
    /// What is wrong with the layout of pairs and numbers, and with what stands behind a ply (§6.9–6.12, §7).
    pub enum MoveFault {
        /// A word that is neither ply nor anything else, where no ply is due.
        StrayText = "stray-text",
        /// A ply without its number (§7.6).
        NoNumber = "no-number",
        /// Number zero (§7.6).
        NumberZero = "number-zero",
        /// A number above 4294967295 (§7.6).
        NumberTooLarge = "number-too-large",
        /// Leading zeros (§7.6).
        LeadingZeros = "leading-zeros",
        /// Not the number that follows (§7.3).
        NumberOrder = "number-order",
        /// `n?` with another number than 1, or later (§7.5).
        NumberUnknown = "number-unknown",
        /// No dot behind the number.
        NoDot = "no-dot",
        /// A blank before the dot (§7.6).
        BlankBeforeDot = "blank-before-dot",
        /// No blank behind the number (§7.6).
        GluedNumber = "glued-number",
        /// No comma between the plies of a pair, or another sign in its place (§7.6).
        NoComma = "no-comma",
        /// No blank behind the comma (§7.6).
        GluedComma = "glued-comma",
        /// A comma where none belongs (§7.6).
        ExtraComma = "extra-comma",
        /// Half a pair where a whole one is due (§7.1).
        HalfPair = "half-pair",
        /// A pair over several lines (§7.1).
        PairOverLines = "pair-over-lines",
        /// A comment or a variation between the plies of a pair (§7.1).
        InsidePair = "inside-pair",
        /// Two pairs on a line (§7.2).
        TwoPairsOnLine = "two-pairs-on-line",
        /// Two dots, or four (§7.4).
        Ellipsis = "ellipsis",
        /// `…` elsewhere than in the first pair (§7.4).
        EllipsisPlace = "ellipsis-place",
        /// Black first, without a PDTL that says so (§7.3).
        BlackFirst = "black-first",
        /// A valuation glued to its ply (§6.9).
        GluedValuation = "glued-valuation",
        /// More than one blank before a valuation (§6.9).
        BlanksBeforeValuation = "blanks-before-valuation",
        /// A second valuation (§6.9).
        TwoValuations = "two-valuations",
        /// A valuation behind mate (§6.9).
        ValuationAfterMate = "valuation-after-mate",
        /// `$1` to `$7` among the moves (§6.9).
        Nag = "nag",
        /// Another `$n`, or another sign, in a valuation's place (§6.9).
        Valuation = "valuation",
        /// A blank between a ply and its check sign (§6.8).
        ApartCheck = "apart-check",
        /// Valuation, `(=)` and `:` in another order, or apart (§6.10).
        IndicatorOrder = "indicator-order",
        /// `(=)` glued to the ply (§6.10).
        GluedOffer = "glued-offer",
    }
}

named! {
    /// What is wrong with the end of a record (§6.11, §6.12, §7.7–7.9).
    pub enum EndFault {
        /// No `:` or `#` behind the last ply (§6.11).
        NoEndMark = "no-end-mark",
        /// `#:` (§6.11).
        MateAndMark = "mate-and-mark",
        /// `:` in a variation (§6.11).
        MarkInVariation = "mark-in-variation",
        /// `:` in a record without moves (§7.9).
        MarkWithoutPly = "mark-without-ply",
        /// Something behind the last ply that is no result (§6.12).
        AfterEnd = "after-end",
        /// No result line (§7.7).
        NoResult = "no-result",
        /// No result line, but `#` tells it (§7.7).
        NoResultButMate = "no-result-but-mate",
        /// A second result (§7.7).
        TwoResults = "two-results",
        /// A dash, or U+2010, for the hyphen of the result (§7.7).
        ResultDash = "result-dash",
        /// U+2010 for the hyphen of the result (§7.7).
        ResultHyphen = "result-hyphen",
        /// Blanks around the hyphen of the result (§7.7).
        ResultBlanks = "result-blanks",
        /// PGN's results (§7.7).
        ResultPgn = "result-pgn",
        /// The result stands on the line of a pair (§7.7).
        ResultOnPairLine = "result-on-pair-line",
        /// No moves, and no PDTL either (§7.9).
        NoMoves = "no-moves",
        /// Result line and `#` contradict each other (§7.8).
        ResultAgainstMate = "result-against-mate",
    }
}

named! {
    /// What is wrong with a variation (§8).
    pub enum VariationFault {
        /// `)` without `(` (§8.4).
        LoneClose = "lone-close",
        /// `(` without `)` (§8.4).
        Unclosed = "unclosed-variation",
        /// Nothing in it (§8.4).
        Empty = "empty-variation",
        /// Before the first pair of its line (§8.4).
        BeforePair = "before-pair",
        /// Its first number is not that of the pair it replaces (§8.2).
        FirstNumber = "variation-number",
        /// `…`, but there is no Black ply to replace (§8.2).
        NoBlackPly = "no-black-ply",
        /// A label that is no `$[n]` right behind `(` (§8.6).
        Label = "label",
        /// A label for the second time at one pair (§8.6).
        LabelTwice = "label-twice",
        /// A result inside a variation (§8.4).
        Result = "variation-result",
        /// It repeats the pair that it replaces, and goes no further (§8.8).
        Repeats = "repeats",
    }
}

named! {
    /// What is wrong with where a comment begins and ends (§1.8, §9.1–9.3).
    pub enum CommentFault {
        /// Never closed (§1.8).
        Unclosed = "unclosed-comment",
        /// `}` without `{` (§9.3).
        LoneBrace = "lone-brace",
        /// Text before `{` on its line (§9.2).
        NotFirst = "comment-not-first",
        /// Text behind `}` on its line (§9.2).
        TextBehind = "text-behind-comment",
        /// `{` inside a comment (§9.3).
        BraceInside = "brace-inside",
        /// A record's beginning inside a comment (§1.8).
        RecordInside = "record-inside",
        /// A line ends in `)`, and pairs follow inside the comment (§9.3).
        SwallowsPairs = "swallows-pairs",
        /// `;` comments and `%` lines (§9.3).
        LineComment = "line-comment",
        /// Directly behind `(` (§9.5).
        FirstInVariation = "comment-first-in-variation",
        /// It does not say whose ply it is on (§9.5).
        NoPlayer = "no-player-reference",
        /// No colon behind `@W` or `@B` (§9.5).
        NoColon = "no-reference-colon",
        /// On a ply that is not there (§9.5).
        NoSuchPly = "comment-without-ply",
        /// A second one on a ply (§9.6).
        Second = "second-comment",
        /// A second one made by a program (§9.6).
        SecondAutomatic = "second-automatic-comment",
        /// Made by a program in a record without Annotator (§9.6).
        NoAnnotator = "automatic-without-annotator",
        /// On White's ply, behind one on Black's (§9.7).
        Order = "comment-order",
        /// A reference that can't be read (§9.8).
        Reference = "malformed-reference",
        /// A piece's old letter in a reference (§5.3).
        OldLetter = "old-letter-in-reference",
        /// A reference to a later pair (§9.9).
        Forward = "reference-forward",
        /// A reference into another line, or to a label that is not there (§9.9).
        OtherLine = "reference-into-line",
        /// A reference to a piece that never stood on its hex (§9.9).
        NeverThere = "piece-never-there",
        /// Comments, but no Lang (§9.10).
        NoLanguage = "no-language",
    }
}

named! {
    /// What replay finds before the first ply (§7.3, §10.2, §10.6).
    pub enum StartFault {
        /// The first number is not 1, and no PDTL gives the position (§7.3).
        PositionUnknown = "position-unknown",
        /// The first number contradicts the PDTL (§7.3, §10.6).
        NumberAgainstPdtl = "number-against-pdtl",
        /// `1?`, but the PDTL knows the number, or the reverse (§10.6).
        UnknownAgainstPdtl = "unknown-against-pdtl",
        /// The first ply is not of the side that the PDTL puts on turn (§10.2).
        TurnAgainstPdtl = "turn-against-pdtl",
        /// A ply behind a PDTL whose halfmove clock has ended the game (§10.5).
        PlyAfterClock = "ply-after-clock",
    }
}

named! {
    /// What the rules of play do not allow (§12). What there is to know of it lies beside the faults, with the judge.
    pub enum PlayFault {
        /// The side not on turn is in check in the PDTL (§10.7).
        StartInCheck = "start-in-check",
        /// A king is captured (R4.1).
        KingCapture = "king-capture",
        /// The piece does not move so (R1, R2).
        NoReach = "no-reach",
        /// A triple step from a hex that has none (R2.1).
        NoTriple = "no-triple-step",
        /// It moves so without capture only (R1, R2.1).
        NoCapture = "no-capture",
        /// It moves so to capture only (R2.2).
        OnlyCapture = "only-capture",
        /// A scornful pawn captured with another sign than `@` (§6.4, R2.4).
        ScornfulSign = "scornful-sign",
        /// A piece is in its way (R1, R2.1).
        Blocked = "blocked-path",
        /// A capture in passing by another piece than a pawn (R2.3).
        PassingPiece = "passing-piece",
        /// A pawn that can't capture so in passing (R2.3, R2.4).
        PassingReach = "passing-reach",
        /// The king's leap is lost (R3.1).
        LeapLost = "leap-lost",
        /// A right to castle is lost (R3.3).
        CastlingLost = "castling-lost",
        /// A king in check leaps (R3.1).
        LeapInCheck = "leap-in-check",
        /// A king in check castles (R3.3).
        CastlingInCheck = "castling-in-check",
        /// A piece is in the way of a rook that castles (R3.3).
        CastlingPath = "castling-path",
        /// The king castles to a hex that is attacked (R3.4).
        CastlingAttacked = "castling-attacked",
        /// The king stays in check (R4.1).
        Unanswered = "unanswered-check",
        /// The king comes to be in check (R4.1).
        Exposed = "exposed-king",
        /// What stands behind `=` can't be regained (R2.5).
        NotRegainable = "not-regainable",
        /// `=&`, though something can be regained (R2.6).
        Regainable = "regainable",
        /// A pawn that awaits promotion must promote first (R2.7).
        PassedOver = "promotion-passed-over",
        /// Check without a sign (§6.8, R4.5).
        CheckMissing = "check-missing",
        /// A sign of check without check (R4.5).
        CheckFalse = "check-false",
        /// The sign of another check (R4.2, R4.5).
        CheckKind = "check-kind",
        /// `+`, which does not tell what check it is (R4.2, R4.5).
        CheckImprecise = "check-imprecise",
        /// Mate without `#` (R4.3).
        MateMissing = "mate-missing",
        /// `#` without mate (R4.3).
        MateFalse = "mate-false",
        /// A ply behind mate or stalemate (R5.4).
        AfterEnd = "ply-after-end",
        /// A ply behind a draw by 150 plies or five repetitions (R5.1, R5.2).
        AfterDraw = "ply-after-draw",
        /// A ply where neither side can mate (R5.3).
        AfterMaterial = "ply-without-material",
        /// Mate without `#`, and another result (§7.8, R4.3).
        ResultAgainstPosition = "result-against-position",
        /// Stalemate, and another result (§7.8, R4.4).
        ResultAgainstStalemate = "result-against-stalemate",
        /// 2-1 or 1-2 without stalemate (§7.8, R4.4).
        NoStalemate = "no-stalemate",
        /// A draw by 150 plies or five repetitions, and another result (R5.1, R5.2).
        ResultAgainstDraw = "result-against-draw",
        /// Neither side can mate, and one of them wins (R5.3).
        ResultAgainstMaterial = "result-against-material",
    }
}

/// What is wrong: one of the kinds of one floor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum FaultKind {
    /// Files and bytes.
    File(FileFault),
    /// Tags.
    Tag(TagFault),
    /// The `Id` tag, and others that hold an identifier.
    Id(IdFault),
    /// The `Redefine` tag.
    Redefine(RedefineFault),
    /// The `PDTL` tag.
    Pdtl(PdtlFault),
    /// The word of a ply.
    Ply(PlyFault),
    /// Pairs, numbers, valuations.
    Move(MoveFault),
    /// The end of a record.
    End(EndFault),
    /// Variations.
    Variation(VariationFault),
    /// Comments.
    Comment(CommentFault),
    /// The start of the replay.
    Start(StartFault),
    /// A ply that does not fit the position.
    Incoherence(Incoherence),
    /// The rules of play.
    Play(PlayFault),
}

macro_rules! kinds {
    ($($group:ident($faults:ident)),+) => {
        impl FaultKind {
            /// Every kind there is.
            pub fn all() -> impl Iterator<Item = FaultKind> {
                std::iter::empty()$(.chain($faults::ALL.iter().map(|&fault| FaultKind::$group(fault))))+
            }

            /// The name by which a page claims it.
            pub const fn name(self) -> &'static str {
                match self { $(FaultKind::$group(fault) => fault.name(),)+ }
            }
        }

        $(impl From<$faults> for FaultKind {
            fn from(fault: $faults) -> FaultKind {
                FaultKind::$group(fault)
            }
        })+
    };
}

kinds!(
    File(FileFault),
    Tag(TagFault),
    Id(IdFault),
    Redefine(RedefineFault),
    Pdtl(PdtlFault),
    Ply(PlyFault),
    Move(MoveFault),
    End(EndFault),
    Variation(VariationFault),
    Comment(CommentFault),
    Start(StartFault),
    Incoherence(Incoherence),
    Play(PlayFault)
);

impl FaultKind {
    /// Whether it is no more than a blank or an empty line too many.
    pub fn is_loose(self) -> bool {
        matches!(
            self,
            FaultKind::File(FileFault::TrailingBlanks | FileFault::Tab)
                | FaultKind::Tag(TagFault::EmptyLine)
                | FaultKind::Move(MoveFault::BlanksBeforeValuation)
        )
    }

    /// Whether the record can still be read with certainty: the only place that says so (§13.3). A fault that is
    /// [`Fault::aside`] refuses no record of which the part that it lies in is left out.
    pub const fn reading(self) -> Reading {
        use Reading::{Certain, Lost, LostAside};
        match self {
            FaultKind::File(fault) => match fault {
                FileFault::Bom
                | FileFault::StrayBom
                | FileFault::MixedEnds
                | FileFault::LoneCr
                | FileFault::OddBlank
                | FileFault::NoRecord
                | FileFault::RecordBehindResult
                | FileFault::NoFinalNewline
                | FileFault::TrailingBlanks
                | FileFault::Tab
                | FileFault::NoEmptyLine
                | FileFault::EmptyLines => Certain,
                _ => Lost,
            },
            FaultKind::Tag(fault) => match fault {
                TagFault::NameCase
                | TagFault::NoBlank
                | TagFault::Escape
                | TagFault::FalseEscape
                | TagFault::Control
                | TagFault::TwoOnLine
                | TagFault::CommentAmongTags
                | TagFault::EmptyLine
                | TagFault::NeedlessLanguage => Certain,
                _ => Lost,
            },
            FaultKind::Pdtl(fault) => fault.reading(),
            FaultKind::Ply(fault) => fault.reading(),
            FaultKind::Move(fault) => match fault {
                MoveFault::StrayText
                | MoveFault::NoNumber
                | MoveFault::NumberZero
                | MoveFault::NumberTooLarge
                | MoveFault::NumberOrder
                | MoveFault::NumberUnknown
                | MoveFault::HalfPair
                | MoveFault::Ellipsis
                | MoveFault::EllipsisPlace
                | MoveFault::BlackFirst => Lost,
                MoveFault::Valuation => LostAside,
                _ => Certain,
            },
            FaultKind::End(fault) => match fault {
                EndFault::AfterEnd | EndFault::NoResult | EndFault::TwoResults | EndFault::ResultPgn => Lost,
                _ => Certain,
            },
            FaultKind::Variation(fault) => match fault {
                VariationFault::Unclosed => Lost,
                VariationFault::Empty | VariationFault::LabelTwice | VariationFault::Repeats => Certain,
                _ => LostAside,
            },
            FaultKind::Comment(fault) => match fault {
                CommentFault::Unclosed => Lost,
                CommentFault::LoneBrace => LostAside,
                _ => Certain,
            },
            FaultKind::Start(StartFault::TurnAgainstPdtl) | FaultKind::Redefine(_) | FaultKind::Incoherence(_) => Lost,
            FaultKind::Start(_) | FaultKind::Id(_) | FaultKind::Play(_) => Certain,
        }
    }
}

/// Something wrong, found while reading or replaying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// It lies in what the minimal form leaves out: in a variation, in a comment, behind the result (§13.3).
    pub aside: bool,
    /// Bytes of the record before it.
    pub at: u32,
    /// Its length in bytes.
    pub len: u32,
    /// The item it is at, [`Fault::NO_ITEM`] for tags.
    pub item: u32,
    /// What was seen; its meaning goes with the kind.
    pub seen: u32,
}

impl Fault {
    /// For faults that are at no item.
    pub const NO_ITEM: u32 = u32::MAX;

    /// Bytes of the record before its end.
    pub const fn end(&self) -> u32 {
        self.at + self.len
    }
}

/// The faults of a record: so many at most, that those of one record do not fill the memory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Faults {
    list: Vec<Fault>,
    is_full: bool,
}

impl Faults {
    /// How many faults of a record are told. Behind them comes one that says that there are more, which refuses the record.
    pub const MOST: usize = 100_000;

    /// Adds a fault.
    pub fn push(&mut self, fault: Fault) {
        if self.is_full {
            return;
        }
        self.is_full = self.list.len() >= Faults::MOST;
        let more = Fault { kind: FileFault::TooMany.into(), aside: false, len: 0, item: Fault::NO_ITEM, ..fault };
        self.list.push(if self.is_full { more } else { fault });
    }

    /// Whether there are more than are told.
    pub const fn is_full(&self) -> bool {
        self.is_full
    }

    /// Keeps those of which this holds.
    pub fn retain(&mut self, holds: impl FnMut(&Fault) -> bool) {
        self.list.retain(holds);
    }

    /// Removes all, for the next record.
    pub fn clear(&mut self) {
        *self = Faults { list: std::mem::take(&mut self.list), is_full: false };
        self.list.clear();
    }
}

impl Extend<Fault> for Faults {
    fn extend<I: IntoIterator<Item = Fault>>(&mut self, faults: I) {
        faults.into_iter().for_each(|fault| self.push(fault));
    }
}

impl Deref for Faults {
    type Target = [Fault];

    fn deref(&self) -> &[Fault] {
        &self.list
    }
}

impl DerefMut for Faults {
    fn deref_mut(&mut self) -> &mut [Fault] {
        &mut self.list
    }
}
