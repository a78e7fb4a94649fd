//! What is written of a record, and how: one value for each form there is (§13.1, §13.5).

use crate::game::{Capture, Check, Ply, Shape};
use crate::notation::{Letters, Reading, Signs};
use crate::syntax::fault::{FileFault, MoveFault};
use crate::syntax::{Fault, FaultKind, Item, ItemKind, Record, Spelt, is_suppression};

/// Which comments are kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Comments {
    /// None.
    None,
    /// All but those made by a program, which begin with `:` right behind the brace (§9.6). **Decision**: what tells the
    /// linter which findings to leave out, `{: ctl-lint ignore … }`, is no remark on the game and stays.
    NotAutomatic,
    /// All.
    All,
}

/// What of a record is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keep {
    /// Comments.
    pub comments: Comments,
    /// Variations, with their comments (§8).
    pub variations: bool,
    /// Valuations (§6.9).
    pub valuations: bool,
    /// Draw offers (§6.10).
    pub offers: bool,
    /// Tags that §3.5 and §3.6 don't ask for.
    pub optional_tags: bool,
    /// `WhiteNA` and `BlackNA` (§3.34).
    pub addresses: bool,
}

/// The letters in moves, PDTL and references (§13.7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PieceLetters {
    /// Those of the record, with its `Redefine` tag.
    Own,
    /// These, with the `Redefine` tag that they need.
    These(Letters),
}

impl PieceLetters {
    /// Those of §2.4, without `Redefine`.
    pub const STANDARD: PieceLetters = PieceLetters::These(Letters::STANDARD);

    /// The letters to write, if a record has others. One whose own letters can't be read is refused.
    #[inline]
    pub(super) fn other_than(&self, own: Option<&Letters>) -> Option<&Letters> {
        match (self, own) {
            (PieceLetters::These(letters), Some(own)) => {
                let alike = letters.are_standard() && own.are_standard();
                Some(letters).filter(|letters| !alike && *letters != own)
            }
            _ => None,
        }
    }
}

/// The signs between the hexes of a ply, and for White's ply where Black begins (§6.2, §6.3, §7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Separators {
    /// As they are written.
    AsWritten,
    /// `-`, `×` and `…` (§13.6).
    Canonical,
    /// `-`, `*` and `...`.
    Ascii,
    /// `‐`, `×` and `…`.
    Typographic,
}

impl Separators {
    /// The signs of plies, unless they are as written.
    const fn signs(self) -> Option<Signs> {
        match self {
            Separators::AsWritten => None,
            Separators::Canonical => Some(Signs::CANONICAL),
            Separators::Ascii => Some(Signs { hyphen: "-", times: "*" }),
            Separators::Typographic => Some(Signs { hyphen: "‐", times: "×" }),
        }
    }

    /// With which signs to write a ply that is spelt so.
    pub(super) fn of_ply(self, spelt: Spelt) -> Signs {
        self.signs().unwrap_or_else(|| written_signs(spelt))
    }

    /// How `…` is written, unless it is as written.
    pub(super) const fn ellipsis(self) -> Option<&'static str> {
        match self {
            Separators::AsWritten => None,
            Separators::Canonical | Separators::Typographic => Some("…"),
            Separators::Ascii => Some("..."),
        }
    }

    /// Whether a ply is written with them.
    pub(super) fn are_of(self, item: &Item) -> bool {
        let (Some(wanted), Some(ply)) = (self.signs(), Ply::from_bits(item.value)) else { return true };
        let written = written_signs(item.spelt);
        match ply.shape() {
            Shape::Step { capture: Capture::None, .. } | Shape::Castle(_) => written.hyphen == wanted.hyphen,
            Shape::Step { capture: Capture::Taken, .. } => written.times == wanted.times,
            Shape::Step { .. } | Shape::Promote { .. } => true,
        }
    }
}

const fn written_signs(spelt: Spelt) -> Signs {
    if spelt.has(Spelt::OTHER) { Signs::OTHER } else { Signs::CANONICAL }
}

/// The signs of a check (§6.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckSigns {
    /// As they are written.
    Precise,
    /// `+` for `+∞`, `+^` and `++`.
    Plain,
}

/// What becomes of the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// A record with no fault and nothing to change stays byte for byte; any other one is laid out anew.
    AsItStands,
    /// Every record is laid out anew.
    Anew,
    /// Every record is laid out anew, with tags, comments and end marks in their canonical places and spellings (§13.6).
    Canonical,
}

/// A form of records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// What stays.
    pub keep: Keep,
    /// In which letters.
    pub letters: PieceLetters,
    /// With which signs of checks.
    pub signs: CheckSigns,
    /// With which signs between hexes.
    pub separators: Separators,
    /// In which layout.
    pub layout: Layout,
    /// Whether `Id` and `Lang` follow what is left out.
    pub retag: bool,
    /// Whether all that is written must be UTF-8, comments too.
    pub utf8: bool,
}

named! {
    /// What can be left out by itself (§13.5).
    pub enum Part {
        /// Other letters than those of §2.4.
        Redefine = "redefine",
        /// Comments.
        Comments = "comments",
        /// Comments made by a program.
        AutoComments = "auto-comments",
        /// Variations.
        Variations = "variations",
        /// Valuations.
        Valuations = "valuations",
        /// Draw offers.
        DrawOffers = "draw-offers",
        /// What a check is like.
        CheckPrecision = "check-precision",
        /// Tags that need not be there.
        OptionalTags = "optional-tags",
        /// The players' addresses.
        Addresses = "addresses",
    }
}

impl Form {
    /// All that there is, spelt as the format wants it.
    pub const WHOLE: Form = Form {
        keep: Keep {
            comments: Comments::All,
            variations: true,
            valuations: true,
            offers: true,
            optional_tags: true,
            addresses: true,
        },
        letters: PieceLetters::Own,
        signs: CheckSigns::Precise,
        separators: Separators::AsWritten,
        layout: Layout::AsItStands,
        retag: false,
        utf8: false,
    };

    /// The minimal form (§13.1).
    pub const MINIMAL: Form = Form {
        keep: Keep { comments: Comments::None, variations: false, valuations: false, ..Form::WHOLE.keep },
        letters: PieceLetters::STANDARD,
        layout: Layout::Anew,
        ..Form::WHOLE
    };

    /// The canonical form (§13.6).
    pub const CANONICAL: Form = Form { separators: Separators::Canonical, layout: Layout::Canonical, ..Form::WHOLE };

    /// The same form without this part.
    #[must_use]
    pub fn without(mut self, part: Part) -> Form {
        let keep = &mut self.keep;
        match part {
            Part::Redefine => self.letters = PieceLetters::STANDARD,
            Part::Comments => keep.comments = Comments::None,
            Part::AutoComments => keep.comments = keep.comments.min(Comments::NotAutomatic),
            Part::Variations => keep.variations = false,
            Part::Valuations => keep.valuations = false,
            Part::DrawOffers => keep.offers = false,
            Part::CheckPrecision => self.signs = CheckSigns::Plain,
            Part::OptionalTags => keep.optional_tags = false,
            Part::Addresses => keep.addresses = false,
        }
        self
    }

    /// Whether every movetext in minimal form is in this one, letters apart.
    fn is_minimal_enough(&self) -> bool {
        self.keep.offers
            && self.signs == CheckSigns::Precise
            && self.separators == Separators::AsWritten
            && self.layout != Layout::Canonical
    }

    /// Whether a record's movetext is in minimal form, and in this one, letters apart.
    pub(super) fn has(&self, record: &Record<'_>) -> bool {
        record.tidy && (self.is_minimal_enough() || record.items.iter().all(|item| self.keeps(item, record.text)))
    }

    /// Whether pairs without valuations and marks that stand as the minimal form writes them are left as they are.
    pub(super) fn leaves_pairs(&self) -> bool {
        self.layout != Layout::Canonical
            && self.signs == CheckSigns::Precise
            && self.separators == Separators::AsWritten
    }

    /// Whether a comment with this text is kept.
    pub(super) fn keeps_comment(&self, comment: &[u8]) -> bool {
        match self.keep.comments {
            Comments::None => false,
            Comments::NotAutomatic => !is_automatic(comment) || is_suppression(comment),
            Comments::All => true,
        }
    }

    /// Whether an item is kept with its spelling; what an `(` opens goes with it.
    pub(super) fn keeps(&self, item: &Item, text: &[u8]) -> bool {
        match item.kind {
            ItemKind::Comment => self.keeps_comment(item.text(text)),
            ItemKind::Open => self.keep.variations,
            ItemKind::Valuation => self.keep.valuations,
            ItemKind::Offer => self.keep.offers,
            ItemKind::Ply => {
                let is_plain = || !Ply::from_bits(item.value).is_some_and(is_precise);
                (self.signs == CheckSigns::Precise || is_plain()) && self.separators.are_of(item)
            }
            ItemKind::Ellipsis => self.separators.ellipsis().is_none_or(|sign| sign.as_bytes() == item.text(text)),
            ItemKind::End => self.layout != Layout::Canonical || item.spelt.has(Spelt::GLUED),
            _ => true,
        }
    }
}

/// Whether a ply tells what its check is like.
pub(super) fn is_precise(ply: Ply) -> bool {
    matches!(ply.check(), Check::Far | Check::Adjoining | Check::Double)
}

/// Whether a comment was made by a program (§9.6).
fn is_automatic(comment: &[u8]) -> bool {
    comment.starts_with(b"{:")
}

/// Whether an unknown valuation can be copied without its becoming something else: another NAG, more signs of the known
/// ones, or symbols that mean nothing here (`±`, `+-`).
pub(super) fn stands_for_itself(sign: &[u8]) -> bool {
    let is_symbol = |sign| matches!(sign, '+' | '-' | '=' | '/' | '±' | '\u{2190}'..='\u{2BFF}') && sign != '◇';
    match sign {
        [b'$', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        [b'?' | b'!', rest @ ..] => rest.iter().all(|byte| matches!(byte, b'?' | b'!')),
        _ => std::str::from_utf8(sign).is_ok_and(|sign| sign.chars().all(is_symbol)),
    }
}

/// Where something lies in a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Main,
    Variation,
    Comment { is_kept: bool },
}

/// What a form writes of a record: it says which of the record's faults concern it (§13.3).
pub(super) struct Written<'a> {
    form: &'a Form,
    text: &'a [u8],
    /// Of each comment: its first byte, the one behind it, and whether it is written.
    comments: Vec<(u32, u32, bool)>,
    /// Of each variation of the main line: its first byte, and the one behind it.
    variations: Vec<(u32, u32)>,
}

impl<'a> Written<'a> {
    pub(super) fn new(record: &Record<'a>, form: &'a Form) -> Written<'a> {
        let mut written = Written { form, text: record.text, comments: Vec::new(), variations: Vec::new() };
        if !form.keep.variations && form.keep.comments == Comments::None {
            // Nothing is written in which only some faults matter.
            return written;
        }
        let mut end = 0;
        for item in record.items {
            let inside = item.at < end;
            match item.kind {
                ItemKind::Open if !inside => {
                    let close = record.items.get(item.value as usize);
                    end = close.map_or(record.text.len(), Item::end) as u32;
                    written.variations.push((item.at, end));
                }
                ItemKind::Comment => {
                    let is_kept = form.keeps_comment(item.text(record.text)) && (!inside || form.keep.variations);
                    written.comments.push((item.at, item.end() as u32, is_kept));
                }
                _ => {}
            }
        }
        written
    }

    fn place(&self, fault: &Fault) -> Place {
        let (at, comments) = (fault.at, &self.comments);
        // What is missing before a comment is missing where that begins.
        if matches!(fault.kind, FaultKind::File(_) | FaultKind::Comment(_)) {
            let before = comments.partition_point(|comment| comment.0 <= at);
            if let Some(comment) = before.checked_sub(1).map(|index| comments[index]).filter(|comment| at < comment.1) {
                return Place::Comment { is_kept: comment.2 };
            }
        }
        let before = self.variations.partition_point(|variation| variation.0 <= at);
        let inside = before.checked_sub(1).is_some_and(|index| at < self.variations[index].1);
        if inside { Place::Variation } else { Place::Main }
    }

    /// Whether what a fault is about is written.
    fn has(&self, fault: &Fault) -> bool {
        let keep = self.form.keep;
        match (fault.kind, self.place(fault)) {
            (_, Place::Comment { is_kept }) => is_kept,
            (FaultKind::Comment(_), place) => {
                keep.comments != Comments::None && (place == Place::Main || keep.variations)
            }
            (FaultKind::Variation(_), _) | (_, Place::Variation) => keep.variations,
            (_, Place::Main) => !fault.aside,
        }
    }

    /// Whether a fault keeps the record from being written: it leaves uncertain what the form keeps (§13.3). What is kept
    /// must be read as surely as the main line.
    pub(super) fn is_refused_for(&self, fault: &Fault) -> bool {
        match fault.kind.reading() {
            Reading::Certain => false,
            Reading::Lost if !fault.aside => true,
            // A comment is copied, whatever its bytes are, where anything can be.
            Reading::Lost => {
                let is_copied = !self.form.utf8 || fault.kind != FileFault::NotUtf8.into();
                self.has(fault) && !(is_copied && matches!(self.place(fault), Place::Comment { .. }))
            }
            Reading::LostAside if fault.kind == MoveFault::Valuation.into() => {
                let sign = &self.text[fault.at as usize..fault.end() as usize];
                self.form.keep.valuations && self.has(fault) && !stands_for_itself(sign)
            }
            Reading::LostAside => self.has(fault),
        }
    }

    /// Whether a fault of a record that is written is worth a word: it is mended, or stays.
    pub(super) fn tells(&self, fault: &Fault) -> bool {
        self.has(fault) || !fault.aside && !matches!(fault.kind, FaultKind::Comment(_))
    }
}

/// The first fault that keeps a record from being written in this form (§13.3).
pub fn refusal(record: &Record<'_>, form: &Form) -> Option<Fault> {
    if record.faults.is_empty() {
        return None;
    }
    let written = Written::new(record, form);
    record.faults.iter().filter(|fault| written.is_refused_for(fault)).min_by_key(|fault| fault.at).copied()
}
