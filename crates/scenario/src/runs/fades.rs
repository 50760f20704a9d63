//! Fades of a scenario, as files that a recorded channel reads.

use crate::grammar::key::MAX_SPAN_S;
use crate::grammar::problem::lookalike_character;
use crate::whole::scenario::Scenario;
use airhop_base::{Span, Time, units};
use airhop_net::LinkFades;
use airhop_radio::errors::FadeRecord;

/// Fades of one link in one replication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFades {
    /// Name of the link or wlan, such as `air`. The two ends follow, as in `cell.bs.d`, if the directions
    /// have different fades.
    pub link: String,
    /// Text of a file for `kind = "recorded"`. The channel repeats the record after its end.
    pub csv: String,
}

impl Scenario {
    /// Returns the fades of this replication up to `until`, a duration such as `"200 s"`, which may exceed
    /// the duration of the run; the default is the end of the run. Links whose fades are not in simulated
    /// time are omitted.
    ///
    /// # Errors
    ///
    /// A sentence for the user if `until` is not a duration, or if a random draw of the replication is
    /// impossible.
    pub fn fades(&self, seed: u64, rep: u64, until: Option<&str>) -> Result<Vec<SavedFades>, String> {
        let until = until
            .map_or(Ok(self.duration()), duration)
            .map_err(|why| format!("until: {why}{}", lookalike_character(&why)))?;
        let links = airhop_net::fades(self.plan(), seed, rep, Time::ZERO + until)
            .map_err(|why| format!("\"{}\" with seed {seed}, rep {rep}: {why}", self.name()))?;
        let networks = links.chunk_by(|a, b| a.network == b.network);
        let saved = |link: &LinkFades, name: String| SavedFades {
            link: name,
            csv: FadeRecord::new(link.bad.clone(), until).to_csv(),
        };
        Ok(networks
            .flat_map(|directions| match directions.iter().all(|link| link.bad == directions[0].bad) {
                true => vec![saved(&directions[0], directions[0].network.clone())],
                // Names contain no dot, so a dot separates them.
                false => directions
                    .iter()
                    .map(|link| saved(link, format!("{}.{}.{}", link.network, link.from, link.to)))
                    .collect(),
            })
            .collect())
    }
}

fn duration(text: &str) -> Result<Span, String> {
    let until = units::parse_span(text)?;
    match until > Span::ZERO && until <= Span::from_secs(MAX_SPAN_S) {
        true => Ok(until),
        false => Err(format!("expected a duration over 0 s and up to {MAX_SPAN_S} s, got {text:?}")),
    }
}
