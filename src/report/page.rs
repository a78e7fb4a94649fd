//! A rule's page as people read it, without what only tests need.

use std::io::{self, Write};

use super::escape;
use crate::lint::catalogue::Block;
use crate::lint::{Catalogue, RuleId};

/// Writes the prose of a rule's page and its samples, each behind an empty line. It is Markdown too: samples are indented.
pub fn write(catalogue: &Catalogue, id: RuleId, out: &mut dyn Write) -> io::Result<()> {
    for block in catalogue.blocks(id) {
        match block {
            Block::Prose(text) if text.trim().is_empty() => {}
            Block::Prose(text) => writeln!(out, "\n{}", text.trim())?,
            Block::Fence { info: "toml" | "expect", .. } => {}
            Block::Fence { info, text } => write_sample(info.trim_start_matches("ctl-pgn "), text, out)?,
        }
    }
    Ok(())
}

fn write_sample(title: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{title}:\n")?;
    for line in text.lines() {
        writeln!(out, "    {}", escape::line(line.as_bytes()))?;
    }
    Ok(())
}
