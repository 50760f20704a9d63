//! `Variant` is the sender of Airhop that is held to a script: a preset, a scheme and a recovery.

use airhop_tcp::{LossDetection, Preset, SackRecovery, Scheme, find};
use std::str::FromStr;

/// A sender of Airhop other than that of a script's settings, by the words `preset:scheme` or `preset:scheme:recovery` of a script's option
/// `--also`. RFCs state more rules for every sender than Linux' own follows: what a kernel passes is a rule for these as well.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Preset of its parameters, but for the handshake, the initial window and the script's settings.
    pub preset: Preset,
    /// Scheme, whatever a script sets.
    pub scheme: &'static Scheme,
    /// Detection and recovery of losses with SACK, if not the preset's.
    pub recovery: Option<(LossDetection, SackRecovery)>,
}

/// The recoveries by name.
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
    /// The word that names no preset, scheme or recovery.
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
