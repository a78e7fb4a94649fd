//! Numbers that stand for main lines, identifiers and games, so that records are compared without their texts.

use crate::game::{Check, Ply, Position};
use crate::notation::{Letters, Reading, pdtl};
use crate::replay::Replayed;
use crate::syntax::fault::{EndFault, FileFault, MoveFault, TagFault};
use crate::syntax::{Fault, FaultKind, ItemKind, Record, Spelt, main_line};

/// 96 bits that stand for something longer. Among ten million different texts two have the same once in 10^15 archives,
/// so that nobody looks at the texts again before a finding is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Digest([u32; 3]);

impl Digest {
    /// Stands for nothing: what could not be read.
    pub const NONE: Digest = Digest([0; 3]);

    /// Itself, unless it stands for nothing.
    pub fn known(self) -> Option<Digest> {
        Some(self).filter(|digest| *digest != Digest::NONE)
    }

    /// One of its bytes.
    pub const fn last_byte(self) -> u8 {
        self.0[2] as u8
    }

    /// Its 64 first bits, which are as evenly spread.
    pub const fn short(self) -> [u32; 2] {
        [self.0[0], self.0[1]]
    }

    /// As bytes.
    pub fn bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes.chunks_exact_mut(4).zip(self.0).for_each(|(part, word)| part.copy_from_slice(&word.to_le_bytes()));
        bytes
    }

    /// Of an identifier, whichever hyphens it is written with (§4.1).
    pub fn of_id(id: &str) -> Digest {
        let mut mixer = Mixer::default();
        mixer.text(id.as_bytes());
        mixer.digest()
    }
}

/// Mixes words into a digest. Its results go into fingerprints: they are the same on every machine and in every version.
#[derive(Clone, Copy, Default)]
pub struct Mixer(u128);

impl Mixer {
    /// The digits of the golden ratio; odd, so that different states stay different.
    const FACTOR: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;

    /// Mixes a word in.
    #[inline]
    pub const fn word(&mut self, word: u64) {
        // The one keeps zeros from being mixed into nothing.
        let mixed = (self.0 ^ (word as u128 | 1 << 64)).wrapping_mul(Self::FACTOR);
        self.0 = mixed ^ mixed >> 64;
    }

    /// Mixes a text in, with `-` for `‐`.
    pub fn text(&mut self, text: &[u8]) {
        let plain;
        let text = if memchr::memchr(HYPHEN[0], text).is_some() {
            plain = String::from_utf8_lossy(text).replace('‐', "-");
            plain.as_bytes()
        } else {
            text
        };
        self.word(text.len() as u64);
        for part in text.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..part.len()].copy_from_slice(part);
            self.word(u64::from_le_bytes(bytes));
        }
    }

    /// What has been mixed so far.
    pub fn digest(mut self) -> Digest {
        self.word(0);
        self.word(0);
        let digest = Digest([self.0 as u32, (self.0 >> 32) as u32, (self.0 >> 64) as u32]);
        digest.known().unwrap_or(Digest([1; 3]))
    }
}

const HYPHEN: &[u8] = "‐".as_bytes();

/// So many plies are the first ones of a game, by which those are found of which one may be the beginning of another.
pub const FIRST: usize = 10;

/// A main line, and where it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// All of it.
    pub digest: Digest,
    /// Its first plies, if it has as many as [`FIRST`].
    pub first: Option<Digest>,
}

impl Line {
    /// The main line of a record; nothing if its plies are not known with certainty, or if it says nothing: no ply, and
    /// no position of its own.
    pub fn of(record: &Record<'_>, replayed: &Replayed) -> Option<Line> {
        let mut first = None;
        let digest = walk(record, replayed, |count, plies| {
            if count == FIRST {
                first = Some(plies.digest());
            }
        })?;
        Some(Line { digest, first })
    }

    /// The digests of a line's beginnings, from [`FIRST`] plies on, and at last its own; nothing where [`Line::of`] gives
    /// nothing.
    pub fn beginnings(record: &Record<'_>, replayed: &Replayed) -> Vec<Digest> {
        let mut all = Vec::new();
        let whole = walk(record, replayed, |count, plies| {
            if count >= FIRST {
                all.push(plies.digest());
            }
        });
        if whole.is_some() { all } else { Vec::new() }
    }
}

/// Goes over a main line; `each` is told how many plies it has so far, and gets them.
fn walk(record: &Record<'_>, replayed: &Replayed, mut each: impl FnMut(usize, Plies)) -> Option<Digest> {
    if record.faults.iter().any(hides_moves) {
        return None;
    }
    let mut plies = Plies { mixer: start(record, replayed), count: 0, half: 0 };
    let mut last = None;
    let mut items = main_line(record.items);
    loop {
        // Nearly all of an archive is whole pairs: told at a glance, and mixed at once.
        if last.is_some()
            && plies.half == 0
            && let Some(pair) = items.whole_pair()
        {
            for ply in pair.map(|item| Ply::from_item(item.value)) {
                plies.add(ply);
                last = Some(ply);
                each(plies.count, plies);
            }
            continue;
        }
        let Some((_, item)) = items.next() else { break };
        if item.kind != ItemKind::Ply {
            continue;
        }
        if item.spelt.has(Spelt::UNREAD) {
            return None;
        }
        if last.is_none() && replayed.last.is_none() {
            plies.mixer.word(u64::from(item.spelt.has(Spelt::BLACK)));
        }
        let ply = Ply::from_item(item.value);
        plies.add(ply);
        last = Some(ply);
        each(plies.count, plies);
    }
    let mates = last.is_some_and(Ply::mates);
    let goes_on = !mates && record.faults.iter().any(|fault| fault.kind == EndFault::AfterEnd.into());
    (!goes_on && (last.is_some() || record.setup.has_pdtl)).then(|| plies.digest())
}

/// Plies one behind another, mixed two at a time: most of the time of [`walk`] would go into mixing.
#[derive(Clone, Copy)]
struct Plies {
    mixer: Mixer,
    count: usize,
    /// One that waits for the next, or 0.
    half: u64,
}

impl Plies {
    #[inline]
    fn add(&mut self, ply: Ply) {
        // Its check says nothing of the line; in its place a one keeps it from being 0.
        let word = u64::from(ply.with_check(Check::None).to_bits()) | 1 << 31;
        self.count += 1;
        if self.half == 0 {
            self.half = word;
        } else {
            self.mixer.word(self.half | word << 32);
            self.half = 0;
        }
    }

    fn digest(mut self) -> Digest {
        if self.half != 0 {
            self.mixer.word(self.half);
        }
        self.mixer.digest()
    }
}

/// What a line starts from. Clock and number of the pair are often not known, and change no move.
fn start(record: &Record<'_>, replayed: &Replayed) -> Mixer {
    let mut mixer = Mixer::default();
    if replayed.last.is_none() {
        mixer.text(b"from somewhere (\xC2\xA77.3)");
    } else if record.setup.has_pdtl
        && let Some(mut position) = record.setup.position
    {
        (position.clock, position.number) = (0, 1);
        if position != Position::INITIAL {
            let mut text = Vec::new();
            pdtl::write(&position, &Letters::STANDARD, &mut text);
            mixer.text(&text);
        }
    }
    mixer
}

/// Whether the plies of the main line may be others than those that were read. Less than what refuses a record (§13.3): a
/// missing result changes no ply, and one that does not fit is one all the same.
fn hides_moves(fault: &Fault) -> bool {
    !fault.aside
        && fault.kind.reading() == Reading::Lost
        && match fault.kind {
            FaultKind::End(_)
            | FaultKind::Incoherence(_)
            | FaultKind::Start(_)
            | FaultKind::Move(MoveFault::BlackFirst) => false,
            FaultKind::File(FileFault::NotUtf8 | FileFault::Nul) => fault.item != Fault::NO_ITEM,
            FaultKind::Tag(kind) => matches!(
                kind,
                TagFault::OtherVariant
                    | TagFault::GrandVariant
                    | TagFault::VariantBehindTag
                    | TagFault::Behind
                    | TagFault::TextAmongTags
                    | TagFault::TwoRedefines
                    | TagFault::TwoPdtls
            ),
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Replayer;
    use crate::syntax::{Begins, Reader};

    /// What `of` gives of a record with these tags behind the initial one, and these moves.
    fn told<T>(tags: &str, moves: &str, of: fn(&Record<'_>, &Replayed) -> T) -> T {
        let text = format!("[Variant \"C'escacs\"]\n{tags}{moves}\n*\n");
        let mut reader = Reader::default();
        let mut record = reader.read(text.as_bytes(), Begins::File);
        let replayed = Replayer::default().replay(&mut record);
        of(&record, &replayed)
    }

    fn line(tags: &str, moves: &str) -> Option<Digest> {
        told(tags, moves, Line::of).map(|line| line.digest)
    }

    const PDTL: &str = "[PDTL \"/27:1k/25:r3/10:3V3/1:1K/ w -- - 0 ?\"]\n";

    #[test]
    fn a_line_is_what_its_plies_do_however_they_are_written() {
        let want = line("", "1. H6-H12, I23-I19\n2. JF6-C15, GH26-Z11 :");
        assert!(want.is_some());
        for (tags, moves) in [
            ("", "1. H6‐H12 ?!, I23‐I19 (=) 2. JF6-C15+∞, GH26-Z11 ! :"),
            ("[Redefine \"B@J\"]\n", "{ x }\n1. H6-H12, I23-I19\n(1. H6-H10)\n2. BF6-C15, GH26-Z11 :"),
            ("[Redefine \"FAN\"]\n", "1. H6-H12, I23-I19\n2. ♗F6-C15, ♘H26-Z11 :"),
        ] {
            let same = line(tags, moves) == want;
            assert_eq!(same, !tags.contains("FAN"), "{moves}");
        }
        for moves in [
            "1. H6-H12, I23-I19\n2. JF6-C15 :",
            "1. H6-H12, I23-I19\n2. JF6-C15, GH26-Z11\n3. L5-L7 :",
            "1. I23-I19, H6-H12\n2. JF6-C15, GH26-Z11 :",
        ] {
            assert_ne!(line("", moves), want, "{moves}");
        }
        assert_ne!(line(PDTL, "1? H6-H12, I23-I19\n2. JF6-C15, GH26-Z11 :"), want);
    }

    #[test]
    fn clock_and_number_make_no_other_line() {
        let want = line(PDTL, "1? VF10-H14 :");
        assert_eq!(line(&PDTL.replace("0 ?", "7 31"), "31. VF10-H14 :"), want);
        assert_eq!(line(&PDTL.replace("0 ?", "7 31"), "32. VF10-H14 :"), want);
        assert_ne!(line(&PDTL.replace("25:r3", "25:3r"), "1? VF10-H14 :"), want);
        assert!(line(PDTL, "").is_some());
        assert_eq!(line(PDTL, ""), line(&PDTL.replace("0 ?", "7 31"), ""));
    }

    #[test]
    fn an_unknown_start_is_one_of_its_own() {
        let unknown = line("", "1? VF10-H14 :");
        assert!(unknown.is_some());
        assert_eq!(line("", "9. VF10-H14 :"), unknown);
        assert_ne!(line("", "1. VF10-H14 :"), unknown);
        assert_ne!(line("", "1? …, VF10-H14 :"), unknown);
    }

    #[test]
    fn a_line_that_may_be_another_one_is_none() {
        for (tags, moves) in [
            ("", ""),
            ("", "1. E7-E13, E21- :"),
            ("", "1. E7-E13, E21-E15\n3. D6-D12 :"),
            ("", "1. E7-E13, E21-E15\nD6-D12 :"),
            ("", "1. E7-E13, E21-E15\n(1. D6-D12\n2. D6-D12 :"),
            ("", "1. E7-E13, E21-E15 :\n2. D6-D12 :"),
            ("[Redefine \"A@\"]\n", "1. E7-E13, E21-E15 :"),
            ("[PDTL \"/27:1k/ w -- - 0 ?\"]\n", "1? E7-E13, E21-E15 :"),
        ] {
            assert_eq!(line(tags, moves), None, "{tags}{moves}");
        }
        // What is wrong with these changes no ply.
        let want = line("", "1. E7-E13, E21-E15 :");
        for (tags, moves) in [
            ("", "1. E7-E13 E21-E15"),
            ("[Event \"a\u{80}\"]\n[Site \"\n", "1.E7-E13, E21–E15:"),
            ("", "1. E7-E13, E21-E15 :\n*\n{ the end }\n1-1"),
        ] {
            assert_eq!(line(tags, moves), want, "{tags}{moves}");
        }
        // Nothing goes on behind mate.
        let mate = line("", "1. E7-E13, E21-E15#");
        assert!(mate.is_some());
        assert_eq!(line("", "1. E7-E13, E21-E15#\n1. D6-D12, D22-D16 :"), mate);
        // An incoherent ply is one all the same.
        assert_ne!(line("", "1. EE7-E13 :"), line("", "1. EE9-E13 :"));
        assert!(line("", "1. EE7-E13 :").is_some());
    }

    #[test]
    fn beginnings_are_the_lines_of_shorter_games() {
        let plies = ["H6-H8", "H22-H20", "H8-H10", "H20-H18", "KG1-G3", "KG27-G25", "KG3-G1", "KG25-G27"];
        let moves = |count: usize| {
            let plies: Vec<&str> = plies.into_iter().cycle().take(count).collect();
            let pair = |(index, pair): (usize, &[&str])| format!("{}. {}", index + 1, pair.join(", "));
            plies.chunks(2).enumerate().map(pair).collect::<Vec<_>>().join("\n") + " :"
        };
        assert_eq!(told("", &moves(FIRST - 1), Line::of).unwrap().first, None);
        let first = told("", &moves(FIRST), Line::of).unwrap();
        assert_eq!(first.first, Some(first.digest));
        assert_eq!(told("", &moves(FIRST + 3), Line::of).unwrap().first, Some(first.digest));
        let beginnings = told("", &moves(FIRST + 3), Line::beginnings);
        let lines: Vec<_> = (FIRST..=FIRST + 3).map(|count| line("", &moves(count)).unwrap()).collect();
        assert_eq!(beginnings, lines);
    }

    #[test]
    fn identifiers_are_the_same_with_either_hyphen() {
        assert_eq!(Digest::of_id("Me-X01-V"), Digest::of_id("Me‐X01‐V"));
        assert_ne!(Digest::of_id("Me-X01-V"), Digest::of_id("Me-X01"));
        assert_ne!(Digest::of_id("Me-X01\0"), Digest::of_id("Me-X01"));
        assert_ne!(Digest::of_id(""), Digest::NONE);
    }

    /// Nothing would be told twice if these changed, but fingerprints that people have kept would be others.
    #[test]
    fn digests_stay_what_they_are() {
        let id = [107, 213, 27, 166, 70, 34, 137, 142, 189, 145, 77, 134];
        assert_eq!(Digest::of_id("Me-X01").bytes(), id);
        assert_eq!(
            line("", "1. E7-E13, E21-E15 :").unwrap().bytes(),
            [19, 22, 226, 240, 195, 113, 212, 186, 46, 68, 177, 143]
        );
    }
}
