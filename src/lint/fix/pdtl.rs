//! Edits of the PDTL (§10).

use std::ops::Range;

use super::{Around, one};
use crate::lint::finding::Edit;
use crate::notation::{PdtlFault, pdtl};
use crate::syntax::TagName;
use crate::syntax::fault::FaultKind;

impl Around<'_> {
    pub(super) fn pdtl(&self, kind: PdtlFault) -> Option<Vec<Edit>> {
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
    fn field(&self, value: &Range<usize>) -> Option<Vec<Edit>> {
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
