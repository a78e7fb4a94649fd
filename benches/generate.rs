//! Archives of any size for tests and benches: the same bytes for the same plan on every platform.
//!
//! Games are random plies that are coherent (§11) and roughly as the pieces move. Records are in canonical form
//! (§13.6) but for the spellings that are as right: hyphens, `*`, `...`, a blank before the end mark.

#![allow(dead_code, reason = "the tests, the benches and the command each use a part of it")]

#[path = "generate/faults.rs"]
pub mod faults;
#[path = "generate/play.rs"]
mod play;
#[path = "generate/random.rs"]
pub mod random;
#[path = "generate/record.rs"]
pub mod record;

use std::io;
use std::ops::RangeInclusive;

use faults::{FAULTS, Fault};
use play::Player;
use random::Random;
use record::Written;

/// What an archive is to hold. Shares are in a hundred.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Another seed, other games.
    pub seed: u64,
    /// How many records.
    pub records: u64,
    /// Plies of a main line, at least one; fewer where there is none to play.
    pub plies: RangeInclusive<u32>,
    /// A comment at every n-th pair, 0 for none.
    pub comments_every: u32,
    /// Share of the sides of a commented pair with a comment by a program, and with a second comment (§9.6).
    pub automatic: u32,
    /// Share of commented records with a comment before the moves, and behind them.
    pub game_comments: u32,
    /// Share of the pairs with variations; half of it in a variation, a quarter in a variation of a variation.
    pub variations: u32,
    /// How deep variations are nested.
    pub depth: u8,
    /// Most plies of a variation.
    pub variation_plies: u32,
    /// Share of variations with a label.
    pub labels: u32,
    /// Share of plies with a valuation.
    pub valuations: u32,
    /// Share of plies with a draw offer.
    pub offers: u32,
    /// Share of records in other letters.
    pub redefine: u32,
    /// Share of records in figurines.
    pub figurines: u32,
    /// Share of records that start from a `PDTL`.
    pub pdtl: u32,
    /// Share of those without any ply.
    pub bare: u32,
    /// Share of records with an `Id`, half of them Id records.
    pub ids: u32,
    /// Share of game records with the tags about the mode of play.
    pub optional_tags: u32,
    /// Share of records with `‐`, `*` and `...` for `-`, `×` and `…`.
    pub other_signs: u32,
    /// Share of records with one fault.
    pub faults: u32,
}

impl Plan {
    /// Bare games: no comment, no variation, standard letters.
    pub fn plain() -> Plan {
        Plan {
            seed: 1,
            records: 100,
            plies: 40..=240,
            comments_every: 0,
            automatic: 0,
            game_comments: 0,
            variations: 0,
            depth: 0,
            variation_plies: 1,
            labels: 0,
            valuations: 0,
            offers: 0,
            redefine: 0,
            figurines: 0,
            pdtl: 0,
            bare: 0,
            ids: 0,
            optional_tags: 0,
            other_signs: 0,
            faults: 0,
        }
    }

    /// Bare games with a comment every second pair.
    pub fn commented() -> Plan {
        Plan { comments_every: 2, ..Plan::plain() }
    }

    /// Everything that the format has.
    pub fn rich() -> Plan {
        Plan {
            plies: 1..=160,
            comments_every: 3,
            automatic: 20,
            game_comments: 40,
            variations: 12,
            depth: 4,
            variation_plies: 9,
            labels: 30,
            valuations: 8,
            offers: 1,
            redefine: 20,
            figurines: 15,
            pdtl: 20,
            bare: 8,
            ids: 40,
            optional_tags: 30,
            other_signs: 15,
            ..Plan::plain()
        }
    }

    /// The same records, so many in a hundred of them with one fault each.
    pub fn with_faults(self, percent: u32) -> Plan {
        Plan { faults: percent, ..self }
    }
}

/// One record of an archive.
pub struct Generated {
    /// Its bytes, up to its last line end.
    pub text: Vec<u8>,
    /// How it was written, before the fault.
    pub written: Written,
    /// The fault in its text.
    pub fault: Option<&'static Fault>,
}

/// The records of a plan, one after another.
pub struct Archive {
    plan: Plan,
    next: u64,
    player: Player,
}

impl Archive {
    /// All records of a plan.
    pub fn new(plan: Plan) -> Archive {
        Archive { plan, next: 0, player: Player::default() }
    }
}

impl Iterator for Archive {
    type Item = Generated;

    fn next(&mut self) -> Option<Generated> {
        if self.next == self.plan.records {
            return None;
        }
        let written = record::write(&self.plan, self.next, &mut self.player);
        // Faults have a stream of their own: without them the archive is the same but for these records.
        let mut random = Random::of(!self.plan.seed, self.next);
        self.next += 1;
        let spoilt = if random.percent(self.plan.faults) { spoil(&written, &mut random) } else { None };
        let (text, fault) = match spoilt {
            Some((text, fault)) => (text, Some(fault)),
            None => (written.text.clone(), None),
        };
        Some(Generated { text, written, fault })
    }
}

/// A fault at random among those that the record has a place for.
fn spoil(written: &Written, random: &mut Random) -> Option<(Vec<u8>, &'static Fault)> {
    let first = random.below(FAULTS.len() as u32) as usize;
    let mut faults = FAULTS.iter().cycle().skip(first).take(FAULTS.len());
    faults.find_map(|fault| Some((fault.strike(written, random)?, fault)))
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// Records.
    pub records: u64,
    /// Plies of main lines and of variations.
    pub plies: u64,
    /// Bytes.
    pub bytes: u64,
    /// Records with a fault.
    pub faults: u64,
}

/// Writes an archive record by record, with one empty line between them.
///
/// # Errors
/// What `out` says.
pub fn write(plan: Plan, out: &mut impl io::Write) -> io::Result<Summary> {
    let mut summary = Summary::default();
    for record in Archive::new(plan) {
        if summary.records > 0 {
            out.write_all(b"\n")?;
            summary.bytes += 1;
        }
        out.write_all(&record.text)?;
        summary.records += 1;
        summary.plies += record.written.plies;
        summary.bytes += record.text.len() as u64;
        summary.faults += u64::from(record.fault.is_some());
    }
    Ok(summary)
}
