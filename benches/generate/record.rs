//! One record: its text, what every part of it is, and the position it leads to.

use super::Plan;
use super::play::{Played, Player};
use super::random::Random;
use ctl::game::{Check, Hex, Ply, Position, Side};
use ctl::notation::{GameResult, Letters, Signs, pdtl, write_ply};

/// What a part of a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A tag, without its line end.
    Tag,
    /// A comment, with the line end and the dots before it.
    Comment,
    /// A number with its blank, and with the line end and the dots before it where it starts a line.
    Number,
    /// White's ply.
    White,
    /// Black's ply.
    Black,
    /// `…`
    Ellipsis,
    /// A pair's comma with its blank.
    Comma,
    /// `(` and its label, with the line end and the dots before it.
    Open,
    /// `)`, with the line end and the dots before it where it stands alone.
    Close,
    /// The end mark, with its blank if there is one.
    End,
    /// The result, with the line end before it.
    Result,
}

/// A part of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// What it is.
    pub what: What,
    /// How many variations it lies in.
    pub depth: u8,
    /// Bytes of the record before it.
    pub from: usize,
    /// Bytes of the record before its end.
    pub to: usize,
}

/// A record as it was written, without fault.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its text, from the initial tag to the last line end.
    pub text: Vec<u8>,
    /// Its parts, in the order of the text.
    pub marks: Vec<Mark>,
    /// The position behind the last ply of the main line.
    pub last: Position,
    /// Plies of the main line and of variations.
    pub plies: u64,
}

/// Values of `Redefine` tags.
const REDEFINED: [&str; 5] = ["A@J, C@N, T@R", "L@J, S@N, T@R, W@V", "B@J, W@V, Q@D", "F@J, C@N, T@R, Q@D", "A@J"];
/// What comments say, before their reference if they have one.
const PHRASES: [&str; 12] = [
    "leaves the long diagonal open",
    "the only defence",
    "too slow: the pegasus is already on its way",
    "més precís que la captura",
    "prepares the castling",
    "new at the time",
    "perd un temps, però no la partida",
    "«a move for the gallery» (the loser)",
    "now everything hangs",
    "with ≈ even chances; see",
    "one line\n\nand another, after an empty one",
    "keeps an eye on",
];
const PEOPLE: [&str; 8] = [
    "Prat, Jordi",
    "Soler i Vidal, Mercè",
    "Ferrer, N.",
    "Okafor, Ada",
    "Lindqvist, Åsa",
    "Rossi, Piero",
    "?",
    "Walker Generator 1.0",
];
const SITES: [&str; 4] = ["?", "ESP", "Catalunya ESP", "Lleida, Catalunya ESP"];
const RESULTS: [GameResult; 4] =
    [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw, GameResult::Unfinished];
const VALUATIONS: [&str; 7] = ["!", "?", "!!", "??", "!?", "?!", "◇"];

/// What `Redefine`, `PDTL` and `Id` make of a record.
struct Kinds {
    pdtl: bool,
    id_record: bool,
    id: bool,
}

/// A pair on the board.
struct Pair {
    number: u32,
    before: Position,
    middle: Position,
    after: Position,
    white: Option<Ply>,
    black: Option<Ply>,
}

/// Writes the record with this number.
pub fn write(plan: &Plan, index: u64, player: &mut Player) -> Written {
    let mut random = Random::of(plan.seed, index);
    let letters = letters(plan, &mut random);
    let signs = if random.percent(plan.other_signs) { Signs::OTHER } else { Signs::CANONICAL };
    let mut writer = Writer {
        plan,
        random,
        player,
        letters,
        signs,
        text: Vec::new(),
        marks: Vec::new(),
        plies: 0,
        pairs: 0,
        first: 1,
        unknown: false,
        labelled: None,
    };
    writer.record(index)
}

/// The same numbers are drawn whatever the letters become: archives in other letters tell the same games.
fn letters(plan: &Plan, random: &mut Random) -> Letters {
    let (share, redefined) = (random.below(100), random.pick(&REDEFINED));
    let value =
        if share < plan.redefine { redefined } else { (share < plan.redefine + plan.figurines).then_some("FAN") };
    value.and_then(|value| Letters::parse(value.as_bytes()).ok()).unwrap_or(Letters::STANDARD)
}

struct Writer<'a> {
    plan: &'a Plan,
    random: Random,
    player: &'a mut Player,
    letters: Letters,
    signs: Signs,
    text: Vec<u8>,
    marks: Vec<Mark>,
    plies: u64,
    /// Pairs so far, in variations too.
    pairs: u32,
    /// The first number of the main line.
    first: u32,
    /// The first number is unknown (§7.5).
    unknown: bool,
    /// Pair and label of a variation of the main line (§8.6).
    labelled: Option<(u32, u32)>,
}

impl Writer<'_> {
    fn record(&mut self, index: u64) -> Written {
        let kinds = self.kinds();
        let start = if kinds.pdtl { self.later_position() } else { Position::INITIAL };
        let bare = kinds.pdtl && self.random.percent(self.plan.bare);
        let count = self.random.between(*self.plan.plies.start(), *self.plan.plies.end()).max(1);
        let played = self.player.line(&start, if bare { 0 } else { count }, &mut self.random);
        self.unknown = start.number == 0;
        self.first = start.number.max(1);
        self.comment_on_game(None);
        let last = self.line(start, self.first, &played.plies, 0);
        let unfinished = played.plies.is_empty() || kinds.id_record;
        let agreed = self.random.pick(&RESULTS).filter(|_| !unfinished).unwrap_or(GameResult::Unfinished);
        let result = played.result(&last).unwrap_or(agreed);
        self.put(What::Result, 0, &format!("\n{}", result.text()));
        self.comment_on_game(Some(last));
        self.text.push(b'\n');
        self.prepend_tags(index, &kinds, result, &start);
        let (text, marks) = (std::mem::take(&mut self.text), std::mem::take(&mut self.marks));
        Written { text, marks, last, plies: self.plies }
    }

    fn kinds(&mut self) -> Kinds {
        let pdtl = self.random.percent(self.plan.pdtl);
        let has_id = self.random.percent(self.plan.ids);
        // A fragment of a game would need it in its Id (§4.7).
        let id_record = has_id && (pdtl || self.random.percent(50));
        Kinds { pdtl, id_record, id: has_id }
    }

    /// A position that play leads to, and from which it goes on, for a `PDTL` tag.
    fn later_position(&mut self) -> Position {
        let count = self.random.between(8, 120);
        let mut position = Position::INITIAL;
        let Played { mut plies, ending } = self.player.line(&Position::INITIAL, count, &mut self.random);
        plies.truncate(plies.len() - usize::from(ending.is_some()));
        for ply in plies {
            if position.apply(ply).is_err() {
                break;
            }
        }
        if self.random.percent(25) {
            position.number = 0;
        }
        position
    }

    fn put(&mut self, what: What, depth: u8, text: &str) {
        let from = self.text.len();
        self.text.extend_from_slice(text.as_bytes());
        self.marks.push(Mark { what, depth, from, to: self.text.len() });
    }

    /// Writes a line, with its comments and variations; gives the position behind it.
    fn line(&mut self, start: Position, number: u32, plies: &[Ply], depth: u8) -> Position {
        let (mut now, mut number, mut rest) = (start, number, plies);
        let mut first = true;
        while !rest.is_empty() {
            let pair = pair(now, number, &mut rest);
            self.number(number, first, depth);
            let ended = depth == 0 && rest.is_empty();
            self.pair(&pair, depth, ended);
            self.comments(&pair, depth);
            self.variations(&pair, depth);
            now = pair.after;
            number += 1;
            first = false;
        }
        now
    }

    fn number(&mut self, number: u32, first: bool, depth: u8) {
        let lead = if first && depth > 0 { String::new() } else { format!("\n{}", dots(depth)) };
        let sign = if self.unknown && number == 1 { '?' } else { '.' };
        self.put(What::Number, depth, &format!("{lead}{number}{sign} "));
        self.pairs += 1;
    }

    fn pair(&mut self, pair: &Pair, depth: u8, ended: bool) {
        if let Some(ply) = pair.white {
            self.ply(What::White, ply, depth, ended && pair.black.is_none());
        } else {
            let ellipsis = if self.signs == Signs::OTHER { "..." } else { "…" };
            self.put(What::Ellipsis, depth, ellipsis);
        }
        if let Some(ply) = pair.black {
            self.put(What::Comma, depth, ", ");
            self.ply(What::Black, ply, depth, ended);
        }
    }

    /// A ply with its valuation, draw offer and end mark (§6.9–6.11).
    fn ply(&mut self, what: What, ply: Ply, depth: u8, ended: bool) {
        self.plies += 1;
        let from = self.text.len();
        write_ply(ply, &self.letters, self.signs, &mut self.text);
        self.marks.push(Mark { what, depth, from, to: self.text.len() });
        if ply.mates() {
            // It needs neither valuation nor end mark (§6.9, §6.11).
            return;
        }
        let valued = self.random.percent(self.plan.valuations);
        if let Some(valuation) = self.random.pick(&VALUATIONS).filter(|_| valued) {
            self.text.push(b' ');
            self.text.extend_from_slice(valuation.as_bytes());
        }
        let offered = self.random.percent(self.plan.offers);
        if offered {
            self.text.extend_from_slice(if valued { b"(=)" } else { b" (=)" });
        }
        if ended {
            let glued = valued || offered || self.random.percent(50);
            self.put(What::End, depth, if glued { ":" } else { " :" });
        }
    }

    /// The comments on a pair, in the order of §13.6.
    fn comments(&mut self, pair: &Pair, depth: u8) {
        let every = self.plan.comments_every;
        if every == 0 || !self.pairs.is_multiple_of(every) {
            return;
        }
        let sides = [(Side::White, pair.white), (Side::Black, pair.black)];
        let chosen = self.random.below(2) as usize;
        for (index, (side, _)) in sides.into_iter().enumerate().filter(|(_, (_, ply))| ply.is_some()) {
            let other = sides[1 - index].1;
            if self.random.percent(self.plan.automatic) {
                let body = format!("{}.{:02}", self.random.below(9), self.random.below(100));
                self.comment(":", Some(side), &body, depth);
            }
            if index == chosen || other.is_none() || self.random.percent(self.plan.automatic) {
                let body = self.body(&pair.after, (depth == 0).then_some(pair.number));
                self.comment("", Some(side), &body, depth);
            }
        }
    }

    fn comment(&mut self, automatic: &str, side: Option<Side>, body: &str, depth: u8) {
        let whose = match side {
            None => "",
            Some(Side::White) => "@W: ",
            Some(Side::Black) => "@B: ",
        };
        self.put(What::Comment, depth, &format!("\n{}{{{automatic} {whose}{body} }}", dots(depth)));
    }

    /// A comment before the first pair, or behind the result with the position it is about.
    fn comment_on_game(&mut self, last: Option<Position>) {
        if self.plan.comments_every == 0 || !self.random.percent(self.plan.game_comments) {
            return;
        }
        let mut body = self.random.pick(&PHRASES).unwrap_or_default().to_owned();
        if let Some((pair, label)) = self.labelled.filter(|_| last.is_some()) {
            body = format!("{body} #{pair}.{label}");
        }
        self.comment("", None, &body, 0);
    }

    /// What a comment says; pairs are referred to by numbers up to `number`.
    fn body(&mut self, position: &Position, number: Option<u32>) -> String {
        let phrase = self.random.pick(&PHRASES).unwrap_or_default();
        let reference = match (self.random.below(6), number) {
            (0, _) => String::new(),
            (1, _) => "$24".to_owned(),
            (2, Some(number)) => format!("#{}", self.random.between(self.first, number)),
            (3, _) => self.hex().map_or_else(String::new, |hex| format!("~{hex}")),
            _ => self.piece(position),
        };
        format!("{phrase} {reference}").trim_end().to_owned()
    }

    fn hex(&mut self) -> Option<Hex> {
        Hex::from_index(self.random.below(Hex::COUNT as u32) as u8)
    }

    /// A reference to a piece that stands on the board (§9.8).
    fn piece(&mut self, position: &Position) -> String {
        let from = self.random.below(Hex::COUNT as u32) as usize;
        let mut hexes = Hex::all().skip(from).chain(Hex::all().take(from));
        let found = hexes.find_map(|hex| Some((hex, position.on(hex)?)));
        let spelt = |(hex, piece)| format!("~{}{hex}", pdtl::spell(piece, &self.letters));
        found.map_or_else(String::new, spelt)
    }

    fn variations(&mut self, pair: &Pair, depth: u8) {
        if depth >= self.plan.depth || !self.random.percent(self.plan.variations >> depth) {
            return;
        }
        for label in 1..=self.random.between(1, 2) {
            let Some((start, plies)) = self.alternative(pair) else { continue };
            let labelled = self.random.percent(self.plan.labels);
            let sign = if labelled { format!("$[{label}] ") } else { String::new() };
            if labelled && depth == 0 {
                self.labelled = Some((pair.number, label));
            }
            self.put(What::Open, depth + 1, &format!("\n{}({sign}", dots(depth)));
            self.line(start, pair.number, &plies, depth + 1);
            let glued = matches!(self.marks.last(), Some(Mark { what: What::White | What::Black, .. }));
            let lead = if glued { String::new() } else { format!("\n{}", dots(depth)) };
            self.put(What::Close, depth + 1, &format!("{lead})"));
        }
    }

    /// Other plies for a pair: for White's, or for Black's with `…` or White's copied (§8.2).
    fn alternative(&mut self, pair: &Pair) -> Option<(Position, Vec<Ply>)> {
        let count = self.random.between(1, self.plan.variation_plies);
        let whites = pair.white.is_some() && (pair.black.is_none() || self.random.percent(60));
        let (start, played) = if whites { (pair.before, pair.white) } else { (pair.middle, pair.black) };
        let mut plies = self.player.line(&start, count, &mut self.random).plies;
        let same = |ply: Option<Ply>| ply.map(|ply| ply.with_check(Check::None));
        if plies.is_empty() || same(plies.first().copied()) == same(played) {
            return None;
        }
        match pair.white {
            Some(white) if !whites && self.random.percent(30) => {
                plies.insert(0, white);
                Some((pair.before, plies))
            }
            _ => Some((start, plies)),
        }
    }

    /// Sets the tags before the movetext (§3.5, §3.6).
    fn prepend_tags(&mut self, index: u64, kinds: &Kinds, result: GameResult, start: &Position) {
        let movetext = std::mem::take(&mut self.text);
        let marks = std::mem::take(&mut self.marks);
        let has = |what: What| marks.iter().any(|mark| mark.what == what);
        let (commented, varied) = (has(What::Comment), has(What::Open));
        self.tag("Variant", "C'escacs");
        let suffixes =
            [(varied, "-V"), (commented, "-en")].map(|(is_there, suffix)| if is_there { suffix } else { "" });
        let class = if kinds.id_record { "X" } else { "" };
        let id = format!("Walker-{class}{}{}", index + 1, suffixes.concat());
        if kinds.id_record {
            self.tag("Id", &id);
        } else {
            self.game_tags(result);
            if kinds.id {
                self.tag("Id", &id);
            }
            self.optional_tags();
        }
        if kinds.id_record || kinds.id || commented {
            self.tag("Annotator", "Walker");
        }
        if commented {
            self.tag("Lang", "en");
        }
        if let Some(value) = self.letters.redefine() {
            self.tag("Redefine", &value);
        }
        if kinds.pdtl {
            let mut value = Vec::new();
            pdtl::write(start, &self.letters, &mut value);
            self.tag("PDTL", &String::from_utf8_lossy(&value));
        }
        let head = self.text.len();
        self.text.extend_from_slice(&movetext);
        self.marks.extend(marks.iter().map(|mark| Mark { from: mark.from + head, to: mark.to + head, ..*mark }));
    }

    fn tag(&mut self, name: &str, value: &str) {
        if !self.marks.is_empty() {
            self.text.push(b'\n');
        }
        self.put(What::Tag, 0, &format!("[{name} \"{value}\"]"));
    }

    fn game_tags(&mut self, result: GameResult) {
        let event = if self.random.percent(50) { "CG" } else { "Memorial dels Walkers" };
        self.tag("Event", event);
        let site = self.random.pick(&SITES).unwrap_or("?");
        self.tag("Site", site);
        let date = format!(
            "{}-{:02}-{:02}",
            self.random.between(2010, 2026),
            self.random.between(1, 12),
            self.random.between(1, 28)
        );
        self.tag("Date", &date);
        self.tag("Round", "-");
        for name in ["White", "Black"] {
            let person = self.random.pick(&PEOPLE).unwrap_or("?");
            self.tag(name, person);
        }
        self.tag("Result", result.text());
    }

    fn optional_tags(&mut self) {
        if self.random.percent(self.plan.optional_tags) {
            self.tag("Mode", "OTB");
            self.tag("WhiteType", "human");
            self.tag("BlackType", "human");
            self.tag("TimeControl", "4500+60");
        }
    }
}

/// The next pair of a line from `now` on.
fn pair(now: Position, number: u32, rest: &mut &[Ply]) -> Pair {
    let mut take = |position: &mut Position, side: Side| {
        let (&ply, behind) = rest.split_first().filter(|_| position.turn == side)?;
        *rest = behind;
        position.apply(ply).ok().map(|()| ply)
    };
    let mut position = now;
    let white = take(&mut position, Side::White);
    let middle = position;
    let black = take(&mut position, Side::Black);
    Pair { number, before: now, middle, after: position, white, black }
}

fn dots(depth: u8) -> String {
    ".".repeat(usize::from(depth))
}
