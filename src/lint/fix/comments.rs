//! Edits of comments (§9).

use super::{Around, edit, item_at, on_own_line, one};
use crate::lint::finding::Edit;
use crate::syntax::fault::CommentFault;
use crate::syntax::{Item, ItemKind, Tag, TagName};

impl Around<'_> {
    pub(super) fn comment(&self, kind: CommentFault) -> Option<Vec<Edit>> {
        match kind {
            CommentFault::NotFirst => self.item_on_own_line(item_at(self.items(), self.at())?),
            CommentFault::TextBehind => self.behind_comment(),
            CommentFault::LineComment => {
                let inside = std::str::from_utf8(&self.span()[1..]).ok().map(str::trim)?;
                // A brace within would end it.
                if inside.contains('}') {
                    return None;
                }
                self.instead(if inside.is_empty() { "{}".to_owned() } else { format!("{{ {inside} }}") })
            }
            CommentFault::NoColon => self.instead(":"),
            CommentFault::Order => self.swapped(),
            _ => None,
        }
    }

    /// What stands behind a comment gets a line of its own, unless it would there be a result, or begin another record.
    fn behind_comment(&self) -> Option<Vec<Edit>> {
        if let Some(index) = item_at(self.items(), self.at()) {
            use ItemKind::{End, Offer, Stray, Valuation};
            // Marks belong to their ply.
            let stays = matches!(self.items()[index].kind, Stray | Valuation | Offer | End);
            return self.item_on_own_line(index).filter(|_| !stays);
        }
        let begins = |tag: &Tag| tag.at == self.fault.at && tag.name == TagName::Variant;
        let changes = self.context.record.tags.iter().skip(1).any(begins);
        on_own_line(self.text(), self.at()).filter(|_| !changes)
    }

    /// The comment on White's ply, and the one on Black's that stands before it, change places (§9.7).
    fn swapped(&self) -> Option<Vec<Edit>> {
        let text = |item: &Item| std::str::from_utf8(item.text(self.text())).ok();
        let (black, white) = (self.items().get(self.fault.seen as usize)?, self.context.item(self.fault)?);
        let put = |place: &Item, other: &Item| Some(edit(place.at as usize, place.end(), text(other)?));
        Some(vec![put(black, white)?, put(white, black)?])
    }

    /// A Lang tag for the language that the Id names (§9.10), before a title, which needs it (§3.9).
    pub(super) fn language(&self) -> Option<Vec<Edit>> {
        let record = self.context.record;
        let language = record.id?.language?;
        let stands_behind = |tag: &Tag| matches!(tag.name, TagName::Title | TagName::Redefine | TagName::Pdtl);
        let end = record.tags.iter().take_while(|tag| !stands_behind(tag)).last()?.end as usize;
        one(end, end, format!("{}[Lang \"{language}\"]", super::line_end(record.text)))
    }
}
