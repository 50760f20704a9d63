//! `Variant`: another Airhop sender that a script also tests. It combines a preset, a scheme and a recovery.

use airhop_tcp::{LossDetection, Preset, SackRecovery, Scheme, find_scheme};
use std::str::FromStr;

/// Additional Airhop sender under test. The script option `--also` has the form `preset:scheme` or
/// `preset:scheme:recovery`. RFC rules apply to every sender, so a script for Linux can also test these
/// senders.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Parameter preset. Handshake, initial window and the script's settings take precedence.
    pub preset: Preset,
    /// Congestion control scheme, which replaces the scheme of the script's settings.
    pub scheme: &'static Scheme,
    /// Loss detection and SACK recovery; `None` for those of the preset.
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

    /// Parses `preset:scheme` or `preset:scheme:recovery`.
    ///
    /// # Errors
    ///
    /// Returns an error that names the unknown preset, scheme or recovery.
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
        let scheme = find_scheme(scheme).ok_or_else(|| format!("`{text}`: {scheme} is no scheme"))?;
        let recovery = recovery.map(|word| {
            let found = RECOVERIES.iter().find(|(name, ..)| *name == word);
            found
                .map(|&(_, detection, sack)| (detection, sack))
                .ok_or_else(|| format!("`{text}`: {word} is no recovery"))
        });
        Ok(Variant { preset, scheme, recovery: recovery.transpose()? })
    }
}
