//! The examples of pages, byte for byte.

/// A page's example as bytes: `crlf` writes its line ends so, `escaped` reads `\xE0`, `\r`, `\0`, `\t`, `\u{A0}` in it, and
/// `cut` leaves out its last line end.
pub fn bytes(text: &str, words: &[&str]) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    if words.contains(&"cut") {
        text.pop();
    }
    if words.contains(&"crlf") {
        text = text.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
    }
    if words.contains(&"escaped") { unescape(&text) } else { text }
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        let hex = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
        rest = match behind {
            _ if byte != b'\\' => {
                out.push(byte);
                behind
            }
            [b'x', a, b, behind @ ..] => {
                out.push(hex(&[*a, *b]) as u8);
                behind
            }
            [b'u', b'{', behind @ ..] => {
                let end = behind.iter().position(|byte| *byte == b'}').unwrap();
                let sign = char::from_u32(hex(&behind[..end])).unwrap();
                out.extend(sign.to_string().bytes());
                &behind[end + 1..]
            }
            [sign, behind @ ..] => {
                out.push(match sign {
                    b'r' => b'\r',
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'0' => 0,
                    other => panic!("no escape: \\{}", char::from(*other)),
                });
                behind
            }
            [] => panic!("a backslash at the end"),
        };
    }
    out
}
