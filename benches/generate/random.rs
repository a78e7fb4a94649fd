//! Random numbers that are the same on every platform (splitmix64).

/// A stream of random numbers.
pub struct Random(u64);

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// The stream of one record: what other records draw does not shift it.
    pub const fn of(seed: u64, record: u64) -> Random {
        let mut seeded = Random(seed);
        Random(seeded.bits() ^ record.wrapping_mul(STEP).rotate_left(32))
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, 0 for bound 0.
    pub const fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * bound as u64) >> 32) as u32
    }

    /// A number from `low` to `high`.
    pub const fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True `share` times in a hundred.
    pub const fn percent(&mut self, share: u32) -> bool {
        self.below(100) < share
    }

    /// One of them, nothing where there is none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len() as u32) as usize).copied()
    }
}
