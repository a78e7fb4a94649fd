//! Edits of signs and results that the rules of play tell (§12).

use super::{Around, MOST_MARKS, blanks_before, edit, fix, one};
use crate::lint::context::NEAR;
use crate::lint::finding::{Applicability, Edit, Fix};
use crate::notation::{GameResult, check_sign};
use crate::replay::referee::Why;
use crate::syntax::fault::PlayFault;
use crate::syntax::{Item, ItemKind};

impl<'a> Around<'a> {
    /// Signs and results as the board has them: with the meaning kept, where all plies before are legal.
    pub(super) fn play(&self, kind: PlayFault) -> Option<Fix> {
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
}
