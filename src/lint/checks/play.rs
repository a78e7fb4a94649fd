//! Messages about plies, signs and results that the rules of play do not allow (§12).

use crate::game::{
    Capture, Castling, Check, Checks, Ending, Hex, Illegal, Kind, Piece, Ply, Position, Promotion, Promotions, Shape,
    Side, Special, Status,
};
use crate::lint::context::{Context, Message, NEAR, colour, holder, lossy};
use crate::notation::{GameResult, Letters, Signs, check_sign, pdtl, write_ply};
use crate::replay::referee::{Foul, Why};
use crate::syntax::fault::PlayFault;
use crate::syntax::{Fault, Spelt};

/// What there is to say of such a fault.
pub fn message(kind: PlayFault, fault: &Fault, context: &Context<'_>) -> Message {
    let Some(foul) = context.fouls.get(fault.seen as usize) else { return context.quote_fault(fault).into() };
    let letters = context.record.setup.letters.unwrap_or(Letters::STANDARD);
    let index = fault.item as usize;
    let ply = context.item(fault).and_then(|item| Ply::from_bits(item.value));
    let case = Case { context, foul, index, ply, letters };
    let message = match foul.why {
        Why::Illegal(why) => case.illegal(why),
        Why::Stands(status) => case.stands(kind, status, &context.quote_fault(fault)).into(),
        Why::Over(ending, since) => case.over(kind, ending, since, &context.quote_fault(fault)),
        Why::Material(since) => case.material(kind, since, &context.quote_fault(fault)),
        Why::Start(checks) => return case.start(checks).into(),
    };
    let whose = if is_of_result(kind) { "the last position" } else { "before the ply" };
    message.note(format!("{whose}: {}", written(&foul.position)))
}

const fn is_of_result(kind: PlayFault) -> bool {
    matches!(
        kind,
        PlayFault::ResultAgainstPosition
            | PlayFault::ResultAgainstStalemate
            | PlayFault::NoStalemate
            | PlayFault::ResultAgainstDraw
            | PlayFault::ResultAgainstMaterial
    )
}

fn written(position: &Position) -> String {
    let mut out = Vec::new();
    pdtl::write(position, &Letters::STANDARD, &mut out);
    lossy(&out)
}

/// What stands on a hex: `a black rook on G9`.
fn piece_on(position: &Position, hex: Hex) -> String {
    match position.on(hex) {
        Some(piece) => format!("a {} {} on {hex}", colour(piece.side()), piece.kind().name()),
        None => hex.to_string(),
    }
}

/// Who gives check.
fn given(after: &Position, checks: Checks) -> String {
    let by = list(checks.by().iter().map(|by| piece_on(after, *by)), "and");
    if checks.by().len() == 1 { format!("{by} gives check") } else { format!("{by} give check") }
}

/// Words with commas, and another word before the last one.
fn list<T: ToString>(words: impl IntoIterator<Item = T>, last: &str) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    match words.split_last() {
        None => "none".to_owned(),
        Some((only, [])) => only.clone(),
        Some((final_word, others)) => format!("{} {last} {final_word}", others.join(", ")),
    }
}

/// How many steps of a king along columns and lines lie between two hexes.
fn distance(from: Hex, to: Hex) -> u8 {
    let (columns, lines) = (from.column().abs_diff(to.column()), from.line().abs_diff(to.line()));
    columns + lines.saturating_sub(columns) / 2
}

struct Case<'a> {
    context: &'a Context<'a>,
    foul: &'a Foul,
    /// The ply's item.
    index: usize,
    ply: Option<Ply>,
    letters: Letters,
}

impl Case<'_> {
    fn position(&self) -> &Position {
        &self.foul.position
    }

    /// Whose ply it is.
    fn side(&self) -> Side {
        self.position().turn
    }

    fn spelt(&self, ply: Ply) -> String {
        let mut out = Vec::new();
        write_ply(ply.with_check(Check::None), &self.letters, Signs::CANONICAL, &mut out);
        lossy(&out)
    }

    /// Where the ply leads.
    fn after(&self) -> Position {
        let mut after = *self.position();
        // What does not fit has another fault.
        let _ = self.ply.map(|ply| after.apply(ply));
        after
    }

    fn illegal(&self, why: Illegal) -> Message {
        match (why, self.ply.map(Ply::shape)) {
            (Illegal::Blocked(hex), Some(Shape::Step { from, to, .. })) => {
                self.in_the_way(hex, &format!("from {from} to {to}"))
            }
            (Illegal::CastlingBlocked(hex), _) => self.in_the_way(hex, "of a rook that castles"),
            (Illegal::LeapLost, Some(Shape::Step { from, .. })) => self.leap_lost(from),
            (Illegal::CastlingLost(home), _) => self.castling_lost(home),
            (Illegal::LeapInCheck(by), _) => self.in_check(by, "leap").into(),
            (Illegal::CastlingInCheck(by), _) => self.in_check(by, "castle").into(),
            (Illegal::CastlingAttacked { king, by }, _) => {
                let by = piece_on(self.position(), by);
                format!("{} castles to {king}, which {by} attacks", self.side()).into()
            }
            (Illegal::Unanswered { king, by }, _) => {
                let by = piece_on(&self.after(), by);
                format!("{}'s king on {king} stays in check by {by}", self.side()).into()
            }
            (Illegal::Exposed { king, by }, _) => {
                let by = piece_on(&self.after(), by);
                format!("{}'s king on {king} is then in check by {by}", self.side()).into()
            }
            (Illegal::NotRegainable(promotions), _) => self.not_regainable(promotions).into(),
            (Illegal::Regainable(promotions), _) => {
                let kinds = list(promotions.iter().filter_map(Promotion::kind).map(Kind::with_article), "or");
                format!("a pawn waits only where nothing can be regained: here it becomes {kinds}").into()
            }
            (Illegal::PassedOver { pawn, promotions }, _) => {
                let plies =
                    promotions.iter().map(|promotion| Ply::new(Shape::Promote { at: pawn, promotion }, Check::None));
                let plies = list(plies.map(|ply| self.spelt(ply)), "or");
                format!("{}'s pawn on {pawn} must promote first: {plies}", self.side()).into()
            }
            (_, Some(Shape::Step { piece, from, to, capture, .. })) => {
                self.step(why, Piece::new(self.side(), piece), from, to, capture).into()
            }
            _ => String::new().into(),
        }
    }

    /// A step that the piece does not make so.
    fn step(&self, why: Illegal, piece: Piece, from: Hex, to: Hex, capture: Capture) -> String {
        let name = piece.kind().with_article();
        match why {
            Illegal::KingCapture => "a king is never captured: mate ends the game".to_owned(),
            Illegal::NoTriple => {
                let starts = Hex::all().filter(|hex| {
                    let end = hex.ahead(self.side(), 6);
                    end.is_some_and(|end| piece.reach(*hex).contains(end))
                });
                format!("a pawn makes no triple step from {from}: {}'s do from {}", self.side(), list(starts, "and"))
            }
            Illegal::NoCapture if piece.kind() == Kind::Pawn => {
                format!("a pawn captures diagonally forward, from {from} on {}", list(captures(piece, from), "and"))
            }
            Illegal::NoCapture => format!("{name} captures with one jump: {to} is two of them from {from}"),
            Illegal::OnlyCapture => format!("a pawn goes from {from} to {to} to capture only, and {to} is empty"),
            Illegal::ScornfulSign => {
                let shape = match self.ply.map(Ply::shape) {
                    Some(Shape::Step { captured, promotion, .. }) => {
                        Shape::Step { piece: Kind::Pawn, from, to, capture: Capture::Passing, captured, promotion }
                    }
                    _ => return String::new(),
                };
                let ply = self.spelt(Ply::new(shape, Check::None));
                format!("the pawn on {to} was scornful and is captured with `@`: write {ply}")
            }
            Illegal::PassingPiece => format!("{name} captures nothing in passing: only pawns do"),
            Illegal::PassingReach => self.passing(from, to, capture),
            _ => format!("{name} on {from} reaches {}; {to} is out of its reach", reached(piece, from, to)),
        }
    }

    /// From where pawns capture in passing on a hex.
    fn passing(&self, from: Hex, to: Hex, capture: Capture) -> String {
        let is_scornful = matches!(self.position().special, Special::Scornful(..)) && capture == Capture::Passing;
        let back = if is_scornful { -1 } else { -3 };
        let back = if self.side() == Side::White { back } else { -back };
        let origins = list([-1, 1].into_iter().filter_map(|columns| to.offset(columns, back)), "or");
        if is_scornful {
            format!(
                "a scornful pawn is captured by the one that it faced, with an oblique step from {origins}, not from {from}"
            )
        } else {
            format!("a pawn captures in passing diagonally forward: on {to} from {origins}, not from {from}")
        }
    }

    fn in_the_way(&self, hex: Hex, of_what: &str) -> Message {
        let since = self.context.last_within(NEAR, self.index, hex);
        let holder = holder(self.position().on(hex), self.side());
        let text = format!("{hex} is in the way {of_what}, held by {holder}{}", self.context.since_words(since));
        self.context.with_ply(text.into(), since.ply())
    }

    fn in_check(&self, by: Hex, does: &str) -> String {
        format!("a king in check does not {does}: {} attacks it", piece_on(self.position(), by))
    }

    fn leap_lost(&self, from: Hex) -> Message {
        let home = Castling::king_home(self.side());
        if from == home {
            return self.lost(home, "does not leap any more");
        }
        format!("a king leaps from its first hex only, {}'s from {home}", self.side()).into()
    }

    fn castling_lost(&self, home: Hex) -> Message {
        let is_king = home == Castling::king_home(self.side());
        self.lost(home, if is_king { "does not castle any more" } else { "takes part in no castling any more" })
    }

    /// A right that has gone with the first ply that touched this hex.
    fn lost(&self, home: Hex, no_more: &str) -> Message {
        let side = self.side();
        let is_king = home == Castling::king_home(side);
        let who = if is_king { format!("{side}'s king") } else { format!("{side}'s rook of {home}") };
        let first = self.context.first_at(self.index, home);
        let text = match first {
            Some(ply) => {
                let is_black = self.context.record.items[ply].spelt.has(Spelt::BLACK);
                let moved = if is_black == (side == Side::Black) { "moved" } else { "was captured" };
                format!("{who} {moved} with {} and {no_more}", self.context.ply_name(ply))
            }
            None => format!("{who} has moved, as the PDTL says, and {no_more}"),
        };
        self.context.with_ply(text.into(), first)
    }

    fn not_regainable(&self, promotions: Promotions) -> String {
        let promotion = self.ply.map_or(Promotion::None, Ply::promotion);
        let kind = promotion.kind().map_or("", Kind::with_article);
        let at = match self.ply.map(Ply::shape) {
            Some(Shape::Step { to, .. }) => to,
            Some(Shape::Promote { at, .. }) => at,
            _ => return String::new(),
        };
        let left = promotions.iter().filter_map(Promotion::kind).map(Kind::with_article);
        let instead = if promotions.is_empty() {
            "it waits, `=&`".to_owned()
        } else {
            format!("it becomes {}", list(left, "or"))
        };
        format!("{} has not lost {kind} that a pawn could become on {at}: {instead}", self.side())
    }

    /// What is wrong with the sign of a ply or the result, after which the player on turn stands so.
    fn stands(&self, kind: PlayFault, status: Status, text: &str) -> String {
        if is_of_result(kind) {
            return self.result(kind, text);
        }
        let after = self.after();
        let enemy = after.turn;
        let king = after.king(enemy).map_or_else(String::new, |hex| format!(" on {hex}"));
        match status {
            Status::Mate(checks) => {
                let given = given(&after, checks);
                format!("{given} and {enemy} has no legal ply: `#` was expected{}", instead_of(text))
            }
            Status::Check(_) if kind == PlayFault::MateFalse => {
                format!("no mate: {enemy} has {}", self.first_legal(&after))
            }
            Status::Check(checks) if kind == PlayFault::CheckImprecise => {
                format!("{}: `{}` says more than `+`", given(&after, checks), check_sign(checks.kind()))
            }
            Status::Check(checks) => {
                let sign = check_sign(checks.kind());
                format!("{}: `{sign}` was expected{}", given(&after, checks), instead_of(text))
            }
            Status::Quiet if kind == PlayFault::MateFalse => {
                format!("no mate and no check: nothing attacks {enemy}'s king{king}")
            }
            Status::Quiet => format!("no check: nothing attacks {enemy}'s king{king}"),
            Status::Stalemate => format!("no check but stalemate: nothing attacks {enemy}'s king{king}"),
        }
    }

    fn first_legal(&self, position: &Position) -> String {
        let mut plies = Vec::new();
        position.legal_plies(&mut plies);
        plies.first().map_or_else(String::new, |ply| self.spelt(*ply))
    }

    fn result(&self, kind: PlayFault, text: &str) -> String {
        let loser = self.side();
        let winner = loser.other();
        match kind {
            PlayFault::ResultAgainstPosition => {
                format!("result {text}, but {loser} is mated: {} was expected", GameResult::of_mate(winner).text())
            }
            PlayFault::ResultAgainstStalemate => {
                let due = GameResult::of_stalemate(winner).text();
                format!("result {text}, but {loser} is stalemated: {due} was expected")
            }
            _ => {
                let ply = self.first_legal(self.position());
                format!("result {text}, but {loser} is not stalemated: he has {ply}")
            }
        }
    }

    /// The game was over before the ply, or is over and has another result.
    fn over(&self, kind: PlayFault, ending: Ending, since: Option<usize>, text: &str) -> Message {
        let side = self.side();
        let how = match ending {
            Ending::Mate => format!("{side} is mated"),
            Ending::Stalemate => format!("{side} is stalemated"),
            Ending::Clock => "the game is drawn by 150 plies without capture or pawn ply".to_owned(),
            Ending::Repetition => "the game is drawn by the fifth time of the same position".to_owned(),
        };
        let since_words =
            since.map_or_else(|| " in the PDTL".to_owned(), |ply| format!(" since {}", self.context.ply_name(ply)));
        let text = if is_of_result(kind) {
            format!("result {text}, but {how}: 1-1 was expected")
        } else {
            format!("{how}{since_words}: no ply follows")
        };
        self.context.with_ply(text.into(), since.filter(|_| !is_of_result(kind)))
    }

    fn material(&self, kind: PlayFault, since: Option<usize>, text: &str) -> Message {
        let text = if is_of_result(kind) {
            format!("result {text}, but neither side can mate: 1-1 was expected")
        } else {
            let since =
                since.map_or_else(|| " in the PDTL".to_owned(), |ply| format!(" since {}", self.context.ply_name(ply)));
            format!("neither side can mate{since}: the game is drawn")
        };
        self.context.with_ply(text.into(), since.filter(|_| !is_of_result(kind)))
    }

    fn start(&self, checks: Checks) -> String {
        let (turn, position) = (self.side(), self.position());
        let other = turn.other();
        let king = position.king(other).map_or_else(String::new, |hex| format!(" on {hex}"));
        let by = list(checks.by().iter().map(|by| piece_on(position, *by)), "and");
        format!("{turn} is on turn, but {other}'s king{king} is in check by {by}")
    }
}

/// What was written in the place of a sign.
fn instead_of(text: &str) -> String {
    if text == "``" { String::new() } else { format!(", not {text}") }
}

/// Where a pawn captures.
fn captures(pawn: Piece, from: Hex) -> Vec<Hex> {
    pawn.reach(from).iter().filter(|hex| hex.line().abs_diff(from.line()) == 3).collect()
}

/// Where a piece gets to, what lies next to where it went first.
fn reached(piece: Piece, from: Hex, to: Hex) -> String {
    const SHOWN: usize = 6;
    let captures = if piece.kind() == Kind::Pawn { captures(piece, from) } else { Vec::new() };
    let mut hexes: Vec<Hex> = piece.reach(from).iter().filter(|hex| !captures.contains(hex)).collect();
    hexes.sort_by_key(|hex| distance(*hex, to));
    let more = if hexes.len() > SHOWN { " …" } else { "" };
    let shown: Vec<String> = hexes.iter().take(SHOWN).map(Hex::to_string).collect();
    let captures =
        if captures.is_empty() { String::new() } else { format!(" and captures on {}", list(captures, "and")) };
    format!("{}{more}{captures}", shown.join(", "))
}
