//! The 169 hexes of the board (§2.1).

use super::Side;

/// Column letters from White's left (§2.1); there is no J.
pub const COLUMNS: [u8; 15] = *b"PTABCDEFGHIKLXZ";

/// One hex of the board, numbered column by column from P7 (0) to Z21 (168).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex(u8);

/// The colour of a hex (§2.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Colour {
    /// As G1 and E1, where White's king and queen start.
    Light = 0,
    /// As G27 and E27, where Black's king and queen start.
    Dark = 1,
    /// As F14.
    Coloured = 2,
}

/// Number of the hex on `column` and `line`, [`Hex::OFF`] where there is none.
static AT: [[u8; 32]; 16] = numbers();
static COLUMN: [u8; Hex::COUNT] = coordinates(0);
static LINE: [u8; Hex::COUNT] = coordinates(1);

const fn edge(column: usize) -> usize {
    column.abs_diff(7)
}

const fn numbers() -> [[u8; 32]; 16] {
    let mut at = [[Hex::OFF; 32]; 16];
    let (mut column, mut number) = (0, 0);
    while column < 15 {
        let mut line = edge(column);
        while line <= 28 - edge(column) {
            at[column][line] = number;
            number += 1;
            line += 2;
        }
        column += 1;
    }
    at
}

const fn coordinates(which: usize) -> [u8; Hex::COUNT] {
    let mut out = [0; Hex::COUNT];
    let (mut column, mut number) = (0, 0);
    while column < 15 {
        let mut line = edge(column);
        while line <= 28 - edge(column) {
            out[number] = if which == 0 { column as u8 } else { line as u8 };
            number += 1;
            line += 2;
        }
        column += 1;
    }
    out
}

/// The hexes of each line of the board from the queen's side, [`Hex::OFF`] behind them.
static ON_LINE: [[u8; 8]; 29] = {
    let mut table = [[Hex::OFF; 8]; 29];
    let mut line = 0;
    while line < table.len() {
        let (mut column, mut count) = (0, 0);
        while column < 15 {
            if let Some(hex) = Hex::at(column, line as u8) {
                table[line][count] = hex.number();
                count += 1;
            }
            column += 1;
        }
        line += 1;
    }
    table
};

impl Hex {
    /// How many hexes the board has.
    pub const COUNT: usize = 169;

    /// The number of no hex: off the board.
    pub(super) const OFF: u8 = u8::MAX;

    /// The hex on a column (0 is P, 14 is Z) and a line (0 to 28), if the board has it (§2.1).
    #[inline]
    pub const fn at(column: u8, line: u8) -> Option<Hex> {
        if column >= 16 || line >= 32 {
            return None;
        }
        match AT[column as usize][line as usize] {
            Hex::OFF => None,
            number => Some(Hex(number)),
        }
    }

    /// The hex with this number, below [`Hex::COUNT`].
    #[inline]
    pub const fn from_index(index: u8) -> Option<Hex> {
        if (index as usize) < Hex::COUNT { Some(Hex(index)) } else { None }
    }

    /// The hex whose number a ply has packed.
    #[inline]
    pub(super) const fn packed(number: u8) -> Hex {
        Hex(number)
    }

    /// The number of the hex, as a byte.
    #[inline]
    pub(super) const fn number(self) -> u8 {
        self.0
    }

    /// The number of the hex, below [`Hex::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Column and line.
    #[inline]
    pub(super) const fn coordinates(self) -> (u8, u8) {
        (COLUMN[self.index()], LINE[self.index()])
    }

    /// The column: 0 is P, 7 is F, 14 is Z.
    #[inline]
    pub fn column(self) -> u8 {
        COLUMN[self.index()]
    }

    /// The line of the board, 0 to 28.
    #[inline]
    pub fn line(self) -> u8 {
        LINE[self.index()]
    }

    /// The colour (§2.7). A diagonal step changes the line by 0 or 3, so a colour is every third line.
    #[inline]
    pub const fn colour(self) -> Colour {
        [Colour::Dark, Colour::Light, Colour::Coloured][self.coordinates().1 as usize % 3]
    }

    /// All hexes, by number.
    pub fn all() -> impl Iterator<Item = Hex> {
        (0..Hex::COUNT as u8).map(Hex)
    }

    /// The hexes of one line of the board from the queen's side, as a PDTL counts them (§10.1).
    #[inline]
    pub fn on_line(line: u8) -> impl Iterator<Item = Hex> {
        let hexes = ON_LINE.get(usize::from(line)).into_iter().flatten();
        hexes.map_while(|number| Hex::from_index(*number))
    }

    /// The hex `columns` to the right and `lines` up, if the board has it.
    #[inline]
    pub const fn offset(self, columns: i8, lines: i8) -> Option<Hex> {
        let (column, line) = self.coordinates();
        match (column.checked_add_signed(columns), line.checked_add_signed(lines)) {
            (Some(column), Some(line)) => Hex::at(column, line),
            _ => None,
        }
    }

    /// The hex `lines` further ahead on its column, as `side` sees it; the next one is two lines ahead.
    #[inline]
    pub fn ahead(self, side: Side, lines: i8) -> Option<Hex> {
        self.offset(0, if side == Side::White { lines } else { -lines })
    }

    /// Whether a pawn of `side` can go no further on this column (§11.6).
    #[inline]
    pub fn is_last_for(self, side: Side) -> bool {
        let edge = edge(self.column() as usize) as u8;
        self.line() == if side == Side::White { 28 - edge } else { edge }
    }
}

impl std::fmt::Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", char::from(COLUMNS[self.column() as usize]), self.line())
    }
}

impl std::fmt::Debug for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// A set of hexes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct HexSet([u64; 3]);

impl HexSet {
    /// No hex.
    pub const EMPTY: HexSet = HexSet([0; 3]);
    /// All 169.
    pub const ALL: HexSet = HexSet([u64::MAX, u64::MAX, (1 << (Hex::COUNT - 128)) - 1]);

    /// Adds a hex.
    #[inline]
    pub const fn insert(&mut self, hex: Hex) {
        self.0[hex.index() / 64] |= 1 << (hex.index() % 64);
    }

    /// Takes a hex out.
    #[inline]
    pub const fn remove(&mut self, hex: Hex) {
        self.0[hex.index() / 64] &= !(1 << (hex.index() % 64));
    }

    /// The hexes at whose place a 1 stands, and no 0.
    #[inline]
    pub(super) fn of(ones: &[u8; Hex::COUNT]) -> HexSet {
        // The lowest bits of eight bytes come together in the highest one.
        let gather = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        let (eights, rest) = ones.as_chunks();
        let mut words = [0; 3];
        for (number, eight) in eights.iter().enumerate() {
            words[number / 8] |= gather(eight) << (number % 8 * 8);
        }
        for (number, one) in (8 * eights.len()..).zip(rest) {
            words[number / 64] |= u64::from(*one) << (number % 64);
        }
        HexSet(words)
    }

    /// The number of its first hex; of none, one that no hex has. Without any branch: which word holds it is not foreseen.
    #[inline]
    pub(super) const fn first(&self) -> u8 {
        let [low, middle, high] = self.0;
        let beyond = all_ones_if(middle == 0) & high.trailing_zeros();
        (low.trailing_zeros() + (all_ones_if(low == 0) & (middle.trailing_zeros() + beyond))) as u8
    }

    /// The number of its last hex; of none, one that no hex has.
    #[inline]
    pub(super) const fn last(&self) -> u8 {
        let [low, middle, high] = self.0;
        let beyond = all_ones_if(middle == 0) & low.leading_zeros();
        let zeros = high.leading_zeros() + (all_ones_if(high == 0) & (middle.leading_zeros() + beyond));
        191_u32.wrapping_sub(zeros) as u8
    }

    /// Whether a hex is in it.
    #[inline]
    pub const fn contains(&self, hex: Hex) -> bool {
        self.0[hex.index() / 64] >> (hex.index() % 64) & 1 != 0
    }

    /// What is in both.
    #[inline]
    pub const fn and(&self, other: &HexSet) -> HexSet {
        let ([low, middle, high], others) = (self.0, other.0);
        HexSet([low & others[0], middle & others[1], high & others[2]])
    }

    /// How many hexes are in it.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no hex is in it.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] == 0
    }

    /// Its hexes, column by column from P7.
    pub fn iter(&self) -> impl Iterator<Item = Hex> + use<'_> {
        Hex::all().filter(|hex| self.contains(*hex))
    }
}

const fn all_ones_if(so: bool) -> u32 {
    (so as u32).wrapping_neg()
}

impl FromIterator<Hex> for HexSet {
    fn from_iter<I: IntoIterator<Item = Hex>>(hexes: I) -> HexSet {
        let mut set = HexSet::EMPTY;
        hexes.into_iter().for_each(|hex| set.insert(hex));
        set
    }
}

impl std::fmt::Debug for HexSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hexes(colour: Colour) -> usize {
        Hex::all().filter(|hex| hex.colour() == colour).count()
    }

    #[test]
    fn diagonal_steps_keep_the_colour() {
        assert_eq!(Hex::at(8, 1).map(Hex::colour), Some(Colour::Light));
        assert_eq!(Hex::at(6, 27).map(Hex::colour), Some(Colour::Dark));
        assert_eq!(Hex::at(7, 14).map(Hex::colour), Some(Colour::Coloured));
        assert_eq!((hexes(Colour::Light), hexes(Colour::Dark), hexes(Colour::Coloured)), (57, 57, 55));
        for hex in Hex::all() {
            for (columns, lines) in [(2, 0), (1, 3), (-1, 3)] {
                assert!(hex.offset(columns, lines).is_none_or(|other| other.colour() == hex.colour()), "{hex}");
            }
        }
    }
}
