//! Fades of a scenario, as files for channels of `kind = "recorded"`.

use crate::grammar::key::MAX_SPAN_S;
use crate::grammar::problem::describe_lookalike;
use crate::whole::scenario::Scenario;
use airhop_base::{Span, Time, units};
use airhop_net::LinkFades;
use airhop_radio::errors::FadeRecord;

/// Fades of one link in one replication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFades {
    /// Name of the link or wlan, such as `air`. If the two directions have different fades, the names of the
    /// two ends follow, as in `cell.bs.d`.
    pub link: String,
    /// Content of a file for a channel of `kind = "recorded"`. The channel repeats the record after its end.
    pub csv: String,
}

impl Scenario {
    /// Returns the fades of this replication up to `until`, a duration such as `"200 s"`. The default is the
    /// end of the run, but `until` may be later. Links whose fades do not depend on time are omitted.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if `until` is not a duration, or if the random placement of the
    /// stations fails.
    pub fn fades(&self, seed: u64, rep: u64, until: Option<&str>) -> Result<Vec<SavedFades>, String> {
        let until = until
            .map_or(Ok(self.duration()), parse_duration)
            .map_err(|why| format!("until: {why}{}", describe_lookalike(&why)))?;
        let links = airhop_net::compute_fades(self.plan(), seed, rep, Time::ZERO + until)
            .map_err(|why| format!("\"{}\" with seed {seed}, rep {rep}: {why}", self.name()))?;
        let networks = links.chunk_by(|a, b| a.network == b.network);
        let saved = |link: &LinkFades, name: String| SavedFades {
            link: name,
            csv: FadeRecord::new(link.bad_periods.clone(), until).to_csv(),
        };
        Ok(networks
            .flat_map(|directions| {
                match directions.iter().all(|link| link.bad_periods == directions[0].bad_periods) {
                    true => vec![saved(&directions[0], directions[0].network.clone())],
                    // A dot separates the names, because no name contains a dot.
                    false => directions
                        .iter()
                        .map(|link| saved(link, format!("{}.{}.{}", link.network, link.from, link.to)))
                        .collect(),
                }
            })
            .collect())
    }
}

fn parse_duration(text: &str) -> Result<Span, String> {
    let until = units::parse_span(text)?;
    match until > Span::ZERO && until <= Span::from_secs(MAX_SPAN_S) {
        true => Ok(until),
        false => Err(format!("expected a duration over 0 s and up to {MAX_SPAN_S} s, got {text:?}")),
    }
}
