//! How findings are mended: edits from the tags and items around them, never from patterns of text.

mod tags;

use super::checks::record::mate;
use super::context::{Context, NEAR};
use super::finding::{Applicability, Edit, Fix};
use crate::game::{Piece, Ply, Side};
use crate::notation::{
    GameResult, PdtlFault, PlyFault, ResultSpelling, Signs, check_sign, figurine, figurine_of, pdtl, read_result,
    write_ply,
};
use crate::replay::referee::Why;
use crate::syntax::fault::{CommentFault, EndFault, Fault, FaultKind, FileFault, MoveFault, PlayFault};
use crate::syntax::{Item, ItemKind, Spelt, Tag, TagName, line_end_len, unicode_blank};

pub use tags::{of_check, of_value};

/// The valuations by their NAG, from 1 (§6.9).
const VALUATIONS: [&str; 7] = ["!", "?", "!!", "??", "!?", "?!", "◇"];

/// A ply with as many marks behind it is mended by hand: each of them is a finding.
const MOST_MARKS: usize = 16;

/// How a fault is mended, in bytes of its record; nothing where nobody but its author knows.
pub fn of_fault(fault: &Fault, context: &Context<'_>) -> Option<Fix> {
    let around = Around { context, fault };
    let edits = match fault.kind {
        FaultKind::File(kind) => around.file(kind),
        FaultKind::Tag(kind) => return tags::of_fault(kind, fault, context),
        FaultKind::Pdtl(kind) => around.pdtl(kind),
        FaultKind::Ply(kind) => around.ply(kind),
        FaultKind::Move(kind) => around.pair(kind),
        FaultKind::End(kind) => return around.end(kind),
        FaultKind::Comment(kind) => around.comment(kind),
        FaultKind::Play(kind) => return around.play(kind),
        _ => None,
    };
    safe(edits)
}

fn safe(edits: Option<Vec<Edit>>) -> Option<Fix> {
    fix(Applicability::Safe, edits)
}

fn fix(applicability: Applicability, edits: Option<Vec<Edit>>) -> Option<Fix> {
    edits.filter(|edits| !edits.is_empty()).map(|edits| Fix { applicability, edits })
}

/// Other text from byte `at` to byte `end` of the record.
fn edit(at: usize, end: usize, text: impl Into<String>) -> Edit {
    Edit { at: at as u64, end: end as u64, text: text.into() }
}

/// The same alone.
#[expect(clippy::unnecessary_wraps, reason = "most faults have an edit, and all are asked alike")]
fn one(at: usize, end: usize, text: impl Into<String>) -> Option<Vec<Edit>> {
    Some(vec![edit(at, end, text)])
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// How the record's first line ends, where that is no carriage return alone.
fn line_end(text: &[u8]) -> &'static str {
    /// A first line that is longer is not gone over for each finding.
    const MOST: usize = 4096;
    let feed = memchr::memchr(b'\n', &text[..text.len().min(MOST)]).and_then(|at| at.checked_sub(1));
    if feed.is_some_and(|before| text[before] == b'\r') { "\r\n" } else { "\n" }
}

/// Where the blanks before byte `at` begin.
fn blanks_before(text: &[u8], at: usize) -> usize {
    text[..at].iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1)
}

/// Where the blanks and line ends before byte `at` begin.
fn space_before(text: &[u8], at: usize) -> usize {
    text[..at].iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1)
}

/// What stands at byte `at` gets a line of its own.
fn on_own_line(text: &[u8], at: usize) -> Option<Vec<Edit>> {
    one(blanks_before(text, at), at, line_end(text))
}

/// The item that begins at a byte.
fn item_at(items: &[Item], at: usize) -> Option<usize> {
    items.binary_search_by_key(&(at as u32), |item| item.at).ok()
}

/// A fault in its record.
struct Around<'a> {
    context: &'a Context<'a>,
    fault: &'a Fault,
}

impl<'a> Around<'a> {
    fn text(&self) -> &'a [u8] {
        self.context.record.text
    }

    fn items(&self) -> &'a [Item] {
        self.context.record.items
    }

    fn at(&self) -> usize {
        self.fault.at as usize
    }

    fn end_at(&self) -> usize {
        self.fault.end() as usize
    }

    /// Other text for what the fault spans.
    fn instead(&self, text: impl Into<String>) -> Option<Vec<Edit>> {
        one(self.at(), self.end_at(), text)
    }

    fn span(&self) -> &'a [u8] {
        self.context.bytes(self.fault.at, self.fault.end())
    }

    fn file(&self, kind: FileFault) -> Option<Vec<Edit>> {
        match kind {
            FileFault::Bom | FileFault::StrayBom => self.instead(""),
            FileFault::OddBlank => {
                let before = self.text()[..self.at()].last();
                let starts = before.is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'(');
                let is_shown = unicode_blank(self.span()) > 0 && !starts;
                self.instead(if is_shown { " " } else { "" })
            }
            FileFault::RecordBehindResult => one(0, 0, line_end(self.text())),
            _ => None,
        }
    }

    fn ply(&self, kind: PlyFault) -> Option<Vec<Edit>> {
        match kind {
            PlyFault::Dash => self.instead("-"),
            PlyFault::CaptureX => self.instead("×"),
            PlyFault::OldCheck => self.instead("+^"),
            PlyFault::WrittenPawn | PlyFault::VariationSelector => self.instead(""),
            PlyFault::BlankInside => {
                let item = self.context.item(self.fault)?;
                let mut at = item.at as usize;
                let runs = item.text(self.text()).chunk_by(|a, b| is_blank(*a) == is_blank(*b)).filter_map(|run| {
                    at += run.len();
                    is_blank(run[0]).then(|| edit(at - run.len(), at, ""))
                });
                Some(runs.collect())
            }
            PlyFault::FigurineColour => {
                let (piece, _) = figurine(self.span())?;
                self.instead(figurine_of(Piece::new(Side::White, piece.kind())))
            }
            PlyFault::LowerCase | PlyFault::PieceLetter | PlyFault::CastlingFigurines | PlyFault::CastlingPrefix => {
                self.printed()
            }
            _ => None,
        }
    }

    /// The ply anew, in the letters of its record.
    fn printed(&self) -> Option<Vec<Edit>> {
        let item = self.context.item(self.fault).filter(|item| item.kind == ItemKind::Ply)?;
        let ply = Ply::from_bits(item.value).filter(|_| !item.spelt.has(Spelt::UNREAD))?;
        let signs = if item.spelt.has(Spelt::OTHER) { Signs::OTHER } else { Signs::CANONICAL };
        let mut out = Vec::new();
        write_ply(ply, self.context.record.setup.letters.as_ref()?, signs, &mut out);
        one(item.at as usize, item.end(), String::from_utf8(out).ok()?)
    }

    fn pair(&self, kind: MoveFault) -> Option<Vec<Edit>> {
        let (text, at) = (self.text(), self.at());
        match kind {
            MoveFault::LeadingZeros => {
                let zeros = self.span().iter().take_while(|byte| **byte == b'0').count();
                one(at, at + zeros, "")
            }
            MoveFault::NoDot => one(at, at, "."),
            MoveFault::BlankBeforeDot => self.instead(""),
            MoveFault::GluedNumber | MoveFault::GluedComma | MoveFault::GluedValuation | MoveFault::GluedOffer => {
                one(at, at, " ")
            }
            MoveFault::NoComma => {
                let behind = text.get(self.end_at()).is_none_or(u8::is_ascii_whitespace);
                let from = if self.fault.len == 0 { at } else { blanks_before(text, at) };
                one(from, self.end_at(), if behind { "," } else { ", " })
            }
            MoveFault::ExtraComma => {
                let (from, end) = (blanks_before(text, at), self.end_at());
                let behind = text[end..].iter().take_while(|byte| is_blank(**byte)).count();
                if from == 0 || matches!(text[from - 1], b'\n' | b'\r') {
                    return one(at, end + behind, "");
                }
                let apart = text.get(end).is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b')' | b':'));
                one(from, end, if apart { "" } else { " " })
            }
            MoveFault::PairOverLines => self.joined(),
            MoveFault::InsidePair => self.behind_pair(),
            MoveFault::TwoPairsOnLine => {
                // The first pair of a variation goes with its parenthesis.
                let number = item_at(self.items(), at)?;
                let before = self.items()[..number].iter();
                let opens = before.rev().take_while(|item| matches!(item.kind, ItemKind::Open | ItemKind::Label));
                on_own_line(text, opens.last().map_or(at, |open| open.at as usize))
            }
            MoveFault::Nag => self.instead(*VALUATIONS.get((self.fault.seen as usize).checked_sub(1)?)?),
            MoveFault::ApartCheck => one(blanks_before(text, at), at, ""),
            MoveFault::IndicatorOrder => self.indicators(),
            _ => None,
        }
    }

    /// The pair goes on where the line before it breaks off (§7.1).
    fn joined(&self) -> Option<Vec<Edit>> {
        let at = self.at();
        let from = space_before(self.text(), at);
        let index = item_at(self.items(), at)?;
        let before = index.checked_sub(1).map(|index| &self.items()[index]).filter(|before| before.end() == from)?;
        let glued = match self.items()[index].kind {
            ItemKind::Comma => true,
            ItemKind::Offer | ItemKind::End => matches!(before.kind, ItemKind::Valuation | ItemKind::Offer),
            _ => false,
        };
        one(from, at, if glued { "" } else { " " })
    }

    /// Comments and variations between the plies of a pair go behind it (§7.1).
    fn behind_pair(&self) -> Option<Vec<Edit>> {
        let (text, items) = (self.text(), self.items());
        let first = item_at(items, self.at())?;
        let mut next = first;
        while let Some(item) = items.get(next) {
            next = match item.kind {
                // A comment that ends with its line first gets braces.
                ItemKind::Comment if item.spelt.has(Spelt::OTHER) => return None,
                ItemKind::Comment => next + 1,
                ItemKind::Open => Some(item.value).filter(|close| *close != Fault::NO_ITEM)? as usize + 1,
                _ => break,
            };
        }
        let (from, to) = (items[first].at as usize, items[next - 1].end());
        let behind = &items[next..];
        let of_pair = |item: &&Item| {
            use ItemKind::{Comma, End, Offer, Ply, Valuation};
            matches!(item.kind, Ply | Comma | Valuation | Offer | End)
        };
        let last = behind.iter().take_while(of_pair).last()?.end();
        let start = space_before(text, from);
        let rest = behind[0].at as usize;
        let glue = if behind[0].kind == ItemKind::Comma { "" } else { " " };
        let moved = std::str::from_utf8(&text[from..to]).ok()?;
        Some(vec![edit(start, rest, glue), edit(last, last, format!("{}{moved}", line_end(text)))])
    }

    /// Valuation, draw offer and end mark in their order, nothing between (§6.10).
    fn indicators(&self) -> Option<Vec<Edit>> {
        let items = self.items();
        let is_mark = |item: &&Item| matches!(item.kind, ItemKind::Valuation | ItemKind::Offer | ItemKind::End);
        let here = item_at(items, self.at())?;
        let first = here - items[..here].iter().rev().take(MOST_MARKS).take_while(is_mark).count();
        let marks: Vec<&Item> = items[first..].iter().take(MOST_MARKS).take_while(is_mark).collect();
        if marks.len() == MOST_MARKS {
            return None;
        }
        let has = |kind| marks.iter().any(|item| item.kind == kind);
        let mut valuations = marks.iter().filter(|item| item.kind == ItemKind::Valuation);
        let valuation = valuations.next().map(|item| std::str::from_utf8(item.text(self.text()))).transpose().ok()?;
        // Which of two is meant nobody knows, and what is none reaches as far as its word does.
        let unknown = marks.iter().any(|mark| mark.kind == ItemKind::Valuation && mark.value == 0);
        if unknown || valuations.next().is_some() {
            return None;
        }
        let offer = if has(ItemKind::Offer) { "(=)" } else { "" };
        let end = if has(ItemKind::End) { ":" } else { "" };
        let (first, last) = (marks.first()?.at as usize, marks.last()?.end());
        if valuation.is_none() && offer.is_empty() {
            return one(first, last, end);
        }
        let from = blanks_before(self.text(), first);
        one(from, last, format!(" {}{offer}{end}", valuation.unwrap_or_default()))
    }

    fn end(&self, kind: EndFault) -> Option<Fix> {
        let (text, at) = (self.text(), self.at());
        match kind {
            EndFault::NoEndMark => safe(self.end_mark()),
            EndFault::MateAndMark | EndFault::MarkInVariation => safe(one(blanks_before(text, at), self.end_at(), "")),
            EndFault::MarkWithoutPly => {
                let line = own_line(text, at, self.end_at()).unwrap_or(at..self.end_at());
                safe(one(line.start, line.end, ""))
            }
            EndFault::ResultDash | EndFault::ResultHyphen | EndFault::ResultBlanks => safe(self.result()),
            EndFault::ResultPgn | EndFault::ResultAgainstMate => fix(Applicability::Unsafe, self.result()),
            EndFault::ResultOnPairLine => safe(on_own_line(text, at)),
            EndFault::NoResult | EndFault::NoResultButMate => self.missing_result(),
            _ => None,
        }
    }

    /// `:` behind the last ply and what stands behind it (§6.10, §6.11).
    fn end_mark(&self) -> Option<Vec<Edit>> {
        let ply = self.fault.item as usize;
        let behind = self.items().get(ply + 1..)?.iter();
        let last = behind.take_while(|item| matches!(item.kind, ItemKind::Valuation | ItemKind::Offer)).last();
        match last {
            None => one(self.at(), self.at(), ":"),
            // An unknown sign reaches as far as its word does.
            Some(sign) if sign.kind == ItemKind::Valuation && sign.value == 0 => one(sign.end(), sign.end(), " :"),
            Some(mark) => one(mark.end(), mark.end(), ":"),
        }
    }

    /// The result line as the format writes it; what it says is told by the fault.
    fn result(&self) -> Option<Vec<Edit>> {
        let item = self.items().iter().find(|item| item.kind == ItemKind::Result)?;
        let said = GameResult::ALL.get(self.fault.seen as usize)?;
        one(item.at as usize, item.end(), said.text())
    }

    /// A result line, as mate or the Result tag tells it; else the game counts as unfinished (§7.7).
    fn missing_result(&self) -> Option<Fix> {
        let (record, at) = (self.context.record, self.at());
        let ended = FaultKind::End(EndFault::AfterEnd);
        if record.faults.iter().any(|fault| fault.kind == ended) {
            return None;
        }
        let told = record.value(TagName::Result).and_then(|value| {
            let read = read_result(value).filter(|read| read.len == value.len())?;
            (read.spelling == ResultSpelling::Good).then_some(read.result)
        });
        let told = mate(record).map(|(_, side)| GameResult::of_mate(side)).or(told);
        let applicability = if told.is_some() { Applicability::Safe } else { Applicability::Unsafe };
        let result = told.unwrap_or(GameResult::Unfinished).text();
        let line_end = line_end(record.text);
        let on_line = at > 0 && !matches!(record.text[at - 1], b'\n' | b'\r');
        let before = if on_line { line_end } else { "" };
        fix(applicability, one(at, at, format!("{before}{result}{line_end}")))
    }

    /// Signs and results as the board has them: with the meaning kept, where all plies before are legal.
    fn play(&self, kind: PlayFault) -> Option<Fix> {
        let foul = self.context.fouls.get(self.fault.seen as usize)?;
        let sure = if foul.is_first { Applicability::Safe } else { Applicability::Unsafe };
        let loser = foul.position.turn;
        match (kind, foul.why) {
            (PlayFault::ScornfulSign, _) => fix(sure, self.instead("@")),
            (PlayFault::CheckMissing | PlayFault::CheckKind | PlayFault::CheckImprecise, Why::Stands(status)) => {
                fix(sure, self.instead(check_sign(status.sign())))
            }
            (PlayFault::CheckFalse, _) => {
                fix(Applicability::Unsafe, one(blanks_before(self.text(), self.at()), self.end_at(), ""))
            }
            (PlayFault::MateFalse, Why::Stands(status)) => {
                fix(Applicability::Unsafe, self.unmated(check_sign(status.sign())))
            }
            (PlayFault::MateMissing, _) => {
                let result = self.items().iter().rfind(|item| item.kind == ItemKind::Result);
                let due = GameResult::of_mate(loser) as u32;
                let agrees = self.fault.aside || result.is_some_and(|item| item.value == due);
                fix(if agrees { sure } else { Applicability::Unsafe }, self.mated())
            }
            (PlayFault::ResultAgainstPosition, _) => {
                fix(Applicability::Unsafe, self.instead(GameResult::of_mate(loser.other()).text()))
            }
            (PlayFault::ResultAgainstStalemate, _) => {
                fix(Applicability::Unsafe, self.instead(GameResult::of_stalemate(loser.other()).text()))
            }
            (PlayFault::ResultAgainstDraw, _) => fix(Applicability::Unsafe, self.instead(GameResult::Draw.text())),
            _ => None,
        }
    }

    /// The marks behind the fault's ply.
    fn marks(&self) -> impl Iterator<Item = &'a Item> {
        let behind = self.items().get(self.fault.item as usize + 1..).unwrap_or_default();
        let is_mark = |item: &&Item| matches!(item.kind, ItemKind::Valuation | ItemKind::Offer | ItemKind::End);
        behind.iter().take(MOST_MARKS).take_while(is_mark)
    }

    /// `#` for the check sign, and no other end mark.
    fn mated(&self) -> Option<Vec<Edit>> {
        if !self.ends_line() {
            return None;
        }
        let mark = self.marks().find(|mark| mark.kind == ItemKind::End);
        let unmarked = mark.map(|mark| edit(blanks_before(self.text(), mark.at as usize), mark.end(), ""));
        Some(std::iter::once(edit(self.at(), self.end_at(), "#")).chain(unmarked).collect())
    }

    /// Another check sign for `#`, and behind the last ply of the main line another end mark.
    fn unmated(&self, sign: &str) -> Option<Vec<Edit>> {
        let sign_only = edit(self.at(), self.end_at(), sign);
        let has_mark = self.marks().any(|mark| mark.kind == ItemKind::End);
        if self.fault.aside || has_mark || !self.ends_line() {
            return Some(vec![sign_only]);
        }
        match self.marks().last() {
            None => one(self.at(), self.end_at(), format!("{sign}:")),
            Some(mark) => Some(vec![sign_only, edit(mark.end(), mark.end(), ":")]),
        }
    }

    /// Whether no ply follows the fault's in its line.
    fn ends_line(&self) -> bool {
        let items = self.items();
        let mut next = self.fault.item as usize + 1;
        for _ in 0..NEAR {
            let Some(item) = items.get(next) else { return true };
            next = match item.kind {
                ItemKind::Close | ItemKind::Result => return true,
                ItemKind::Number | ItemKind::Ply | ItemKind::Ellipsis | ItemKind::Stray => return false,
                ItemKind::Open => (item.value as usize).saturating_add(1),
                _ => next + 1,
            };
        }
        false
    }

    fn comment(&self, kind: CommentFault) -> Option<Vec<Edit>> {
        match kind {
            CommentFault::NotFirst => on_own_line(self.text(), self.at()),
            CommentFault::TextBehind => {
                let items = self.items();
                let stray = item_at(items, self.at()).is_some_and(|index| items[index].kind == ItemKind::Stray);
                let begins = |tag: &Tag| tag.at == self.fault.at && tag.name == TagName::Variant;
                // What would be a result, or begin another record, on a line of its own stays where it is.
                let changes = stray || self.context.record.tags.iter().skip(1).any(begins);
                on_own_line(self.text(), self.at()).filter(|_| !changes)
            }
            CommentFault::LineComment => {
                let inside = std::str::from_utf8(&self.span()[1..]).ok().map(str::trim)?;
                // A brace within would end it.
                if inside.contains('}') {
                    return None;
                }
                self.instead(if inside.is_empty() { "{}".to_owned() } else { format!("{{ {inside} }}") })
            }
            _ => None,
        }
    }

    fn pdtl(&self, kind: PdtlFault) -> Option<Vec<Edit>> {
        let tag = self.context.record.tag(TagName::Pdtl)?;
        let value = tag.value_at as usize..(tag.value_at + tag.value_len) as usize;
        match kind {
            PdtlFault::Blank => {
                let outer = self.at() == value.start || self.end_at() == value.end;
                // The one blank that is due may stand before it.
                let apart = outer || self.text()[self.at() - 1] == b' ';
                self.instead(if apart { "" } else { " " })
            }
            PdtlFault::NumberMissing => self.instead(if self.fault.len == 0 { " ?" } else { "?" }),
            PdtlFault::LeadingZero => {
                let digits = self.span();
                let zeros = digits[..digits.len() - 1].iter().take_while(|byte| **byte == b'0').count();
                one(self.at(), self.at() + zeros, "")
            }
            PdtlFault::Digits
            | PdtlFault::LineEmpty
            | PdtlFault::LetterVoid
            | PdtlFault::LetterUndeclared
            | PdtlFault::LetterForFigurine
            | PdtlFault::FigurineUndeclared
            | PdtlFault::VariationSelector
            | PdtlFault::CastlingOlder
            | PdtlFault::SpecialOrder => self.field(&value),
            _ => None,
        }
    }

    /// The field of the PDTL anew, as its position is printed.
    fn field(&self, value: &std::ops::Range<usize>) -> Option<Vec<Edit>> {
        let record = self.context.record;
        // A position that lacks what the field says must not overwrite it.
        let lacks = [PdtlFault::CastlingFit, PdtlFault::SpecialFit].map(FaultKind::Pdtl);
        if record.faults.iter().any(|fault| lacks.contains(&fault.kind)) {
            return None;
        }
        let mut printed = Vec::new();
        pdtl::write(record.setup.position.as_ref()?, record.setup.letters.as_ref()?, &mut printed);
        let fields = pdtl::fields(&record.text[value.clone()]);
        let place = self.at().checked_sub(value.start)?;
        let (index, field) = fields.iter().enumerate().find(|(_, field)| field.contains(&place))?;
        let text = printed.get(pdtl::fields(&printed).get(index)?.clone())?;
        one(value.start + field.start, value.start + field.end, std::str::from_utf8(text).ok()?)
    }
}

/// The line of a tag that has it for itself, with its end.
fn own_line(text: &[u8], at: usize, end: usize) -> Option<std::ops::Range<usize>> {
    let start = blanks_before(text, at);
    let blanks = text[end..].iter().take_while(|byte| is_blank(**byte)).count();
    let behind = line_end_len(&text[end + blanks..]);
    let starts = start == 0 || matches!(text[start - 1], b'\n' | b'\r');
    (starts && behind > 0).then_some(start..end + blanks + behind)
}
