//! Parts of records as records of their own (§13.8, §13.9), on archives of the generator: each reads without fault and leads
//! where its plies led in the record it was taken from.

#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

#[path = "../../benches/generate.rs"]
mod generate;

use std::fs;
use std::ops::ControlFlow;

use ctl::driver::Options;
use ctl::filter::{self, Form, Gather, Take, Told, Wanted};
use ctl::game::Position;
use ctl::lint::{Catalogue, Linter, Selection};
use ctl::notation::{Fragment, Letters, pdtl};
use ctl::replay::Replayer;
use ctl::source::{Input, Splitter};
use ctl::syntax::{Begins, Item, ItemKind, Reader, Spelt, TagName, main_line};
use generate::random::Random;
use generate::{Archive, Plan};
use proptest::prelude::*;

/// What is taken of an archive, and how many findings that gives.
fn taken(text: &[u8], take: &Take) -> (Vec<u8>, u64) {
    filtered(text, &Wanted::Parts(take.clone(), Form::CANONICAL))
}

/// Records of an archive put together, and how many findings that gives.
fn gathered(text: &[u8], how: Gather) -> (Vec<u8>, u64) {
    filtered(text, &Wanted::Gathered(how, Form::CANONICAL))
}

/// The canonical form of an archive without faults.
fn canonical(text: &[u8]) -> Vec<u8> {
    let (out, findings) = filtered(text, &Wanted::Records(Form::CANONICAL));
    assert_eq!(findings, 0);
    out
}

fn filtered(text: &[u8], wanted: &Wanted) -> (Vec<u8>, u64) {
    filtered_by(text, wanted, &Options::default())
}

fn filtered_by(text: &[u8], wanted: &Wanted, options: &Options) -> (Vec<u8>, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("archive.ctl-pgn");
    fs::write(&file, text).expect("written");
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::usual(catalogue));
    let (mut out, mut findings) = (Vec::new(), 0);
    filter::run(&[Input::File(file)], options, &linter, wanted, false, |told| {
        match told {
            Told::Text(text) => out.extend_from_slice(text),
            Told::Finding(..) => findings += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    });
    (out, findings)
}

fn records(text: &[u8]) -> Vec<&[u8]> {
    let mut cuts = vec![0];
    Splitter::default().scan(text, true, &mut cuts);
    let ends = cuts.iter().copied().skip(1).chain([text.len() as u32]);
    cuts.iter().zip(ends).map(|(from, to)| &text[*from as usize..to as usize]).collect()
}

fn shown(position: &Position) -> String {
    let mut out = Vec::new();
    pdtl::write(position, &Letters::STANDARD, &mut out);
    String::from_utf8(out).expect("letters and digits")
}

/// A record's items, the position behind each ply, and its Id.
struct Read {
    items: Vec<Item>,
    after: Vec<(usize, Position)>,
    id: Option<String>,
    has_pdtl: bool,
}

/// Reads a record that has no fault.
fn read(text: &[u8]) -> Read {
    let mut reader = Reader::default();
    let mut record = reader.read(text, Begins::Line);
    let mut after = Vec::new();
    Replayer::default().replay_and(&mut record, |item, position| after.push((item, *position)));
    assert!(record.faults.is_empty(), "{:?}\n{}", record.faults, String::from_utf8_lossy(text));
    let id = record.value(TagName::Id).map(|id| String::from_utf8_lossy(id).into_owned());
    assert_eq!(id.is_some(), record.id.is_some(), "{id:?} is no identifier");
    Read { items: record.items.to_vec(), after, id, has_pdtl: record.setup.has_pdtl }
}

/// Where a record's lines end, in no order.
fn ends(read: &Read) -> Vec<String> {
    let is_last = |index: usize| {
        let mut behind = read.items[index + 1..].iter();
        let mut depth = 0;
        let next = behind.find(|item| {
            depth += i32::from(item.kind == ItemKind::Open) - i32::from(item.kind == ItemKind::Close);
            depth < 0 || depth == 0 && matches!(item.kind, ItemKind::Ply | ItemKind::Result)
        });
        next.is_none_or(|item| item.kind != ItemKind::Ply)
    };
    let mut ends: Vec<_> =
        read.after.iter().filter(|(item, _)| is_last(*item)).map(|(_, position)| shown(position)).collect();
    ends.sort();
    ends
}

#[test]
fn every_line_is_there_and_ends_where_it_did() {
    let plan = Plan { seed: 7, records: 200, ..Plan::rich() };
    let mut lines = 0;
    for record in Archive::new(plan) {
        let source = read(&record.text);
        let (out, findings) = taken(&record.text, &Take::EveryLine);
        assert_eq!(findings, 0);
        let parts: Vec<_> = records(&out).into_iter().map(read).collect();
        let variations = source.items.iter().filter(|item| item.kind == ItemKind::Open).count();
        assert_eq!(parts.len(), variations + 1);
        assert!(parts.iter().all(|part| part.items.iter().all(|item| item.kind != ItemKind::Open)));
        if !source.after.is_empty() {
            let mut reached: Vec<_> = parts.iter().flat_map(ends).collect();
            reached.sort();
            assert_eq!(reached, ends(&source), "{}", String::from_utf8_lossy(&record.text));
        }
        let mut ids: Vec<_> = parts.iter().filter_map(|part| part.id.clone()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), if source.id.is_some() { parts.len() } else { 0 });
        lines += variations;
    }
    assert!(lines > 300, "{lines} variations are too few to show anything");
}

fn shown_text(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Where texts first differ: some lines of the one, and of the other.
fn difference(want: &[u8], got: &[u8]) -> String {
    let (want, got) = (shown_text(want), shown_text(got));
    let same = want.lines().zip(got.lines()).take_while(|(want, got)| want == got).count();
    let some = |text: &str| text.lines().skip(same.saturating_sub(4)).take(12).collect::<Vec<_>>().join("\n");
    format!("{}\n--\n{}\n--\n{}", want.lines().take(12).collect::<Vec<_>>().join("\n"), some(&want), some(&got))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// The same lines again; and but for labels, which no line has, and White's plies that are copied where `…` might stand, the
    /// same record.
    #[test]
    fn lines_are_merged_into_what_they_were_taken_from(seed: u64, labels in 0..2_u32) {
        let plan = Plan { seed, records: 8, labels: 50 * labels, ids: 100, variations: 25, plies: 1..=60, ..Plan::rich() };
        for record in Archive::new(plan) {
            let want = canonical(&record.text);
            let (lines, _) = taken(&record.text, &Take::EveryLine);
            let (merged, findings) = gathered(&lines, Gather::Lines);
            prop_assert_eq!(findings, 0, "{}", shown_text(&want));
            let (again, _) = taken(&merged, &Take::EveryLine);
            prop_assert!(again == lines, "{}", difference(&lines, &again));
            let (source, merged_record) = (read(&record.text), read(&merged));
            prop_assert!(ends(&merged_record) == ends(&source), "{}", difference(&want, &merged));
            if labels == 0 && !copies_white(&source.items) {
                prop_assert!(merged == want, "{}", difference(&want, &merged));
            }
        }
    }

    /// A game in fragments, cut before any ply. Of a pair that is cut alternatives to White's ply come first.
    #[test]
    fn fragments_are_joined_into_what_they_were_taken_from(seed: u64) {
        let plan = Plan { seed, records: 8, ids: 100, plies: 1..=60, ..Plan::rich() };
        let mut random = Random::of(seed, 1);
        for record in Archive::new(plan) {
            let want = canonical(&record.text);
            let Some(names) = stretches(&read(&record.text), &mut random) else { continue };
            let parts = names.iter().map(|name| {
                let fragment = Fragment::parse(name).expect("pairs in their order");
                let (out, findings) = taken(&record.text, &Take::Fragment(fragment));
                assert_eq!(findings, 0, "{name}\n{}", shown_text(&record.text));
                out
            });
            let parts = parts.collect::<Vec<_>>().join(&b'\n');
            let (joined, findings) = gathered(&parts, Gather::Fragments);
            prop_assert!(sorted_lines(&joined) == sorted_lines(&want), "{:?}\n{}\n{}", names, shown_text(&parts), difference(&want, &joined));

            if !mixes_alternatives(&read(&want).items) {
                prop_assert!(joined == want, "{:?}\n{}", names, difference(&want, &joined));
            }
            prop_assert_eq!(findings, 0);
        }
    }
}

fn sorted_lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines
}

/// Whether a variation begins with the ply of White that it replaces.
fn copies_white(items: &[Item]) -> bool {
    let mut white = vec![(None, None)];
    items.iter().any(|item| {
        match (item.kind, white.last_mut()) {
            (ItemKind::Open, Some(&mut (own, _))) => white.push((None, own)),
            (ItemKind::Close, _) => {
                white.pop();
            }
            (ItemKind::Ply, Some((own, replaced))) if !item.spelt.has(Spelt::BLACK) => {
                *own = Some(item.value);
                return replaced.take() == *own;
            }
            (ItemKind::Ply | ItemKind::Ellipsis, Some((_, replaced))) => *replaced = None,
            _ => {}
        }
        false
    })
}

/// Whether in the main line an alternative to Black's ply precedes one to White's ply of the same pair.
fn mixes_alternatives(items: &[Item]) -> bool {
    let mut of_black = false;
    main_line_and_opens(items).any(|(kind, next)| {
        let is_black = next == Some(ItemKind::Ellipsis);
        of_black = kind == ItemKind::Open && (of_black || is_black);
        of_black && !is_black
    })
}

/// The pairs of the main line, and their alternatives, with what these begin with.
fn main_line_and_opens(items: &[Item]) -> impl Iterator<Item = (ItemKind, Option<ItemKind>)> {
    let mut depth = 0;
    items.iter().enumerate().filter_map(move |(index, item)| {
        let outside = depth == 0;
        depth += i32::from(item.kind == ItemKind::Open) - i32::from(item.kind == ItemKind::Close);
        let first = || items[index..].iter().find(|item| matches!(item.kind, ItemKind::Ellipsis | ItemKind::Ply));
        match item.kind {
            ItemKind::Number if outside => Some((ItemKind::Number, None)),
            ItemKind::Open if outside => Some((ItemKind::Open, first().map(|item| item.kind))),
            _ => None,
        }
    })
}

/// Fragments that cover a record's main line, as many as it pleases.
fn stretches(source: &Read, random: &mut Random) -> Option<Vec<String>> {
    let mut plies: Vec<(u32, bool)> = Vec::new();
    let mut number = 0;
    for (_, item) in main_line(&source.items) {
        match item.kind {
            ItemKind::Number if item.spelt.has(Spelt::UNKNOWN) => return None,
            ItemKind::Number => number = item.value,
            ItemKind::Ply => plies.push((number, item.spelt.has(Spelt::BLACK))),
            _ => {}
        }
    }
    let mut cuts: Vec<usize> = (1..plies.len()).filter(|_| random.percent(15)).collect();
    cuts.insert(0, 0);
    cuts.push(plies.len());
    let has_opening = plies.first() == Some(&(1, false)) && !source.has_pdtl;
    let name = |(index, cut): (usize, &[usize])| {
        let ((first, black), (last, ends)) = (plies[cut[0]], plies[cut[1] - 1]);
        let (b, w) = (if black { "b" } else { "" }, if ends { "" } else { "w" });
        match index {
            0 if has_opening && cut[1] < plies.len() => format!("O{last}{w}"),
            _ if cut[1] == plies.len() => format!("E{first}{b}"),
            _ => format!("{}{first}{b}-{last}{w}", if index % 2 == 0 { 'C' } else { 'M' }),
        }
    };
    (plies.len() > 1 && cuts.len() > 2).then(|| cuts.windows(2).enumerate().map(name).collect())
}

#[test]
fn the_authors_example_is_taken_apart_and_put_together() {
    let text = include_bytes!("../../testdata/examples/fools-mate-variations.ctl-pgn");
    let source = read(text);
    let (lines, findings) = taken(text, &Take::EveryLine);
    assert_eq!(findings, 0);
    let parts: Vec<_> = records(&lines).into_iter().map(read).collect();
    let ids: Vec<_> = parts.iter().map(|part| part.id.as_deref().expect("each has one")).collect();
    let of = ["", "-V-S:0:0:1", "-V-S:0:0:2", "-V-S:0:1", "-V-S:0:2", "-V-S:0:2:1", "-V-S:1"];
    assert_eq!(ids, of.map(|line| format!("Cescacs-X01{line}-ca")));
    let mut reached: Vec<_> = parts.iter().flat_map(ends).collect();
    reached.sort();
    assert_eq!(reached, ends(&source));
    let lengths = parts.iter().map(|part| part.items.iter().filter(|item| item.kind == ItemKind::Ply).count());
    assert_eq!(lengths.collect::<Vec<_>>(), [12, 11, 11, 9, 13, 12, 7]);
    assert_eq!(gathered(&lines, Gather::Lines), (canonical(text), 0));
}

#[test]
fn what_is_too_long_together_is_refused() {
    let text = include_bytes!("../../testdata/examples/fools-mate-variations.ctl-pgn");
    let (lines, _) = taken(text, &Take::EveryLine);
    let behind = b"\n[Variant \"C'escacs\"]\n[Id \"Me-X1\"]\n[Annotator \"Me\"]\n1. E7-E13:\n*\n";
    let all = [&lines[..], behind].concat();
    let wanted = Wanted::Gathered(Gather::Lines, Form::CANONICAL);
    // With the empty line behind them.
    let length = lines.len() + 1;
    for record in [length - 1, length / 2] {
        let options = Options { record, ..Options::default() };
        let (out, findings) = filtered_by(&all, &wanted, &options);
        assert_eq!((shown_text(&out), findings), (shown_text(&behind[1..]), 7));
    }
    let options = Options { record: length, ..Options::default() };
    assert_eq!(filtered_by(&all, &wanted, &options), ([canonical(text), behind.to_vec()].concat(), 0));
}

#[test]
fn fragments_lead_where_their_pairs_did() {
    let plan = Plan { seed: 8, records: 300, ..Plan::rich() };
    let mut random = Random::of(8, 0);
    let mut count = 0;
    for record in Archive::new(plan) {
        let source = read(&record.text);
        let numbers: Vec<_> = main_line(&source.items).filter(|(_, item)| item.kind == ItemKind::Number).collect();
        if numbers.len() < 2 || numbers[0].1.spelt.has(Spelt::UNKNOWN) {
            continue;
        }
        let first = random.below(numbers.len() as u32) as usize;
        let last = first + random.below((numbers.len() - first) as u32) as usize;
        let pair = |index: usize| {
            let end = numbers.get(index + 1).map_or(source.items.len(), |(at, _)| *at);
            let plies = main_line(&source.items[..end])
                .filter(|(at, item)| *at > numbers[index].0 && item.kind == ItemKind::Ply);
            plies.map(|(at, _)| at).collect::<Vec<_>>()
        };
        let is_whole = |index: usize| pair(index).len() == 2;
        let black = random.percent(50) && is_whole(first);
        let white = random.percent(50) && is_whole(last) && !(black && first == last);
        let mark = |is_set: bool, mark| if is_set { mark } else { "" };
        let name =
            format!("M{}{}-{}{}", numbers[first].1.value, mark(black, "b"), numbers[last].1.value, mark(white, "w"));
        let fragment = Fragment::parse(&name).expect("pairs in their order");
        let (out, findings) = taken(&record.text, &Take::Fragment(fragment));
        let shown_record =
            || format!("{name}\n{}\n->\n{}", String::from_utf8_lossy(&record.text), String::from_utf8_lossy(&out));
        assert_eq!(findings, 0, "{}", shown_record());
        let part = read(&out);
        let plies = pair(last);
        let end = if white { plies[0] } else { *plies.last().expect("a pair has a ply") };
        let wanted = source.after.iter().find(|(item, _)| *item == end).expect("it is replayed").1;
        let reached = main_line(&part.items).filter(|(_, item)| item.kind == ItemKind::Ply).last().expect("a ply").0;
        let reached = part.after.iter().find(|(item, _)| *item == reached).expect("it is replayed").1;
        assert_eq!(shown(&reached), shown(&wanted), "{}", shown_record());
        count += 1;
    }
    assert!(count > 150, "{count} fragments are too few to show anything");
}
