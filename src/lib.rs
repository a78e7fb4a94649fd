//! Reads, checks and rewrites archives of C'escacs games in CTL-PGN.
//!
//! The floors, each knowing only those below it:
//! `cli` → `report`, `filter` → `lint` → `replay` → `syntax` → `notation` → `game`,
//! with `driver` on `source` beside them: it runs what `lint` and `filter` hand it.
//! Other programs find positions and the rules of play in [`game`], and how both are written in [`notation`].
//! Clauses are cited as `§6.4`, rules of play as `R2.3`.

/// Defines a field-less enum whose variants have names that pages and messages use.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The name that pages use.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }
    };
}

pub mod cli;
pub mod driver;
pub mod filter;
pub mod game;
pub mod lint;
pub mod notation;
pub mod replay;
pub mod report;
pub mod source;
pub mod syntax;
