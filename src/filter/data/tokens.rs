//! JSON, a token at a time: whoever reads nests as deep as the text does, and needs no stack for it.

use std::borrow::Cow;

/// What is wrong with a line, at this byte of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slip {
    pub at: usize,
    pub what: String,
}

/// A line, and how far it is read.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

/// The mark that a file may begin with.
const MARK: &str = "\u{FEFF}";

impl<'a> Tokens<'a> {
    pub fn new(line: &'a [u8]) -> Result<Tokens<'a>, Slip> {
        match std::str::from_utf8(line) {
            // Where it ends too early is not the next line.
            Ok(text) => Ok(Tokens {
                text: text.trim_end_matches([' ', '\t', '\r', '\n']),
                at: if text.starts_with(MARK) { MARK.len() } else { 0 },
            }),
            Err(error) => {
                let at = error.valid_up_to();
                Err(Slip { at, what: format!("the byte 0x{:02X} is not UTF-8", line[at]) })
            }
        }
    }

    /// Where the next token begins.
    pub fn place(&mut self) -> usize {
        let blanks = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += self.text.as_bytes()[self.at..].iter().take_while(|byte| blanks(byte)).count();
        self.at
    }

    fn peek(&mut self) -> Option<u8> {
        let at = self.place();
        self.text.as_bytes().get(at).copied()
    }

    /// That something else stands here than what was expected.
    pub fn expected<T>(&mut self, what: &str) -> Result<T, Slip> {
        let at = self.place();
        let found = match self.text[at..].chars().next() {
            None => "the line ends".to_owned(),
            Some('"') => "a string stands".to_owned(),
            Some('{') => "an object stands".to_owned(),
            Some('[') => "an array stands".to_owned(),
            Some('-' | '0'..='9') => "a number stands".to_owned(),
            Some('a'..='z') => format!("`{}` stands", self.word()),
            Some(sign) => format!("`{sign}` stands"),
        };
        Err(Slip { at, what: format!("{found} where {what} was expected") })
    }

    fn word(&self) -> &'a str {
        let rest = &self.text[self.at..];
        &rest[..rest.bytes().take_while(u8::is_ascii_alphanumeric).count()]
    }

    /// Takes this byte.
    pub fn open(&mut self, byte: u8, what: &str) -> Result<(), Slip> {
        if self.peek() != Some(byte) {
            return self.expected(what);
        }
        self.at += 1;
        Ok(())
    }

    /// Whether another value stands before `close`, which is taken; `fresh` says that none was read yet.
    pub fn another(&mut self, fresh: &mut bool, close: u8) -> Result<bool, Slip> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ if std::mem::replace(fresh, false) => Ok(true),
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            _ => self.expected(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" }),
        }
    }

    /// The key of the next member of an object, with its place; nothing behind the last one.
    pub fn key(&mut self, fresh: &mut bool) -> Result<Option<(Cow<'a, str>, usize)>, Slip> {
        if !self.another(fresh, b'}')? {
            return Ok(None);
        }
        let at = self.place();
        let key = self.string("a key")?;
        self.open(b':', "`:`")?;
        Ok(Some((key, at)))
    }

    pub fn string(&mut self, what: &str) -> Result<Cow<'a, str>, Slip> {
        if self.peek() != Some(b'"') {
            return self.expected(what);
        }
        let (start, bytes) = (self.at, self.text.as_bytes());
        let mut end = start + 1;
        let mut is_plain = true;
        loop {
            let rest = &bytes[end..];
            let Some(found) = memchr::memchr2(b'"', b'\\', rest) else {
                return Err(Slip { at: start, what: "a string that is not closed".to_owned() });
            };
            is_plain &= !rest[..found].iter().any(u8::is_ascii_control);
            end += found + 1;
            if rest[found] == b'"' {
                break;
            }
            is_plain = false;
            end = bytes.len().min(end + 1);
        }
        self.at = end;
        if is_plain {
            return Ok(Cow::Borrowed(&self.text[start + 1..end - 1]));
        }
        serde_json::from_str(&self.text[start..end]).map(Cow::Owned).map_err(|error| {
            let why = error.to_string();
            let why = why.rsplit_once(" at line").map_or(&*why, |(why, _)| why);
            let within = start + error.column().saturating_sub(1).min(end - start - 1);
            Slip { at: within, what: format!("a string that can't be read: {why}") }
        })
    }

    pub fn number(&mut self, what: &str) -> Result<u32, Slip> {
        self.place();
        let word = self.word();
        let is_whole = !self.text[self.at + word.len()..].starts_with(['.', '+', '-']);
        let is_short = word == "0" || !word.starts_with('0');
        match word.parse().ok().filter(|_| is_whole && is_short) {
            Some(number) => {
                self.at += word.len();
                Ok(number)
            }
            None => self.expected(what),
        }
    }

    pub fn boolean(&mut self) -> Result<bool, Slip> {
        self.place();
        let word = self.word();
        match word.parse() {
            Ok(value) => {
                self.at += word.len();
                Ok(value)
            }
            Err(_) => self.expected("true or false"),
        }
    }

    /// Takes `null`, if it stands here.
    pub fn null(&mut self) -> bool {
        self.place();
        let is_null = self.word() == "null";
        self.at += if is_null { "null".len() } else { 0 };
        is_null
    }

    /// That nothing follows.
    pub fn end(&mut self) -> Result<(), Slip> {
        if self.place() == self.text.len() { Ok(()) } else { self.expected("the end of the line") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Tokens<'_> {
        Tokens::new(text.as_bytes()).unwrap()
    }

    #[test]
    fn strings_are_read_as_json_has_them() {
        for (text, want) in [
            (r#""""#, Ok("")),
            (r#" "a × b""#, Ok("a × b")),
            (r#""\"\\\/\n\u00d7\ud83e\ude4f""#, Ok("\"\\/\n×\u{1FA4F}")),
            ("\"a\u{7F}b\"", Ok("a\u{7F}b")),
            (r#""a"#, Err((0, "a string that is not closed"))),
            (r#""a\"#, Err((0, "a string that is not closed"))),
            (r#""ab\qcd""#, Err((4, "a string that can't be read: invalid escape"))),
            (r#""\ud83e""#, Err((7, "a string that can't be read: unexpected end of hex escape"))),
            (
                "\"a\tb\"",
                Err((
                    2,
                    "a string that can't be read: control character (\\u0000-\\u001F) found while parsing a string",
                )),
            ),
            ("12", Err((0, "a number stands where a text was expected"))),
        ] {
            let read = tokens(text).string("a text");
            let want = want.map(Cow::Borrowed).map_err(|(at, what)| Slip { at, what: what.to_owned() });
            assert_eq!(read, want, "{text}");
        }
        let slip = Tokens::new(b"{\"a\":\"\xFF\"}").err().unwrap();
        assert_eq!((slip.at, &*slip.what), (6, "the byte 0xFF is not UTF-8"));
    }

    #[test]
    fn numbers_are_whole_and_fit() {
        for text in ["0", "7", "4294967295 "] {
            assert_eq!(tokens(text).number("a number"), Ok(text.trim().parse().unwrap()));
        }
        for text in ["-1", "07", "1.5", "1e3", "4294967296", "true", "\"1\"", "", "+1", "1-"] {
            assert!(tokens(text).number("a number").is_err(), "{text}");
        }
    }

    #[test]
    fn lists_have_commas_between_their_values() {
        let read = |text: &str| {
            let mut tokens = tokens(text);
            tokens.open(b'[', "an array")?;
            let (mut fresh, mut all) = (true, Vec::new());
            while tokens.another(&mut fresh, b']')? {
                all.push(tokens.number("a number")?);
            }
            tokens.end().map(|()| all)
        };
        assert_eq!(read(" [ 1 ,2\t]\r\n"), Ok(vec![1, 2]));
        assert_eq!(read("[]"), Ok(vec![]));
        for (text, at, what) in [
            ("[1 2]", 3, "a number stands where `,` or `]` was expected"),
            ("[1,]", 3, "`]` stands where a number was expected"),
            ("[,1]", 1, "`,` stands where a number was expected"),
            ("[1", 2, "the line ends where `,` or `]` was expected"),
            ("[1]]", 3, "`]` stands where the end of the line was expected"),
            ("{}", 0, "an object stands where an array was expected"),
            ("[nul]", 1, "`nul` stands where a number was expected"),
        ] {
            assert_eq!(read(text), Err(Slip { at, what: what.to_owned() }), "{text}");
        }
    }
}
