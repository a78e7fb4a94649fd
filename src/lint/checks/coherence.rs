//! Messages about plies that do not fit the position (§11).

use crate::game::{Capture, Check, Hex, Incoherence, Kind, Piece, Ply, Promotion, Seen, Shape, Side, Special};
use crate::lint::context::{Context, Message, Since, colour, holder, lossy, shape};
use crate::notation::{Letters, Signs, spell, write_ply};
use crate::syntax::{Fault, ItemKind};

/// What there is to say of such a fault.
pub fn message(kind: Incoherence, fault: &Fault, context: &Context<'_>) -> Message {
    let item = context.item(fault).copied();
    let (Some(seen), Some((side, shape))) = (Seen::from_bits(fault.seen), item.and_then(shape)) else {
        return context.quote_fault(fault).into();
    };
    let index = fault.item as usize;
    let since = context.last_at(index, seen.hex);
    let letters = context.record.setup.letters.unwrap_or(Letters::STANDARD);
    let misfit = Misfit { context, index, side, shape, seen, since, letters };
    context.with_ply(misfit.text(kind).into(), misfit.place(kind))
}

/// A ply that does not fit, and what is there instead.
struct Misfit<'a> {
    context: &'a Context<'a>,
    /// The ply's item.
    index: usize,
    side: Side,
    shape: Shape,
    seen: Seen,
    /// Since when the hex of `seen` is as it is.
    since: Since,
    letters: Letters,
}

impl Misfit<'_> {
    fn text(&self, kind: Incoherence) -> String {
        let hex = self.seen.hex;
        match kind {
            Incoherence::EmptyOrigin | Incoherence::CastlingKing | Incoherence::CastlingRook => {
                format!("no {} on {hex}: {}", self.wanted(kind).name(), self.state())
            }
            Incoherence::OtherOrigin => {
                format!("no {} on {hex}: {}", self.wanted(kind).name(), self.other_piece())
            }
            Incoherence::EnemyOrigin => self.enemy_origin(),
            Incoherence::Occupied => format!("{hex} is held by {}{}{}", self.holder(), self.since(), self.as_capture()),
            Incoherence::CastlingBlocked => {
                format!("{hex} is held by {}{}: this castling needs it free", self.holder(), self.since())
            }
            Incoherence::EmptyCapture => self.empty_capture(),
            Incoherence::OwnCapture => format!("nothing to capture on {hex}: {}", self.state()),
            Incoherence::OtherCapture => {
                let there = self.seen.piece.map_or(Kind::Pawn, Piece::kind);
                let ply = self.rewritten(Capture::Taken, there);
                format!("{} stands on {hex}{}: write {ply}", there.with_article(), self.since())
            }
            Incoherence::NoPassing => self.no_passing(),
            Incoherence::OtherPassing => self.other_passing(),
            Incoherence::PromotionMissing => {
                let pieces: Vec<_> = Kind::ALL
                    .into_iter()
                    .filter(|kind| Promotion::to(*kind).is_some())
                    .map(|kind| self.spelt(kind))
                    .collect();
                format!(
                    "{hex} is the last hex of its column: a pawn gets `=` and one of {} there, or `=&`",
                    pieces.join(" ")
                )
            }
            Incoherence::PromotionFalse => self.promotion_false(),
            Incoherence::NoAwaiting if !hex.is_last_for(self.side) => {
                format!("no pawn awaits promotion on {hex}: {}", self.last_hex())
            }
            Incoherence::NoAwaiting => format!("no pawn awaits promotion on {hex}: {}", self.state()),
        }
    }

    /// The piece that should stand there.
    fn wanted(&self, kind: Incoherence) -> Kind {
        match (kind, self.shape) {
            (Incoherence::CastlingKing, _) => Kind::King,
            (Incoherence::CastlingRook, _) => Kind::Rook,
            (_, Shape::Step { piece, .. }) => piece,
            _ => Kind::Pawn,
        }
    }

    /// The ply that the message speaks of besides.
    fn place(&self, kind: Incoherence) -> Option<usize> {
        match (kind, self.since) {
            (Incoherence::PromotionMissing | Incoherence::PromotionFalse, _) => None,
            (Incoherence::NoPassing, _) if self.enemy().is_none() => self.context.previous(self.index),
            (Incoherence::EmptyCapture, _) if self.passing().is_some() => self.context.previous(self.index),
            (_, Since::Ply(ply)) => Some(ply),
            _ => None,
        }
    }

    /// Since when the hex is as it is, behind what is said of it.
    fn since(&self) -> String {
        self.context.since_words(self.since)
    }

    /// What is on the hex, as a sentence.
    fn state(&self) -> String {
        match self.seen.piece {
            None => format!("it is empty{}", self.since()),
            Some(_) => format!("{} stands there{}", self.holder(), self.since()),
        }
    }

    /// Who is on the hex, as the player on turn sees him.
    fn holder(&self) -> String {
        holder(self.seen.piece, self.side)
    }

    /// Another own piece on the hex, with its letter.
    fn other_piece(&self) -> String {
        let letter = match self.seen.piece.map(Piece::kind) {
            None | Some(Kind::Pawn) => "no letter".to_owned(),
            Some(kind) => format!("`{}`", self.spelt(kind)),
        };
        format!("{} ({letter}) stands there{}", self.holder(), self.since())
    }

    fn enemy(&self) -> Option<Piece> {
        self.seen.piece.filter(|piece| piece.side() != self.side)
    }

    fn spelt(&self, kind: Kind) -> String {
        spell(Piece::new(Side::White, kind), &self.letters)
    }

    /// The ply with another capture.
    fn rewritten(&self, capture: Capture, captured: Kind) -> String {
        let mut shape = self.shape;
        if let Shape::Step { capture: old, captured: other, .. } = &mut shape {
            (*old, *other) = (capture, captured);
        }
        self.print(shape)
    }

    fn print(&self, shape: Shape) -> String {
        let mut out = Vec::new();
        write_ply(Ply::new(shape, Check::None), &self.letters, Signs::CANONICAL, &mut out);
        lossy(&out)
    }

    fn enemy_origin(&self) -> String {
        let Some(there) = self.seen.piece else { return self.state() };
        let items = self.context.record.items;
        let kind = |back| self.index.checked_sub(back).map(|index: usize| items[index].kind);
        let is_first = kind(1) == Some(ItemKind::Number) && matches!(kind(2), Some(ItemKind::Open | ItemKind::Label));
        let is_meant = is_first && self.side == Side::White && there.kind() == self.wanted(Incoherence::EnemyOrigin);
        let (holder, hex) = (self.holder(), self.seen.hex);
        if is_meant {
            return format!("{holder} stands on {hex}: Black's ply in White's place needs `…,` before it");
        }
        format!("{holder} stands on {hex}{}: it is {}'s turn", self.since(), self.side)
    }

    /// How the piece in the way is captured, unless the ply is one that never captures.
    fn as_capture(&self) -> String {
        match (self.enemy(), self.shape) {
            (Some(_), Shape::Step { piece: Kind::Pawn, from, to, .. }) if from.column() == to.column() => String::new(),
            (Some(piece), _) => format!(": a capture is written {}", self.rewritten(Capture::Taken, piece.kind())),
            (None, _) => String::new(),
        }
    }

    /// How a pawn captures in passing on its destination, if it can.
    fn passing(&self) -> Option<Capture> {
        let Shape::Step { piece: Kind::Pawn, to, .. } = self.shape else { return None };
        [Capture::Passing, Capture::LongPassing]
            .into_iter()
            .find(|capture| self.seen.special.victim(*capture, to, self.side).is_some())
    }

    /// The ply that left a pawn to be taken in passing, or its pawn.
    fn passer(&self, at: Hex) -> String {
        match self.context.previous(self.index) {
            Some(ply) => lossy(self.context.record.items[ply].text(self.context.record.text)),
            None => format!("the {} pawn on {at}", colour(self.side.other())),
        }
    }

    fn empty_capture(&self) -> String {
        let hex = self.seen.hex;
        match (self.passing(), self.seen.special) {
            (Some(capture), Special::Double(at) | Special::Triple(at)) => {
                let ply = self.rewritten(capture, Kind::Pawn);
                format!("{hex} is empty: {} passed it, write {ply}", self.passer(at))
            }
            _ => format!("nothing to capture on {hex}: {}", self.state()),
        }
    }

    fn no_passing(&self) -> String {
        let hex = self.seen.hex;
        if let Some(enemy) = self.enemy() {
            let ply = self.rewritten(Capture::Taken, enemy.kind());
            return format!("{} stands on {hex}{}: a capture is written {ply}", self.holder(), self.since());
        }
        let why = match (self.seen.special, self.passing()) {
            (Special::Double(at) | Special::Triple(at), Some(capture)) => {
                let (sign, ply) = (sign(capture), self.rewritten(capture, Kind::Pawn));
                return format!(
                    "{}, which passed {hex}, is captured there with `{sign}`: write {ply}",
                    self.passer(at)
                );
            }
            (Special::Scornful(at, _), _) => format!("{} is captured with `@` on {at} only", self.passer(at)),
            (Special::Double(at), _) => format!("{} passed {}", self.passer(at), passed(at, 2, self.side)),
            (Special::Triple(at), _) => {
                format!("{} passed {} and {}", self.passer(at), passed(at, 4, self.side), passed(at, 2, self.side))
            }
            (Special::None, _) => match self.context.previous(self.index) {
                Some(ply) => format!("{} is no double, triple or scornful step of a pawn", self.context.ply_name(ply)),
                None if self.context.record.setup.has_pdtl => "the PDTL leaves nothing".to_owned(),
                None => "no ply went before".to_owned(),
            },
        };
        format!("nothing to capture in passing on {hex}: {why}")
    }

    fn other_passing(&self) -> String {
        let Shape::Step { capture, .. } = self.shape else { return self.state() };
        match self.seen.piece.map(Piece::kind) {
            None | Some(Kind::Pawn) => {
                format!("a pawn captured in passing is not named: write {}", self.rewritten(capture, Kind::Pawn))
            }
            Some(there) => {
                let ply = self.rewritten(capture, there);
                format!("{} stands on {}{}: write {ply}", there.with_article(), self.seen.hex, self.since())
            }
        }
    }

    fn promotion_false(&self) -> String {
        match self.shape {
            Shape::Step { piece: Kind::Pawn, .. } => format!("no promotion on {}: {}", self.seen.hex, self.last_hex()),
            Shape::Step { piece, .. } => format!("{} is not promoted: only pawns are", piece.with_article()),
            _ => self.state(),
        }
    }

    /// Where the column ends on which the hex is not the last.
    fn last_hex(&self) -> String {
        let ends = |hex: &Hex| hex.column() == self.seen.hex.column() && hex.is_last_for(self.side);
        Hex::all()
            .find(ends)
            .map_or_else(String::new, |last| format!("the last hex of its column for {} is {last}", self.side))
    }
}

const fn sign(capture: Capture) -> &'static str {
    match capture {
        Capture::LongPassing => "@@",
        _ => "@",
    }
}

/// The hex that a pawn passed `lines` before it came to `at`; `capturer` looks the other way.
fn passed(at: Hex, lines: i8, capturer: Side) -> String {
    at.ahead(capturer, lines).map_or_else(String::new, |hex| hex.to_string())
}
