//! `Variant`: sender of Airhop that a script also tests, i.e. a preset, a scheme and a recovery.

use airhop_tcp::{LossDetection, Preset, SackRecovery, Scheme, find};
use std::str::FromStr;

/// Sender of Airhop, in addition to the sender that a script's settings select. A script's option `--also`
/// names it, as `preset:scheme` or `preset:scheme:recovery`. RFCs specify rules for every sender, not only
/// for Linux', so a rule that a kernel follows can also be tested on these senders.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Preset of the parameters, except handshake, initial window and the script's settings.
    pub preset: Preset,
    /// Scheme, in place of the congestion control that the script's settings select.
    pub scheme: &'static Scheme,
    /// Loss detection and recovery with SACK, if they differ from the preset's.
    pub recovery: Option<(LossDetection, SackRecovery)>,
}

/// Recoveries and their names.
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
    /// Returns the word that is not a preset, scheme or recovery.
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
