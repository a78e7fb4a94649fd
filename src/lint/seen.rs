//! What the record before had, and no check found anything in: in the next record nobody looks at the same again. The records
//! of an archive share most of their tags.

use crate::syntax::{Record, Tag, TagName};

/// The last tags in which nothing was found, as far as checks look at single parts of them.
pub struct Seen {
    /// The names, in their order: none twice, and none that the format does not know.
    names: Vec<TagName>,
    /// By the number of a tag, its value.
    values: [Option<Box<[u8]>>; TagName::ALL.len()],
}

impl Default for Seen {
    fn default() -> Self {
        Seen { names: Vec::new(), values: [const { None }; TagName::ALL.len()] }
    }
}

impl Seen {
    /// Whether the record has these names, in this order.
    pub fn has_names(&self, record: &Record<'_>) -> bool {
        !self.names.is_empty() && record.tags.iter().map(|tag| tag.name).eq(self.names.iter().copied())
    }

    /// Nothing was found in the names of a record's tags. Where one is repeated or not known, names do not say all of it.
    pub fn add_names(&mut self, record: &Record<'_>) {
        let names = record.tag_names();
        self.names.clear();
        if names.len() == record.tags.len() && !names.has(TagName::Unknown) {
            self.names.extend(record.tags.iter().map(|tag| tag.name));
        }
    }

    /// Whether the tag has this value.
    pub fn has_value(&self, tag: &Tag, value: &[u8]) -> bool {
        self.values[tag.name as usize].as_deref() == Some(value)
    }

    /// Nothing was found in the value of a tag.
    pub fn add_value(&mut self, tag: &Tag, value: &[u8]) {
        match &mut self.values[tag.name as usize] {
            Some(known) if known.len() == value.len() => known.copy_from_slice(value),
            known => *known = Some(value.into()),
        }
    }
}
