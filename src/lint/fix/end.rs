//! Edits of the end of a record (§6.11, §7.7–7.9).

use super::{Around, blanks_before, fix, is_line_end, is_record, line_end, on_own_line, one, own_line, safe};
use crate::lint::checks::record::mate;
use crate::lint::finding::{Applicability, Edit, Fix};
use crate::notation::{GameResult, ResultSpelling, read_result};
use crate::syntax::fault::{EndFault, FaultKind};
use crate::syntax::{Item, ItemKind, TagName, is_tag_line, result_item};

impl Around<'_> {
    pub(super) fn end(&self, kind: EndFault) -> Option<Fix> {
        let (text, at) = (self.text(), self.at());
        match kind {
            EndFault::NoEndMark => safe(self.end_mark()),
            EndFault::MateAndMark | EndFault::MarkInVariation => {
                safe(one(blanks_before(text, at), self.end_at(), self.apart()))
            }
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
        let behind = self.items().get(self.fault.item as usize + 1..)?;
        // A number, or text that nobody can read, may be the beginning of another pair.
        let mut depth = 0_usize;
        let goes_on = |item: &Item| {
            match item.kind {
                ItemKind::Open => depth += 1,
                ItemKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            item.kind == ItemKind::Stray || item.kind == ItemKind::Number && depth == 0
        };
        if behind.iter().take_while(|item| item.kind != ItemKind::Result).any(goes_on) {
            return None;
        }
        let is_mark = |item: &&Item| matches!(item.kind, ItemKind::Valuation | ItemKind::Offer);
        match behind.iter().take_while(is_mark).last() {
            None => one(self.at(), self.at(), ":"),
            // An unknown sign reaches as far as its word does.
            Some(sign) if sign.kind == ItemKind::Valuation && sign.value == 0 => one(sign.end(), sign.end(), " :"),
            Some(mark) => one(mark.end(), mark.end(), ":"),
        }
    }

    /// The result line as the format writes it; what it says is told by the fault.
    fn result(&self) -> Option<Vec<Edit>> {
        let item = result_item(self.items())?;
        let said = GameResult::ALL.get(self.fault.seen as usize)?;
        // A record would begin there (§1.7).
        let begins = is_tag_line(self.text()[item.end()..].trim_ascii_start());
        one(item.at as usize, item.end(), said.text()).filter(|_| !begins)
    }

    /// A result line, as mate or the Result tag tells it; else the game counts as unfinished (§7.7).
    fn missing_result(&self) -> Option<Fix> {
        let (record, at) = (self.context.record, self.at());
        let ended = FaultKind::End(EndFault::AfterEnd);
        if !is_record(record) || record.faults.iter().any(|fault| fault.kind == ended) {
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
        let on_line = at > 0 && !is_line_end(record.text[at - 1]);
        // At the end of what has no line end, the one behind it is none of its business.
        let behind = if on_line && at == record.text.len() { "" } else { line_end };
        let before = if on_line { line_end } else { "" };
        fix(applicability, one(at, at, format!("{before}{result}{behind}")))
    }
}
