//! What there is to say.

use super::Across;
use super::gather::{IdText, Reference};
use super::weigh::Verdict;
use crate::lint::context::quote;
use crate::notation::RecordKind;

/// The message of a finding about the record, or the reference, with the identifier `text`.
pub fn message(verdict: &Verdict, text: &str, reference: Option<&Reference>, other: Option<IdText<'_>>) -> String {
    let id = quote(text.as_bytes());
    let other = other.map_or_else(|| "another one".to_owned(), |id| quote(id.text.as_bytes()));
    let (tag, kind) = reference.map_or(("", RecordKind::Id), |reference| {
        let (tag, kind) = reference.tag();
        (tag.name(), kind)
    });
    match verdict.finds {
        Across::RepeatedId => format!("{id} is the Id of another record already, with other moves"),
        Across::RepeatedRecord if verdict.unsure => {
            format!("{id} is the Id of another record already; the moves of one of them are not known")
        }
        Across::RepeatedRecord => format!("{id} stands in the archive already, with the same moves"),
        Across::VersionLine => format!("{id} has another main line than {other}: all versions of an Id have the same"),
        Across::RepeatedGame => {
            "this game stands in the archive already: the same moves, round, date and players".to_owned()
        }
        Across::SameLine => format!("{id} has the main line of {other}"),
        Across::LostReference => format!("{tag} leads nowhere: no record has the Id {id} or is a version of it"),
        Across::ReferenceKind => match kind {
            RecordKind::Id => format!("{tag} leads to a game record, {id}: an Id record was expected"),
            RecordKind::Game => format!("{tag} leads to an Id record, {id}: a game record was expected"),
        },
        Across::Contained => format!("this game is the beginning of {other}"),
    }
}

/// What is said of the other record.
pub const fn related(finds: Across) -> &'static str {
    match finds {
        Across::RepeatedId | Across::RepeatedRecord => "this Id stands here first",
        Across::VersionLine => "the version read first",
        Across::RepeatedGame => "the game stands here first",
        Across::SameLine => "the main line stands here first",
        Across::LostReference | Across::ReferenceKind => "this is where it leads",
        Across::Contained => "the game that goes on",
    }
}
