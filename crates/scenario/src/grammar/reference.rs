//! Reference page of all keys.

use crate::grammar::key::{Choice, Key, OmittedValue, ValueKind, Variant};
use crate::grammar::quantity::{self, describe_expected};
use std::fmt::Write;

/// Returns a Markdown page with these keys and the keys of their tables, each with its kind of value and its
/// default.
pub(crate) fn render_reference(keys: &[Key]) -> String {
    let mut page = String::from(
        "# Scenario files: every key\n\n\
         A scenario is a TOML file. Quantities are texts with a unit (`\"10 ms\"`, `\"5.5 Mbit/s\"`, `\"1000 B\"`, `\"40 m\"`);\n\
         only counts, probabilities, numbers of segments and the coordinates in `stations` (metres) are plain numbers. Unknown keys\n\
         are errors.\n\n\
         The path of a key selects the value to change, on the command line (`--set`) and in Python (`with_`). In a path the `name` of\n\
         a table selects the table in its list: `wlan.cell.errors.fer=0.02`, `flow.ftp.tcp.preset=ns2`. `all` in place of a name\n\
         selects all tables of the list: `flow.all.segment=\"500 B\"`. `scheme=sack` sets the scheme of every TCP flow. `airhop show`\n\
         prints a scenario with the values of all keys, defaults included.\n\n\
         A table or a station whose name contains a `*` stands for `copies` copies: `name = \"ftp*\"` with `copies = 3` defines `ftp1`,\n\
         `ftp2` and `ftp3`. A `*` in the `ends`, `from`, `to`, `stations` and `direction` of a copy becomes the number of the copy. The\n\
         path of a key of the copies has the name with the `*`: `flow.ftp*.start=\"1 s\"`.\n",
    );
    write_section("", "The file", keys, &mut page);
    page
}

/// Notes printed before the keys of some tables.
const NOTES: [(&str, &str); 1] = [("radio", RADIO_NOTE)];

const RADIO_NOTE: &str = "\
A radio link joins two nodes by a channel in each direction, without contention. `arq` selects the link-layer ARQ, which
retransmits frames without a link ACK: a channel error then delays a packet instead of losing it.

A packet waits in the queue while the window of `arq` is full: the length of `queue` excludes unacknowledged frames. A transmitter
sends link ACKs before data frames, and channel errors affect link ACKs, too.

Kounavis 1996 specifies go-back-n with a window of three towards the mobile, and selective repeat in the other direction. The paper
specifies neither delay nor timeouts nor the length of link ACKs nor the window of selective repeat: these defaults are Airhop's
choice. Without `attempts` the ARQ never discards a frame; Bakshi et al. 1997 discard a frame after 13 attempts. A link that detects
each loss 80 to 100 ms after the transmission, as in UMTS R99 (Yun 2009 §2.2), is `stop-and-wait` with `timeout = \"90 ms\"`.

";

fn write_section(path: &str, title: &str, keys: &[Key], page: &mut String) {
    let _ = write!(page, "\n## {title}\n\n");
    if let Some((_, note)) = NOTES.iter().find(|(table, _)| *table == path) {
        page.push_str(note);
    }
    write_rows(keys, page);
    for key in keys {
        let path = if path.is_empty() { key.name.to_string() } else { format!("{path}.{}", key.name) };
        match &key.kind {
            ValueKind::Tables(keys) => write_section(&path, &format!("`[[{path}]]`"), keys, page),
            ValueKind::Section(keys)
            | ValueKind::Sections(keys)
            | ValueKind::Switch(keys)
            | ValueKind::RateOrTable(keys) => write_section(&path, &format!("`{path}`"), keys, page),
            ValueKind::Choice(choice) | ValueKind::Choices(choice) => {
                write_variants(&path, choice, key.kind.may_be_list(), page)
            }
            _ => {}
        }
    }
}

fn write_variants(path: &str, choice: &Choice, listed: bool, page: &mut String) {
    let _ = write!(page, "\n## `{path}`\n");
    for variant in choice.variants {
        let _ = write!(page, "\n`kind = \"{}\"`: {}\n", variant.kind, variant.about);
        let keys = variant.keys(listed);
        if !keys.is_empty() {
            page.push('\n');
            write_rows(keys, page);
        }
    }
    for variant in choice.variants {
        write_distributions(path, variant, page);
    }
}

/// Writes a section for each key of this kind whose value may be a distribution.
fn write_distributions(path: &str, variant: &Variant, page: &mut String) {
    for key in variant.keys {
        if let ValueKind::Drawn { choice, .. } = &key.kind {
            write_variants(&format!("{path}.{}", key.name), choice, false, page);
        }
    }
}

fn write_rows(keys: &[Key], page: &mut String) {
    page.push_str("| key | description | value | default |\n|---|---|---|---|\n");
    for key in keys.iter().filter(|key| !matches!(key.kind, ValueKind::NotYet(_))) {
        let value = describe_expected(&key.kind).replace("expected ", "").replace('|', "\\|");
        let _ = writeln!(page, "| `{}` | {} | {value} | {} |", key.name, key.about, describe_omitted(key));
    }
}

fn describe_omitted(key: &Key) -> String {
    match key.when_omitted {
        OmittedValue::Required => "required".to_string(),
        OmittedValue::Value(text) => format!("`{text}`"),
        OmittedValue::Derived(rule) => rule.to_string(),
        OmittedValue::Nothing(meaning) => meaning.to_string(),
        OmittedValue::Preset(of_presets) => {
            let one = |(preset, val)| {
                let text = quantity::format_value(&val).unwrap_or_else(|| "true".to_string());
                format!("{preset} `{text}`")
            };
            of_presets(key.name).into_iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::SCENARIO_KEYS;

    /// Every preset that is listed as the default of a key has a value. An entry such as `"rfc ``"` would be
    /// useless.
    #[test]
    fn every_preset_default_of_the_reference_page_has_a_value() {
        let page = render_reference(&SCENARIO_KEYS);
        let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| `")).collect();
        assert!(rows.len() > 150, "{} rows", rows.len());
        for row in rows {
            let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            assert!(cells.iter().all(|cell| !cell.is_empty()), "{row}");
            let values = cells.last().map_or(0, |cell| cell.matches('`').count());
            let of_presets = ["ns2 ", "rfc ", "linux ", "rfc3561 "]
                .iter()
                .any(|preset| cells[cells.len() - 1].starts_with(preset));
            assert!(!of_presets || values >= 4, "{row}");
        }
        assert!(page.contains("| `diameter` | maximum number of hops between two stations (NET_DIAMETER) | a whole number from 1 to 64 | rfc3561 `35`, ns2 `30` |"), "{page}");
    }
}
