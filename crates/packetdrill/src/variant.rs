//! `Variant` is a sender of Airhop that a script also tests: a preset, a scheme and a recovery.

use airhop_tcp::{LossDetection, Preset, SackRecovery, Scheme, find};
use std::str::FromStr;

/// A sender of Airhop other than that of a script's settings, written as `preset:scheme` or
/// `preset:scheme:recovery` in a script's option `--also`. RFCs state rules for every sender, not only for
/// that of Linux: a rule that a kernel passes can also be tested on these senders.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Preset of the parameters, except the handshake, the initial window and the script's settings.
    pub preset: Preset,
    /// Scheme, regardless of the script's settings.
    pub scheme: &'static Scheme,
    /// Detection and recovery of losses with SACK, if different from the preset.
    pub recovery: Option<(LossDetection, SackRecovery)>,
}

/// Recoveries by name.
const RECOVERIES: [(&str, LossDetection, SackRecovery); 4] = [
    ("pipe", LossDetection::Duplicates, SackRecovery::Pipe),
    ("rfc6675", LossDetection::Duplicates, SackRecovery::Rfc6675),
    ("rate-halving", LossDetection::Duplicates, SackRecovery::RateHalving),
    ("rack", LossDetection::Rack, SackRecovery::Rfc6675),
];

impl FromStr for Variant {
    type Err = String;

    /// Parses a variant.
    ///
    /// # Errors
    ///
    /// Returns the word that is no preset, scheme or recovery.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.trim().split(':');
        let mut next = || words.next().filter(|word| !word.is_empty());
        let (preset, scheme, recovery) = (next(), next(), next());
        let preset = preset.ok_or_else(|| format!("`{text}`: expected preset:scheme[:recovery]"))?;
        let (_, preset) = *Preset::ALL
            .iter()
            .find(|(name, _)| *name == preset)
            .ok_or_else(|| format!("`{text}`: {preset} is no preset"))?;
        let scheme = scheme.ok_or_else(|| format!("`{text}`: expected preset:scheme[:recovery]"))?;
        let scheme = find(scheme).ok_or_else(|| format!("`{text}`: {scheme} is no scheme"))?;
        let recovery = recovery.map(|word| {
            let found = RECOVERIES.iter().find(|(name, ..)| *name == word);
            found
                .map(|&(_, detection, sack)| (detection, sack))
                .ok_or_else(|| format!("`{text}`: {word} is no recovery"))
        });
        Ok(Variant { preset, scheme, recovery: recovery.transpose()? })
    }
}
