//! Edits of plies and pairs (§6, §7).

use super::{
    Around, MOST_MARKS, blanks_before, blanks_behind, edit, is_blank, is_line_end, item_at, line_end, one, space_before,
};
use crate::game::{Piece, Ply, Side};
use crate::lint::finding::Edit;
use crate::notation::{PlyFault, Signs, figurine, figurine_of, valuation, write_ply};
use crate::syntax::fault::{Fault, MoveFault};
use crate::syntax::{Item, ItemKind, Spelt};

const fn is_read(item: &Item) -> bool {
    !item.spelt.has(Spelt::UNREAD)
}

impl Around<'_> {
    pub(super) fn ply(&self, kind: PlyFault) -> Option<Vec<Edit>> {
        match kind {
            PlyFault::Dash => self.instead("-"),
            PlyFault::CaptureX => self.instead("×"),
            PlyFault::OldCheck => self.instead("+^"),
            PlyFault::WrittenPawn | PlyFault::VariationSelector => {
                self.instead("").filter(|_| self.context.item(self.fault).is_some_and(is_read))
            }
            PlyFault::BlankInside => self.without_blanks(),
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

    fn without_blanks(&self) -> Option<Vec<Edit>> {
        let item = self.context.item(self.fault)?;
        let mut end = item.at as usize;
        let runs = item.text(self.text()).chunk_by(|a, b| is_blank(*a) == is_blank(*b)).filter_map(|run| {
            end += run.len();
            is_blank(run[0]).then(|| edit(end - run.len(), end, ""))
        });
        Some(runs.collect())
    }

    /// The ply anew, in the letters of its record.
    fn printed(&self) -> Option<Vec<Edit>> {
        let item = self.context.item(self.fault).filter(|item| item.kind == ItemKind::Ply)?;
        let ply = Ply::from_bits(item.value).filter(|_| is_read(item))?;
        let signs = if item.spelt.has(Spelt::OTHER) { Signs::OTHER } else { Signs::CANONICAL };
        let mut out = Vec::new();
        write_ply(ply, self.context.record.setup.letters.as_ref()?, signs, &mut out);
        one(item.at as usize, item.end(), String::from_utf8(out).ok()?)
    }

    pub(super) fn pair(&self, kind: MoveFault) -> Option<Vec<Edit>> {
        let (text, at) = (self.text(), self.at());
        match kind {
            MoveFault::LeadingZeros => {
                let zeros = self.span().iter().take_while(|byte| **byte == b'0').count();
                one(at, at + zeros, "")
            }
            MoveFault::NoDot => one(at, at, "."),
            MoveFault::BlankBeforeDot | MoveFault::BlanksBeforeValuation => self.instead(""),
            MoveFault::GluedNumber | MoveFault::GluedComma | MoveFault::GluedValuation | MoveFault::GluedOffer => {
                one(at, at, " ")
            }
            MoveFault::NoComma => {
                let behind = text.get(self.end_at()).is_none_or(u8::is_ascii_whitespace);
                let from = if self.fault.len == 0 { at } else { blanks_before(text, at) };
                one(from, self.end_at(), if behind { "," } else { ", " })
            }
            MoveFault::ExtraComma => self.without_comma(),
            MoveFault::PairOverLines => self.joined(),
            MoveFault::InsidePair => self.behind_pair(),
            MoveFault::TwoPairsOnLine => self.pair_on_own_line(),
            MoveFault::Nag => self.instead(valuation(self.fault.seen)?),
            MoveFault::ApartCheck => one(blanks_before(text, at), at, ""),
            MoveFault::IndicatorOrder => self.indicators(),
            _ => None,
        }
    }

    /// The first pair of a variation goes with its parenthesis.
    fn pair_on_own_line(&self) -> Option<Vec<Edit>> {
        let number = item_at(self.items(), self.at())?;
        let before = self.items()[..number].iter().rev();
        let opens = before.take_while(|item| matches!(item.kind, ItemKind::Open | ItemKind::Label));
        self.item_on_own_line(number - opens.count())
    }

    /// A comma too many goes, with the blanks before it.
    fn without_comma(&self) -> Option<Vec<Edit>> {
        let (text, at, end) = (self.text(), self.at(), self.end_at());
        let before = item_at(self.items(), at)?.checked_sub(1).map(|before| &self.items()[before]);
        // It may belong into a word that could not be read.
        let is_unread = |item: &Item| match item.kind {
            ItemKind::Stray => item.text(text) != b",",
            ItemKind::Valuation => item.value == 0,
            _ => !is_read(item),
        };
        if before.is_some_and(is_unread) {
            return None;
        }
        let from = blanks_before(text, at);
        if from == 0 || is_line_end(text[from - 1]) {
            return one(at, blanks_behind(text, end), "");
        }
        one(from, end, self.apart())
    }

    /// The pair goes on where the line before it breaks off (§7.1).
    fn joined(&self) -> Option<Vec<Edit>> {
        let at = self.at();
        let from = space_before(self.text(), at);
        let index = item_at(self.items(), at)?;
        let before = index.checked_sub(1).map(|index| &self.items()[index]).filter(|before| before.end() == from)?;
        // A comment or a variation stays on its lines.
        if matches!(before.kind, ItemKind::Comment | ItemKind::Close) {
            return None;
        }
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
        let behind_number = first.checked_sub(1).is_some_and(|before| items[before].kind == ItemKind::Number);
        let mut next = first;
        while let Some(item) = items.get(next) {
            next = match item.kind {
                // Which pair it is an alternative to nobody knows.
                ItemKind::Open if behind_number => return None,
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
}
