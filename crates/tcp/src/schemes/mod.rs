//! Schemes. Each scheme has its own file, and an entry in the list at the end of this module.

use crate::recovery;
use crate::seams::{Recovery, SenderPolicies};
use crate::{Config, LossDetection, Preset};
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// Function that builds the policies of one sender.
pub type PolicyBuilder = dyn Fn(&Params, &Config) -> SenderPolicies + Send + Sync;

/// Scheme: a named combination of policies, with a catalogue entry.
pub struct Scheme {
    /// Name in scenario files and on the command line.
    pub name: &'static str,
    /// Title for readers.
    pub title: &'static str,
    /// Family: "loss-based", "local recovery", "explicit notification", …
    pub family: &'static str,
    /// Preset of the stack in which the scheme originated; `None` if the publication names no particular TCP.
    pub preset: Option<Preset>,
    /// Description of the mechanism, in a few sentences.
    pub about: &'static str,
    /// Conditions under which the scheme helps or does not help.
    pub applicability: &'static str,
    /// Publication.
    pub citation: &'static str,
    /// Requirements on the network: agents, queues and services of the link layer.
    pub network_requirements: &'static [&'static str],
    /// Parameters and their defaults.
    pub params: &'static [Param],
    /// Verified rules with their references: text of a paper, source code of another implementation, or a
    /// measurement.
    pub verified_rules: &'static [&'static str],
    /// Rules that are reconstructed or inferred, because the source does not print them. May be empty.
    pub reconstructed_rules: &'static [&'static str],
    /// Features that the scheme requires of receiver, segments and sender.
    pub features: ReceiverFeatures,
    /// Function that builds the policies of one sender.
    pub build: &'static PolicyBuilder,
}

impl fmt::Debug for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheme").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Features that a scheme requires of receiver, segments and sender, beyond RFC 9293.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverFeatures {
    /// True if ACKs carry SACK blocks (RFC 2018).
    pub sack: bool,
    /// True if an ACK carries the number and arrival time of the segment that caused the ACK.
    pub arrival_report: bool,
    /// True if the receiver acknowledges every segment at once, even if the connection delays ACKs.
    pub prompt_acks: bool,
    /// True if data segments carry a checksum of their headers (HACK).
    pub header_checksum: bool,
    /// True if every duplicate ACK repeats an ELN until the segment arrives (TCP-ELN).
    pub eln_repeated: bool,
    /// Echo of ECN marks by the receiver. With [`EchoMode::AsConfigured`], the configuration of the connection
    /// decides whether data segments are ECN-capable.
    pub echo_mode: EchoMode,
    /// True if nodes add a data segment's contention time to a header field and the receiver limits the
    /// window by this time (TCP-CC).
    pub contention_time: bool,
    /// True if the scheme needs a delivery-rate sample with each ACK. Sender only.
    pub delivery_rate: bool,
    /// True if the scheme sets a pacing rate, even if the connection disables `pacing`. Sender only.
    pub paces: bool,
    /// True if the scheme reads state that only the preset linux has. Sender only.
    pub needs_linux_state: bool,
}

impl ReceiverFeatures {
    /// No features.
    pub const NONE: ReceiverFeatures = ReceiverFeatures {
        sack: false,
        arrival_report: false,
        prompt_acks: false,
        header_checksum: false,
        eln_repeated: false,
        echo_mode: EchoMode::AsConfigured,
        contention_time: false,
        delivery_rate: false,
        paces: false,
        needs_linux_state: false,
    };
    /// SACK blocks only.
    pub const SACK: ReceiverFeatures = ReceiverFeatures { sack: true, ..ReceiverFeatures::NONE };

    /// True if the connection sends and uses SACK blocks.
    pub(crate) fn uses_sack(&self, config: &Config) -> bool {
        config.sack_blocks > 0 && (self.sack || config.loss_detection != LossDetection::Duplicates)
    }

    /// True if the connection uses ECN.
    pub(crate) fn uses_ecn(&self, config: &Config) -> bool {
        config.ecn || self.echo_mode != EchoMode::AsConfigured
    }

    /// Returns the types of packets that are sent ECN-capable.
    pub(crate) fn ect_packets(&self, config: &Config) -> EctPackets {
        match self.echo_mode {
            EchoMode::EachByte if config.stack == Preset::Linux => EctPackets::All,
            EchoMode::EachByte => EctPackets::Handshake,
            EchoMode::AsConfigured | EchoMode::EachMark => EctPackets::NewData,
        }
    }

    /// Returns the names of the features that affect the analysis of a trace.
    pub fn flags(&self) -> Vec<&'static str> {
        let flags = [
            ("paces", self.paces),
            ("echoes-each-byte", self.echo_mode == EchoMode::EachByte),
            ("echoes-each-mark", self.echo_mode == EchoMode::EachMark),
        ];
        flags.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
    }
}

/// Types of packets that a connection with ECN sends ECN-capable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EctPackets {
    /// New data only (RFC 3168 §6.1.1, §6.1.4, §6.1.5).
    NewData,
    /// New data, SYN and SYN-ACK (RFC 8257 §3.6).
    Handshake,
    /// All packets, including retransmissions and pure ACKs (Linux, tcp_ecn_send() for congestion controls
    /// with `TCP_CONG_NEEDS_ECN`).
    All,
}

/// Echo of ECN marks to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EchoMode {
    /// No echo, or the echo of RFC 3168, according to the configuration.
    AsConfigured,
    /// One immediate ACK with ECE per mark (Jersey). Data is ECN-capable in any configuration.
    EachMark,
    /// ECE on exactly the ACKs of marked data (RFC 8257 §3.2). Data is ECN-capable in any configuration.
    EachByte,
}

/// Parameter of a scheme.
#[derive(Debug)]
pub struct Param {
    /// Name of the parameter.
    pub name: &'static str,
    /// Default value. For a choice, the index of the default word.
    pub default: f64,
    /// Minimum and maximum of the value.
    pub range: (f64, f64),
    /// Words that the user may select. The value is the index of the selected word.
    pub choices: &'static [&'static str],
    /// Description, with unit and source.
    pub about: &'static str,
}

impl Param {
    /// Declares a numeric parameter with a range from `least` to `most`.
    pub const fn with_range(
        name: &'static str,
        default: f64,
        (least, most): (f64, f64),
        about: &'static str,
    ) -> Self {
        Param { name, default, range: (least, most), choices: &[], about }
    }

    /// Declares a parameter that selects one of `words`. The first word is the default.
    pub const fn with_choices(
        name: &'static str,
        words: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Param { name, default: 0.0, range: (0.0, words.len() as f64 - 1.0), choices: words, about }
    }
}

/// Values of a scheme's parameters.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Params(Vec<(&'static str, f64)>);

impl Params {
    /// Creates the defaults of `scheme`.
    pub fn defaults(scheme: &Scheme) -> Self {
        Params(scheme.params.iter().map(|p| (p.name, p.default)).collect())
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// A message for the user if the scheme has no such parameter or the value is out of range.
    pub fn set(&mut self, scheme: &Scheme, name: &str, value: f64) -> Result<(), String> {
        let Some(p) = scheme.params.iter().find(|p| p.name == name) else {
            let known: Vec<_> = scheme.params.iter().map(|p| p.name).collect();
            return Err(match known.is_empty() {
                true => format!("scheme \"{}\" has no parameters", scheme.name),
                false => format!(
                    "scheme \"{}\" has no parameter \"{name}\" (it has {})",
                    scheme.name,
                    known.join(", ")
                ),
            });
        };
        if !(p.range.0..=p.range.1).contains(&value) {
            return Err(format!("expected {name} from {} to {}, got {value}", p.range.0, p.range.1));
        }
        if let Some(slot) = self.0.iter_mut().find(|v| v.0 == name) {
            slot.1 = value;
        }
        Ok(())
    }

    /// Returns the index of the selected word of a parameter.
    ///
    /// # Panics
    /// As [`Params::get`].
    pub fn choice(&self, name: &str) -> usize {
        self.get(name) as usize
    }

    /// Returns the value of a parameter; `None` if the scheme does not declare the parameter.
    pub fn find(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|v| v.0 == name).map(|v| v.1)
    }

    /// Returns the value of a parameter.
    ///
    /// # Panics
    ///
    /// If the scheme does not declare the parameter. This is an error in the scheme's own file.
    pub fn get(&self, name: &str) -> f64 {
        self.find(name).expect("a scheme reads only parameters that it declares")
    }

    /// Returns names and values, in the order of the declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.0.iter().copied()
    }
}

/// Parameter that selects the loss recovery of a scheme whose paper names no recovery.
const BASE_PARAM: Param = Param::with_choices(
    "base",
    &["tahoe", "reno", "newreno"],
    "loss recovery of the sender; the paper names none",
);

/// Returns the loss recovery that a parameter's value selects.
fn build_recovery(words: &Param, params: &Params, config: &Config) -> Box<dyn Recovery> {
    let name = words.choices[params.choice(words.name)];
    if name == "rate-halving" {
        return recovery::recovery_by_detection(config, recovery::rate_halving);
    }
    let kind = recovery::RECOVERY_KINDS.iter().find(|kind| kind.name == name);
    (kind.expect("every word names a recovery").build)(config)
}

macro_rules! schemes {
    ($($file:ident),+ $(,)?) => {
        $(mod $file;)+
        /// Built-in schemes, in the order of the catalogue.
        pub static SCHEMES: &[&Scheme] = &[$(&$file::SCHEME),+];
    };
}

schemes! {
    tahoe, reno, newreno, sack, cubic, bbr, bbr3, dctcp, hybla, illinois, htcp, copa, ledbat,
    vegas, veno, westwood, tcp_w, westwood_nr, westwood_plus, westwood_vt,
    santa_cruz, jersey, new_jersey, jtcp, tibet, newreno_ff, casablanca, dcr, tcp_cc, ideal_bwe,
    snoop, split,
    eln, hack, hack_fixed, ewln, tcp_eln, lhp, ll_elsn, eln_cubic, tcp_cl, ebsn, rttn,
}

/// Schemes added at run time.
static ADDED_SCHEMES: RwLock<Vec<&'static Scheme>> = RwLock::new(Vec::new());

/// Error if a built-in scheme already has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameTaken;

/// Adds a scheme for the rest of the process. The scheme replaces an earlier added scheme of the same name.
/// Existing senders keep the earlier scheme.
///
/// # Errors
///
/// [`NameTaken`] if a built-in scheme has the name. Results under the name of a published scheme must be
/// results of that scheme.
pub fn add_scheme(scheme: Scheme) -> Result<(), NameTaken> {
    if SCHEMES.iter().any(|s| s.name == scheme.name) {
        return Err(NameTaken);
    }
    let mut added = ADDED_SCHEMES.write().unwrap_or_else(PoisonError::into_inner);
    let scheme: &'static Scheme = Box::leak(Box::new(scheme));
    match added.iter_mut().find(|s| s.name == scheme.name) {
        Some(former) => *former = scheme,
        None => added.push(scheme),
    }
    Ok(())
}

/// Returns every scheme: built-in schemes in catalogue order, then added schemes.
pub fn schemes() -> Vec<&'static Scheme> {
    let added = ADDED_SCHEMES.read().unwrap_or_else(PoisonError::into_inner);
    SCHEMES.iter().chain(added.iter()).copied().collect()
}

/// Returns the scheme with this name; `None` without such a scheme.
pub fn find_scheme(name: &str) -> Option<&'static Scheme> {
    schemes().into_iter().find(|s| s.name == name)
}
