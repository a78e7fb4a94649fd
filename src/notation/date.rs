//! A date as far as it is known (§3.22).

use std::fmt;

use serde::Deserialize;

use super::{hyphen, other_dash};

/// What can be wrong with a date's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateFault {
    /// It is not four, two and two digits with something between them.
    Form,
    /// What stands between them is no hyphen: dots or slashes as in PGN, another dash.
    Separator,
    /// One hyphen is `-` and the other `‐`.
    Hyphens,
    /// There is no such day.
    Calendar,
}

/// A number of `N` digits, each `?` where it is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Digits<const N: usize>([u8; N]);

impl<const N: usize> Digits<N> {
    /// Reads the digits at the start of `word`; gives them and what follows.
    fn read(word: &[u8]) -> Option<(Self, &[u8])> {
        let (digits, rest) = word.split_first_chunk::<N>()?;
        let are_digits = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'?'));
        are_digits.then_some((Self(*digits), rest))
    }

    /// The number, if all its digits are known.
    fn number(self) -> Option<u16> {
        let digit = |digit: u8| digit.is_ascii_digit().then(|| u16::from(digit - b'0'));
        self.0.into_iter().try_fold(0, |number, sign| Some(10 * number + digit(sign)?))
    }

    /// Whether the number may be this one.
    fn fits(self, number: u16) -> bool {
        let mut rest = number;
        self.0.iter().rev().all(|&digit| {
            let due = b'0' + (rest % 10) as u8;
            rest /= 10;
            digit == b'?' || digit == due
        })
    }
}

impl<const N: usize> fmt::Display for Digits<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&digit| write!(f, "{}", char::from(digit)))
    }
}

/// A date as far as its digits are known; not every one is in the calendar. Printed it is in canonical form (§13.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date {
    year: Digits<4>,
    month: Digits<2>,
    day: Digits<2>,
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.year, self.month, self.day)
    }
}

/// Why no day fits a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoSuch {
    /// There was no year 0.
    Year,
    /// There are twelve months.
    Month,
    /// No month has such a day.
    Day,
    /// This month, from 1, has no such day in any year.
    DayOfMonth(u16),
    /// 29 February, in no leap year.
    LeapDay,
}

/// How many days each month has, February in a leap year.
const DAYS: [u16; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// The last year of four digits.
const LAST_YEAR: u16 = 9999;

const fn is_leap_year(year: u16) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

impl Date {
    /// The year as written.
    pub fn year(&self) -> String {
        self.year.to_string()
    }

    /// The month as written.
    pub fn month(&self) -> String {
        self.month.to_string()
    }

    /// The day as written.
    pub fn day(&self) -> String {
        self.day.to_string()
    }

    /// Why no day of any year fits, if none does.
    pub fn no_such(&self) -> Option<NoSuch> {
        // Nearly every date: a day that every month of every year has.
        if let (Some(1..=9999), Some(1..=12), Some(1..=28)) =
            (self.year.number(), self.month.number(), self.day.number())
        {
            return None;
        }
        let months = || (1..).zip(DAYS).filter(|(month, _)| self.month.fits(*month));
        let days = |to: u16| (1..=to).filter(|day| self.day.fits(*day));
        let Some((month, longest)) = months().max_by_key(|(_, length)| *length) else { return Some(NoSuch::Month) };
        if self.year.0 == *b"0000" {
            Some(NoSuch::Year)
        } else if days(31).next().is_none() {
            Some(NoSuch::Day)
        } else if days(longest).next().is_none() {
            Some(NoSuch::DayOfMonth(month))
        } else if months().all(|(month, _)| month == 2)
            && days(longest).all(|day| day == 29)
            && !(1..=LAST_YEAR).any(|year| self.year.fits(year) && is_leap_year(year))
        {
            Some(NoSuch::LeapDay)
        } else {
            None
        }
    }
}

/// A date as it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadDate<'a> {
    /// What it says.
    pub date: Date,
    /// What stands between its numbers.
    pub separators: [&'a [u8]; 2],
}

impl<'a> ReadDate<'a> {
    /// The first separator that is no hyphen.
    pub fn odd_separator(&self) -> Option<&'a [u8]> {
        self.separators.into_iter().find(|separator| hyphen(separator) == 0)
    }

    /// Whether its two hyphens differ.
    pub fn mixes_hyphens(&self) -> bool {
        self.odd_separator().is_none() && self.separators[0] != self.separators[1]
    }
}

/// Reads a whole word as a date, if it has a date's form; its separators may be others than hyphens.
pub fn read_date(word: &[u8]) -> Option<ReadDate<'_>> {
    let (year, rest) = Digits::read(word)?;
    let (first, rest) = separator(rest)?;
    let (month, rest) = Digits::read(rest)?;
    let (second, rest) = separator(rest)?;
    let (day, rest) = Digits::read(rest)?;
    rest.is_empty().then_some(ReadDate { date: Date { year, month, day }, separators: [first, second] })
}

/// The separator at the start of `word`, and what follows.
fn separator(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let len = match word.first()? {
        b'.' | b'/' => 1,
        _ => Some(hyphen(word)).filter(|len| *len > 0).or_else(|| other_dash(word))?,
    };
    Some(word.split_at(len))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn no_such(text: &str) -> Option<NoSuch> {
        read_date(text.as_bytes()).unwrap().date.no_such()
    }

    #[test]
    fn days_that_are_in_the_calendar() {
        for text in [
            "2024-01-05",
            "2024‐01‐05",
            "????-??-??",
            "201?-??-??",
            "2024-02-29",
            "2000-02-29",
            "20??-02-29",
            "2021-02-2?",
            "2021-?2-30",
            "2021-0?-31",
            "2021-??-31",
            "2021-02-?9",
            "2021-1?-3?",
            "?900-02-28",
            "000?-01-01",
            "9999-12-31",
        ] {
            assert_eq!(no_such(text), None, "{text}");
        }
    }

    #[test]
    fn days_that_are_not() {
        for (text, why) in [
            ("0000-01-01", NoSuch::Year),
            ("2024-00-05", NoSuch::Month),
            ("????-13-??", NoSuch::Month),
            ("2024-2?-05", NoSuch::Month),
            ("2024-01-00", NoSuch::Day),
            ("2024-??-32", NoSuch::Day),
            ("2024-??-4?", NoSuch::Day),
            ("2024-02-30", NoSuch::DayOfMonth(2)),
            ("20??-02-30", NoSuch::DayOfMonth(2)),
            ("20??-02-3?", NoSuch::DayOfMonth(2)),
            ("2024-04-31", NoSuch::DayOfMonth(4)),
            ("2024-?9-31", NoSuch::DayOfMonth(9)),
            ("2021-02-29", NoSuch::LeapDay),
            ("1900-02-29", NoSuch::LeapDay),
            ("20?1-02-29", NoSuch::LeapDay),
            ("?900-02-29", NoSuch::LeapDay),
        ] {
            assert_eq!(no_such(text), Some(why), "{text}");
        }
    }

    #[test]
    fn separators_are_told_apart() {
        for (text, odd, mixes) in [
            ("2024-01-05", None, false),
            ("2024‐01‐05", None, false),
            ("2024-01‐05", None, true),
            ("2024‐01-05", None, true),
            ("2024.01.05", Some("."), false),
            ("2024-01/05", Some("/"), false),
            ("2024–01–05", Some("–"), false),
        ] {
            let read = read_date(text.as_bytes()).unwrap();
            assert_eq!((read.odd_separator(), read.mixes_hyphens()), (odd.map(str::as_bytes), mixes), "{text}");
        }
    }

    #[test]
    fn other_words_are_no_dates() {
        for text in
            ["", "?", "2024", "2024-01", "5-1-2024", "2024-1-5", "24-01-05", "2024-01-05 ", "2024-Jan-05", "20240105"]
        {
            assert_eq!(read_date(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_date_is_read_as_it_is_printed(text in "[0-9?]{4}-[0-9?]{2}-[0-9?]{2}") {
            let read = read_date(text.as_bytes()).unwrap();
            prop_assert_eq!(read.date.to_string(), text);
        }

        #[test]
        fn what_is_left_of_a_real_day_fits_it(
            year in 1..=LAST_YEAR, month in 1_usize..=12, day in 1_u16..=31, unknown in any::<u16>()
        ) {
            let feb = if is_leap_year(year) { 29 } else { 28 };
            prop_assume!(day <= if month == 2 { feb } else { DAYS[month - 1] });
            let mut text = format!("{year:04}-{month:02}-{day:02}").into_bytes();
            for (place, digit) in text.iter_mut().enumerate() {
                if unknown >> place & 1 == 1 && digit.is_ascii_digit() {
                    *digit = b'?';
                }
            }
            prop_assert_eq!(read_date(&text).unwrap().date.no_such(), None);
        }
    }
}
