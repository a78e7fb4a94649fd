//! Writes an archive to standard output: `cargo run --release --example generate -- --records 1000 --preset rich`.

#[path = "generate.rs"]
mod generate;

use std::io::{self, BufWriter, Write};

use clap::{Parser, ValueEnum};
use generate::Plan;

/// Writes an archive of random games in CTL-PGN to standard output, the same for the same arguments
#[derive(Parser)]
#[command(name = "generate")]
struct Arguments {
    /// How many records
    #[arg(long, default_value_t = 100)]
    records: u64,
    /// Another seed, other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// So many records in a hundred get one fault
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100))]
    faults: u32,
    /// What the records hold
    #[arg(long, value_enum, default_value_t = Preset::Plain)]
    preset: Preset,
}

#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    /// Bare games
    Plain,
    /// A comment every second pair
    Commented,
    /// Comments, variations, other letters, positions, Ids
    Rich,
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let preset = match arguments.preset {
        Preset::Plain => Plan::plain(),
        Preset::Commented => Plan::commented(),
        Preset::Rich => Plan::rich(),
    };
    let plan = Plan { seed: arguments.seed, records: arguments.records, ..preset }.with_faults(arguments.faults);
    let mut out = BufWriter::new(io::stdout().lock());
    let summary = generate::write(plan, &mut out)?;
    out.flush()?;
    let generate::Summary { records, plies, bytes, faults } = summary;
    writeln!(io::stderr(), "{records} records, {plies} plies, {bytes} bytes, {faults} faults")
}
