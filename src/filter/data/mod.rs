//! Records as data: JSON, CSV, plies and positions. `docs/data.md` tells users what each field is.

mod csv;
mod json;
mod ply;
mod read;
mod tokens;
mod walk;

pub(super) use csv::numbered;
pub(super) use read::FromJson;
pub(super) use tokens::Slip;

use super::form::{Comments, Form, Keep, refusal};
use crate::game::{Ply, Position};
use crate::notation::{Letters, Signs, pdtl, write_ply};
use crate::syntax::{ItemKind, Record, main_line};

/// What is written of records that is no CTL-PGN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// An array of objects.
    Json,
    /// An object a line.
    Jsonl,
    /// A row for each ply.
    Csv,
    /// The plies of each main line on a line, in standard letters.
    Plies,
    /// The positions of each main line, one a line; `?` where it is unknown.
    Positions,
}

/// A notation, and what of it is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data {
    /// Which one.
    pub notation: Notation,
    /// With the position behind each ply, where it is not the positions anyway.
    pub positions: bool,
}

/// What [`Data::write`] adds besides text: for each record with rows, how long the text is behind them.
pub(super) type Rows = Vec<(u64, usize)>;

/// All that the canonical form keeps, in JSON, which is UTF-8.
const WHOLE: Form = Form { utf8: true, ..Form::CANONICAL };
const WITHOUT_COMMENTS: Form = Form { keep: Keep { comments: Comments::None, ..Form::WHOLE.keep }, ..Form::CANONICAL };

impl Data {
    /// The form by which it is decided whether a record can be read.
    pub(super) fn form(self) -> &'static Form {
        match self.notation {
            Notation::Json | Notation::Jsonl => &WHOLE,
            Notation::Csv => &WITHOUT_COMMENTS,
            Notation::Plies | Notation::Positions => &Form::MINIMAL,
        }
    }

    /// Whether positions are to be handed to [`Data::write`].
    pub(super) fn needs_positions(self) -> bool {
        self.positions || self.notation == Notation::Positions
    }

    /// Whether a record can be written; some position of its main line is known or not, whatever else there is in it.
    pub(super) fn can_write(self, record: &Record<'_>, is_known: bool) -> bool {
        is_known && self.writes_all() || refusal(record, self.form()).is_none()
    }

    /// Whether a record that is refused has its lines all the same.
    pub(super) fn writes_all(self) -> bool {
        self.notation == Notation::Positions
    }

    /// Whether the number of its record is to be put before each row.
    pub(super) fn numbers_rows(self) -> bool {
        self.notation == Notation::Csv
    }

    /// What stands before the first record.
    pub(super) fn head(self) -> &'static str {
        match (self.notation, self.positions) {
            (Notation::Json, _) => "[",
            (Notation::Csv, false) => csv::HEAD,
            (Notation::Csv, true) => csv::HEAD_WITH_POSITIONS,
            _ => "",
        }
    }

    /// What stands between two records.
    pub(super) fn between(self) -> &'static str {
        match self.notation {
            Notation::Json => ",",
            Notation::Positions => "\n",
            Notation::Jsonl | Notation::Csv | Notation::Plies => "",
        }
    }

    /// What stands behind the last record.
    pub(super) fn tail(self, written: bool) -> &'static str {
        match (self.notation, written) {
            (Notation::Json, true) => "\n]\n",
            (Notation::Json, false) => "]\n",
            _ => "",
        }
    }

    /// Writes a record, with what stands between two if it is not the first; `after` has the positions behind its plies, by their items, unless none is known.
    pub(super) fn write(self, record: &Record<'_>, after: Option<&[(usize, Position)]>, out: &mut Vec<u8>) {
        if !out.is_empty() {
            out.extend_from_slice(self.between().as_bytes());
        }
        let start = after.and(record.setup.position.as_ref());
        let known = Known { start, after: after.unwrap_or_default() };
        let known = self.needs_positions().then_some(known);
        match self.notation {
            Notation::Json => {
                out.push(b'\n');
                json::write(record, known, out);
            }
            Notation::Jsonl => {
                json::write(record, known, out);
                out.push(b'\n');
            }
            Notation::Csv => csv::write(record, known, out),
            Notation::Plies => plies(record, out),
            Notation::Positions => positions(record, known.unwrap_or_default(), out),
        }
    }
}

/// The main line's plies.
fn plies(record: &Record<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    for (_, item) in main_line(record.items).filter(|(_, item)| item.kind == ItemKind::Ply) {
        if out.len() > start {
            out.push(b' ');
        }
        if let Some(ply) = Ply::from_bits(item.value) {
            write_ply(ply, &Letters::STANDARD, Signs::CANONICAL, out);
        }
    }
    out.push(b'\n');
}

/// The main line's positions, before its first ply and behind each one.
fn positions(record: &Record<'_>, known: Known<'_>, out: &mut Vec<u8>) {
    let plies = main_line(record.items).filter(|(_, item)| item.kind == ItemKind::Ply);
    for position in std::iter::once(known.start).chain(plies.map(|(index, _)| known.behind(index))) {
        match position {
            Some(position) => pdtl::write(position, &Letters::STANDARD, out),
            None => out.push(b'?'),
        }
        out.push(b'\n');
    }
}

/// The positions of a record.
#[derive(Clone, Copy, Default)]
struct Known<'a> {
    /// Where it begins, unless nobody knows.
    start: Option<&'a Position>,
    /// Those behind its plies, by their items.
    after: &'a [(usize, Position)],
}

impl<'a> Known<'a> {
    /// The position behind the ply of this item.
    fn behind(self, item: usize) -> Option<&'a Position> {
        self.after.binary_search_by_key(&item, |(index, _)| *index).ok().map(|found| &self.after[found].1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::filter::write;
    use crate::replay::Replayer;
    use crate::syntax::{Begins, Reader};

    const TAGS: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X01-V\"]\n[Annotator \"Me\"]\n";

    fn formed(text: &[u8], then: impl FnOnce(&Record<'_>, Option<&[(usize, Position)]>)) {
        let mut reader = Reader::default();
        let mut record = reader.read(text, Begins::File);
        let mut after = Vec::new();
        let replayed = Replayer::default().replay_and(&mut record, |item, position| after.push((item, *position)));
        then(&record, replayed.last.map(|_| &after[..]));
    }

    fn canonical(text: &[u8]) -> String {
        let mut out = Vec::new();
        formed(text, |record, _| write(record, &Form::CANONICAL, &mut out).expect("it can be read"));
        String::from_utf8(out).unwrap()
    }

    fn data(notation: Notation, positions: bool, text: &str) -> String {
        let mut out = Vec::new();
        formed(text.as_bytes(), |record, after| {
            let data = Data { notation, positions };
            assert_eq!(crate::filter::refusal(record, data.form()), None);
            data.write(record, after, &mut out);
        });
        String::from_utf8(out).unwrap()
    }

    /// To JSON and back, in canonical form; both must be the same from what comes back.
    fn there_and_back(text: &str) -> String {
        let json = data(Notation::Jsonl, false, text);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
        assert!(value.is_object());
        let mut reader = FromJson::default();
        let mut back = Vec::new();
        reader.read(json.as_bytes(), &mut back).unwrap_or_else(|slip| panic!("{slip:?}: {json}"));
        let with = data(Notation::Jsonl, true, text);
        let mut again = Vec::new();
        reader.read(with.as_bytes(), &mut again).unwrap_or_else(|slip| panic!("{slip:?}: {with}"));
        assert_eq!(back, again);
        assert_eq!(canonical(&back), canonical(text.as_bytes()), "{json}");
        json
    }

    #[test]
    fn all_that_the_canonical_form_keeps_is_there() {
        let text = format!(
            "{TAGS}[Annotator \"a \\\"b\\\" \\\\\"]\n{{ about\ntwo lines }}\n{{: by a program}}\n\
             1. H6-H12 ?!, I23-I19 ?!(=)\n{{: @W: 0.3 }}\n{{ @W: odd }}\n{{@B even}}\n{{ }}\n\
             2. JF6-C15 $1 ±, GH26-Z11 (=)\n(2. E7-E13, E21-E15\n.{{ @W:a }}\n.(2. …, F20-F16 !)\n.3. F8-F12 +∞:\n)\n\
             ($[02] 2. G7-G11)\n3. L5-L7, NG25-L17\n;  b {{}} c\n4. EH4-H8, GZ11-L5\n5. I5-I9, NL17-G9\n\
             6. K4-K10, GL5-H6#\n0-3\n{{ the\r\nend }}\n{{ @w: \u{1F600}\\ }}\n"
        );
        let json = there_and_back(&text);
        for part in [
            r#"["Annotator","a \\\"b\\\" \\\\"]],"comments":[{"text":"about\ntwo lines"},{"automatic":true,"text":"by a program"}],"pairs":[{"number":1,"#,
            r#""white":{"piece":"P","from":"H6","to":"H12","valuation":"?!"},"black":{"piece":"P","from":"I23","to":"I19","valuation":"?!","offer":true},"comments":[{"player":"white","automatic":true,"text":"0.3"},{"player":"white","text":"odd"},{"player":"black","mark":"@B ","text":"even"},{"text":""}]}"#,
            r#""valuation":"! ±"},"black":{"piece":"G","from":"H26","to":"Z11","offer":true},"variations":[{"pairs":[{"number":2,"white":{"piece":"P","from":"E7","to":"E13"},"black":{"piece":"P","from":"E21","to":"E15"},"comments":[{"player":"white","mark":"@W:","text":"a"}],"variations":[{"pairs":[{"number":2,"black":{"piece":"P","from":"F20","to":"F16","valuation":"!"}}]}]},{"number":3,"white":{"piece":"P","from":"F8","to":"F12","sign":"+∞"}}]},{"label":2,"pairs":"#,
            r#""comments":[{"line":";","text":"  b {} c"}]}"#,
            r##""sign":"#"}}],"result":"0-3","final_comments":[{"text":"the\nend"},{"player":"white","mark":"@w: ","text":"😀\\"}]}"##,
        ] {
            assert!(json.contains(part), "{part}\n{json}");
        }
    }

    #[test]
    fn what_is_rare_comes_back_too() {
        let pdtl = "[PDTL \"/27:1k/25:r2r/3:R2R/1:1K/ b RKRrkr - 0 ?\"]\n";
        let first = "[PDTL \"/27:1k/14:3p3/12:3P3/1:1K/ w -- - 7 40\"]\n";
        for (tags, moves) in [
            ("", "1. E7-E13, E21-E15\n()\n($[3] 1. F8-F12)\n($[3] 1. F8-F10 : ) :\n*"),
            (pdtl, "1? …, KRK-HIO\n(1? …, KRD-DD\n.2. KG1-H2)\n2. KRR-HIH :\n*"),
            (pdtl, ":\n*\n"),
            (first, "40. KG1-G3 (=) :\n1-1\n%a}\n;b}\n"),
            ("[Redefine \"A@J, T@R, Q@D\"]\n", "1. AF6-C15\n{ ~A }\n*"),
            ("[Redefine \"FAN\"]\n", "1. ♗F6-C15, E21-E15\n{}\n{@W:}\n{: :@W: x}\n*"),
            ("", "7. E7-E13 :\n*"),
            ("[x9 \"\t\u{1} ], : {\"]\n", "1. E7-E13\n{ [Variant \n a\u{0}\"\\ \u{202E} }\n*"),
        ] {
            there_and_back(&format!("{TAGS}{tags}{moves}"));
        }
    }

    /// Depth takes no stack.
    #[test]
    fn variations_may_lie_in_variations_without_end() {
        let deep = 100_000;
        let text = format!("{TAGS}1. E7-E13\n{}{} :\n*\n", "(1. E7-E9\n".repeat(deep), ")".repeat(deep));
        let json = data(Notation::Jsonl, false, &text);
        let mut back = Vec::new();
        FromJson::default().read(json.as_bytes(), &mut back).unwrap();
        assert!(canonical(&back) == canonical(text.as_bytes()));
        let rows = data(Notation::Csv, false, &text);
        assert!(rows.ends_with(&format!("Me-X01-V,{deep},{},1,w,P,E7,E9,,,,,,,,E7-E9\n", deep - 1)), "its last row");
        assert!(FromJson::default().read(&json.as_bytes()[..json.len() / 2], &mut back).is_err(), "it breaks off");
    }

    const GOOD: &str = r#"{"tags":[["Variant","C'escacs"],["Id","Me-X01"],["Annotator","Me"]],"pairs":[{"number":1,"white":{"piece":"P","from":"E7","to":"E13"}}],"result":"*"}"#;

    fn read(json: &str) -> Result<String, (usize, String)> {
        let mut out = Vec::new();
        let read = FromJson::default().read(json.as_bytes(), &mut out).map_err(|slip| (slip.at, slip.what));
        read.map(|()| String::from_utf8(out).unwrap())
    }

    #[test]
    fn keys_may_stand_in_any_order() {
        let text = format!("{}1. E7-E13:\n*\n", TAGS.replace("-V", ""));
        assert_eq!(read(GOOD), Ok(text.clone()));
        let other = r#" { "result" : "*" , "pairs":[ {"white" :{"to":"E13","piece":"P","from":"E7","offer":false} ,"number":1, "comments":[],"variations":[]} ],
            "final_comments":[],"comments":[],"tags":[["Variant","C\u0027escacs"],["Id","Me-X01"],["Annotator","Me"]],"pdtl":null}"#;
        assert_eq!(read(other), Ok(text));
    }

    #[test]
    fn what_can_be_no_record_is_told_with_its_place() {
        for (part, other, at, what) in [
            ("", "", "", ""),
            (r#""result":"*"}"#, r#""result""#, "", "the line ends where `:` was expected"),
            (r#""*"}"#, r#""*"}}"#, "}", "`}` stands where the end of the line was expected"),
            (
                r#""result":"#,
                r#""Result":"#,
                "\"Result",
                "the key `Result` stands where only tags, pdtl, comments, pairs, result, final_comments can",
            ),
            (r#""result":"*""#, r#""pairs":[]"#, "\"pairs\":[]", "a second `pairs` in an object"),
            (r#","result":"*""#, "", "{\"tags", "`result` is missing in this object"),
            (
                r#""*""#,
                r#""1-0""#,
                "\"1-0",
                "`1-0` stands where one of `3-0`, `2-1`, `1-1`, `1-2`, `0-3`, `*` was expected",
            ),
            (
                r#""number":1"#,
                r#""number":"1""#,
                "\"1\"",
                "a string stands where a pair's number, or null, was expected",
            ),
            (r#""number":1,"#, "", "{\"white", "`number` is missing in this object"),
            (
                r#""piece":"P""#,
                r#""piece":"p""#,
                "\"p\"",
                "`p` stands where the letter of a piece, one of P, E, J, N, G, R, V, D, K, was expected",
            ),
            (r#""to":"E13""#, r#""to":"E14""#, "\"E14", "`E14` is no hex"),
            (r#""to":"E13""#, r#""to":"E13=D""#, "\"E13=D", "`E13=D` is no hex"),
            (r#","to":"E13""#, "", "{\"piece", "`piece`, `from` and `to` are needed without `castling`"),
            (r#"E13""#, r#"E13","captured":"P""#, "{\"piece", "`capture` and `captured` stand together, or not at all"),
            (
                r#"E13""#,
                r#"E13","promotion":"K""#,
                "\"K\"",
                "`K` stands where `&`, or the letter of what a pawn becomes, was expected",
            ),
            (
                r#"E13""#,
                r#"E13","castling":"KRK-HIO""#,
                "{\"piece",
                "`castling` with other values than those of its king",
            ),
            (
                r#"E13""#,
                r#"E13","sign":"^+""#,
                "\"^+",
                "`^+` stands where one of `+`, `+∞`, `+^`, `++`, `#` was expected",
            ),
            (r#"E13""#, r#"E13","valuation":"! 2. E9-E11""#, "\"! 2", "`2.` is no valuation, as `!` or `?!` is"),
            (r#"E13""#, r#"E13","valuation":"+""#, "{\"piece", "a ply that would be read otherwise"),
            (r#"E13""#, r#"E13","offer":1"#, "1}}", "a number stands where true or false was expected"),
            (r#"E13""#, r#"E13","pdtl":"/ w""#, "\"/ w", "this ply leads to another position, "),
            (r#"E13"}"#, r#"E13"},"comments":[{"text":"} 2. E9-E11 {"}]"#, "\"} 2", "`}` in a comment, which ends it"),
            (
                r#"E13"}"#,
                r#"E13"},"comments":[{"text":"@W: a"}]"#,
                "\"@W: a",
                "the text says `@W`, and `player` does not",
            ),
            (
                r#"E13"}"#,
                r#"E13"},"comments":[{"text":"a","player":"black","mark":"B: "}]"#,
                "{\"text",
                "`mark` begins with neither `@W` nor `@B`, as its player has it",
            ),
            (
                r#"E13"}"#,
                r#"E13"},"comments":[{"text":"a\n}","line":";"}]"#,
                "\"a\\n",
                "a line end in a comment that ends with its line",
            ),
            (
                r#"E13"}"#,
                r#"E13"},"comments":[{"text":"a\n[Variant \"x\"]\n{"}]"#,
                "{\"tags",
                "a text in this record would be read as another record",
            ),
            (r#""Annotator""#, r#""Annotator \"x\"]\n[Lang""#, "[\"Annotator", "a tag that would be read otherwise: "),
            (r#""Me""#, r#""Me\"]\n{ a }\n[Lang \"en""#, "[\"Annotator", "a tag that would be read otherwise: "),
            (r#""Me""#, r#""Me\n""#, "[\"Annotator", "a tag that would be read otherwise: "),
            (r#""Me""#, r#""M\\""#, "[\"Annotator", "a tag that would be read otherwise: "),
            (r#"["Id","Me-X01"]"#, r#"["Id"]"#, "],[\"Ann", "`]` stands where `,` was expected"),
            (r#""white""#, r#""black""#, "", ""),
        ] {
            let json = GOOD.replacen(part, other, 1);
            let read = read(&json);
            if what.is_empty() {
                assert!(read.is_ok(), "{read:?}");
            } else {
                let (place, told) = read.expect_err(&json);
                assert!(told.starts_with(what), "{told}\n{json}");
                assert_eq!(json[place..].get(..at.len()), Some(at), "{told}\n{json}");
            }
        }
        assert_eq!(read("[]").unwrap_err(), (0, "an array stands where an object, a record, was expected".to_owned()));
    }

    proptest! {
        #[test]
        fn json_spoilt_at_random_makes_one_record_or_none(
            spoilt in prop::collection::vec((any::<prop::sample::Index>(), 0..6_usize, prop::sample::select(BITS)), 1..4),
        ) {
            let text = format!("{TAGS}{{ a }}\n1. E7-E13 !, E21-E15\n{{ @W: b }}\n(1. …, JF22-C11 (=)\n.{{ c }}) :\n*\n{{ d }}\n");
            let mut json = data(Notation::Jsonl, true, &text).into_bytes();
            for (at, len, bit) in spoilt {
                let at = at.index(json.len());
                let end = json.len().min(at + len);
                json.splice(at..end, bit.bytes());
            }
            let mut out = Vec::new();
            if FromJson::default().read(&json, &mut out).is_ok() {
                let (mut splitter, mut others) = (crate::source::Splitter::default(), Vec::new());
                splitter.scan(&out, true, &mut others);
                prop_assert!(others.is_empty());
            }
        }
    }

    const BITS: &[&str] = &[
        "",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\n",
        "\\u",
        "null",
        "true",
        "-",
        "0",
        "7",
        "\u{FEFF}",
        "×",
        "\n",
        "[Variant",
        "\\n[Variant \\\"x\\\"]\\n{",
        "]\\n[Id",
        "@B",
        "}",
        "\"text\":",
        "\"pairs\":[],",
        "{\"number\":2},",
        "E14",
        "=D",
        "(=)",
        "#",
    ];

    #[test]
    fn rows_have_quotes_where_they_need_them() {
        let text =
            format!("{}1. E7-E13 ! ±, E21-E15 (=)\n(1. …, JF22-C11)\n*", TAGS.replace("Me-X01-V", "a, \\\"b\\\""));
        let id = r#""a, \""b\""""#;
        assert_eq!(
            data(Notation::Csv, false, &text),
            format!(
                "{id},0,,1,w,P,E7,E13,,,,,,! ±,,E7-E13\n{id},0,,1,b,P,E21,E15,,,,,,,(=),E21-E15\n{id},1,0,1,b,J,F22,C11,,,,,,,,JF22-C11\n"
            )
        );
        let text = format!("{TAGS}[PDTL \"/27:1k/14:3p3/12:3P3/1:1K/ w -- - 7 ?\"]\n1? KG1-G3 :\n*\n");
        let row = "Me-X01-V,0,,?,w,K,G1,G3,,,,,,,,KG1-G3,/27:1k/14:3p3/12:3P3/3:2K1/ b -- - 8 ?\n";
        assert_eq!(data(Notation::Csv, true, &text), row);
    }

    #[test]
    fn plies_and_positions_are_those_of_the_main_line() {
        let pdtl = "[PDTL \"/27:1k/14:3p3/12:3P3/1:1K/ w -- - 7 40\"]\n";
        let text = format!("{TAGS}[Redefine \"A@J\"]\n1. AF6-C15 !, E21-E15\n(1. …, E21-E17)\n2. AC15-C13 :\n*\n");
        assert_eq!(data(Notation::Plies, false, &text), "JF6-C15 E21-E15 JC15-C13\n");
        assert_eq!(data(Notation::Plies, false, &format!("{TAGS}{pdtl}*\n")), "\n");
        let text = format!("{TAGS}{pdtl}40. KG1-G3, KG27-G25\n(40. …, KG27-H26) :\n*\n");
        let board = "/14:3p3/12:3P3";
        assert_eq!(
            data(Notation::Positions, false, &text),
            format!(
                "/27:1k{board}/1:1K/ w -- - 7 40\n/27:1k{board}/3:2K1/ b -- - 8 40\n/25:2k1{board}/3:2K1/ w -- - 9 41\n"
            )
        );
        assert_eq!(data(Notation::Positions, false, &format!("{TAGS}7. E7-E13 :\n*\n")), "?\n?\n");
    }
}
