//! Codes of languages: the value of `Lang`, and an identifier's language suffix (§3.28, §4.5).

use isolang::Language;

/// What a word is as a code of a language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LanguageCode {
    /// The one to be used: two letters of ISO 639-1, or three of ISO 639-3 where there are none of two.
    Right,
    /// Three letters of ISO 639-3, of a language that has this code of two letters.
    Long(&'static str),
    /// No code of a language; small letters only are looked for.
    Unknown,
}

impl LanguageCode {
    /// What `word` is.
    pub fn of(word: &str) -> LanguageCode {
        if Language::from_639_1(word).is_some() {
            return LanguageCode::Right;
        }
        match Language::from_639_3(word).map(|language| language.to_639_1()) {
            None => LanguageCode::Unknown,
            Some(None) => LanguageCode::Right,
            Some(Some(short)) => LanguageCode::Long(short),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_letters_are_for_languages_without_two() {
        for (word, code) in [
            ("ca", LanguageCode::Right),
            ("gsw", LanguageCode::Right),
            ("cat", LanguageCode::Long("ca")),
            ("deu", LanguageCode::Long("de")),
            ("xx", LanguageCode::Unknown),
            ("qzz", LanguageCode::Unknown),
            ("CA", LanguageCode::Unknown),
            ("english", LanguageCode::Unknown),
            ("ça", LanguageCode::Unknown),
            ("", LanguageCode::Unknown),
        ] {
            assert_eq!(LanguageCode::of(word), code, "{word}");
        }
    }
}
