//! How the player on turn stands: check, mate, stalemate (R4).

use super::{Checks, Position};

/// How the player on turn stands (R4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not in check, with a legal ply.
    Quiet,
    /// In check, with a legal ply.
    Check(Checks),
    /// In check, without a legal ply (R4.3).
    Mate(Checks),
    /// Not in check, without a legal ply (R4.4).
    Stalemate,
}

impl Position {
    /// How the player on turn stands.
    pub fn status(&self) -> Status {
        let checks = self.checks(self.turn);
        match (checks.any(), self.has_legal()) {
            (false, true) => Status::Quiet,
            (true, true) => Status::Check(checks),
            (true, false) => Status::Mate(checks),
            (false, false) => Status::Stalemate,
        }
    }
}
