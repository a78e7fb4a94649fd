//! Archives of the generator: clean records read and replay as they were played, and every fault is noticed.

#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

#[path = "../../benches/generate.rs"]
mod generate;

use ctl::game::Position;
use ctl::notation::{Letters, pdtl};
use ctl::replay::{Replayed, Replayer};
use ctl::syntax::{Begins, Reader};
use generate::faults::{FAULTS, SeenBy};
use generate::random::Random;
use generate::{Archive, Plan};

/// What the reader and the replay find in a record, by name, and where the replay ends.
fn replay(text: &[u8]) -> (Replayed, Vec<String>) {
    let mut reader = Reader::default();
    let mut record = reader.read(text, Begins::Line);
    let replayed = Replayer::default().replay(&mut record);
    let faults = record.faults.iter().map(|fault| {
        let shown = &text[fault.at as usize..fault.end() as usize];
        format!("{} {}", fault.kind.name(), String::from_utf8_lossy(shown))
    });
    (replayed, faults.collect())
}

fn shown(position: &Position) -> String {
    let mut out = Vec::new();
    pdtl::write(position, &Letters::STANDARD, &mut out);
    String::from_utf8(out).expect("letters and digits")
}

fn rich(records: u64) -> Plan {
    Plan { seed: 20_261_130, records, ..Plan::rich() }
}

#[test]
fn records_without_faults_are_clean_and_replay_to_what_was_played() {
    for plan in [rich(300), Plan::commented()] {
        for record in Archive::new(plan) {
            let text = String::from_utf8(record.text).expect("UTF-8");
            let (replayed, faults) = replay(text.as_bytes());
            assert!(faults.is_empty(), "{faults:?}\n{text}");
            let last = replayed.last.expect("every position is known");
            assert_eq!(shown(&last), shown(&record.written.last), "{text}");
            assert_eq!(replayed.plies, record.written.plies, "{text}");
        }
    }
}

#[test]
fn an_archive_has_all_that_was_asked_for() {
    let mut bytes = Vec::new();
    let summary = generate::write(rich(300), &mut bytes).expect("a vector takes all");
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert_eq!((summary.records, summary.bytes), (300, text.len() as u64));
    assert_eq!(text.matches("[Variant \"C'escacs\"]\n").count(), 300);
    assert_eq!(text.matches("\n\n[Variant").count(), 299);
    for part in [
        "\n(",
        "\n.(",
        "\n..(",
        "($[1] ",
        "($[2] ",
        "(5. …, ",
        ".)",
        "{ @W: ",
        "{ @B: ",
        "{: @W: ",
        " ?!",
        " (=)",
        "(=),",
        " :\n",
        "\n3-0\n",
        "\n0-3\n",
        "\n1-1\n",
        "\n*\n",
        "[Redefine \"A@J",
        "[Redefine \"FAN\"]",
        "♘",
        "🩏",
        "[PDTL \"/",
        "1? ",
        "[Id \"Walker-X",
        "-V-en\"]",
        "KRK-",
        "KRD-",
        "KRR-",
        "KTK-",
        "@",
        "=D",
        "=&",
        "‐",
        "*N",
        "+^",
        "+∞",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn the_same_plan_gives_the_same_bytes_and_faults_stay_in_their_records() {
    let write = |plan: Plan| {
        let mut bytes = Vec::new();
        generate::write(plan, &mut bytes).expect("a vector takes all");
        bytes
    };
    assert_eq!(write(rich(40).with_faults(30)), write(rich(40).with_faults(30)));
    assert_ne!(write(rich(40)), write(Plan { seed: 2, ..rich(40) }));
    for (clean, spoilt) in Archive::new(rich(200)).zip(Archive::new(rich(200).with_faults(50))) {
        assert_eq!(clean.text == spoilt.text, spoilt.fault.is_none());
    }
}

#[test]
fn every_fault_is_noticed() {
    let records: Vec<_> = Archive::new(rich(300)).collect();
    for (number, fault) in FAULTS.iter().enumerate() {
        let mut struck = 0;
        for (index, record) in records.iter().enumerate() {
            let mut random = Random::of(number as u64, index as u64);
            let Some(text) = fault.strike(&record.written, &mut random) else { continue };
            assert_ne!(text, record.text, "{}", fault.name);
            let (_, faults) = replay(&text);
            let noticed = !faults.is_empty();
            let text = String::from_utf8_lossy(&text);
            assert_eq!(noticed, fault.seen_by == SeenBy::Reading, "{} {faults:?}\n{text}", fault.name);
            struck += 1;
            if struck == 25 {
                break;
            }
        }
        assert!(struck >= 3, "{} strikes {struck} of {} records", fault.name, records.len());
    }
}
