//! Schemes: one file each, and an entry in the list below.

use crate::recovery;
use crate::seams::{Parts, Recovery};
use crate::{Config, LossDetection, Preset};
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// Builds the policies of one sender.
pub type Build = dyn Fn(&Params, &Config) -> Parts + Send + Sync;

/// Scheme: a named combination of policies, with its entry in the catalogue.
pub struct Scheme {
    /// Name in scenario files and on the command line.
    pub name: &'static str,
    /// Title for readers.
    pub title: &'static str,
    /// Family: "loss-based", "local recovery", "explicit notification", …
    pub family: &'static str,
    /// Preset of the system whose native sender the scheme is; `None` if its source runs it over any TCP.
    pub preset: Option<Preset>,
    /// Mechanism, in a few sentences.
    pub about: &'static str,
    /// Conditions under which the scheme helps, and under which it does not.
    pub helps: &'static str,
    /// Publication.
    pub cite: &'static str,
    /// Requirements on the network: agents, queues, services of the link layer.
    pub needs: &'static [&'static str],
    /// Parameters with defaults.
    pub params: &'static [Param],
    /// Verified parts, each with its reference: text of a paper, source of another implementation, a
    /// measurement.
    pub verified: &'static [&'static str],
    /// Parts that are reconstructed or inferred rather than printed in the source; empty if there are none.
    pub reconstructed: &'static [&'static str],
    /// Requirements on the receiver and on the segments.
    pub features: ReceiverFeatures,
    /// Builds the policies of one sender.
    pub build: &'static Build,
}

impl fmt::Debug for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheme").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Features that a scheme requires of its receiver, its segments and its sender, beyond RFC 9293.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverFeatures {
    /// ACKs with SACK blocks (RFC 2018).
    pub sack: bool,
    /// True if ACKs name the segment that caused them, and its arrival time.
    pub arrival: bool,
    /// True if every segment is acknowledged at once, whatever the connection's delayed ACKs.
    pub prompt_acks: bool,
    /// True if data carries a checksum of its headers (HACK).
    pub header_check: bool,
    /// True if every duplicate ACK repeats an ELN until the segment arrives (TCP-ELN).
    pub eln_repeated: bool,
    /// Echo of marks by the receiver; with [`Echo::AsConfigured`] the connection's configuration decides whether routers may mark data.
    pub echo: Echo,
    /// True if nodes add up the contention time of data in its header, and the receiver limits the window by
    /// this time (TCP-CC).
    pub contention: bool,
    /// Of the sender only: true if the scheme uses a delivery-rate sample with each ACK.
    pub delivery_rate: bool,
    /// Of the sender only: true if the scheme sets a pacing rate, whatever the connection's `pacing`.
    pub paces: bool,
    /// Of the sender only: true if the scheme requires the sender of preset linux, whose state it reads.
    pub linux: bool,
}

impl ReceiverFeatures {
    /// Nothing.
    pub const NOTHING: ReceiverFeatures = ReceiverFeatures {
        sack: false,
        arrival: false,
        prompt_acks: false,
        header_check: false,
        eln_repeated: false,
        echo: Echo::AsConfigured,
        contention: false,
        delivery_rate: false,
        paces: false,
        linux: false,
    };
    /// SACK blocks only.
    pub const SACK: ReceiverFeatures = ReceiverFeatures { sack: true, ..ReceiverFeatures::NOTHING };

    /// True if the connection sends and uses SACK blocks.
    pub(crate) fn uses_sack(&self, config: &Config) -> bool {
        config.sack_blocks > 0 && (self.sack || config.loss_detection != LossDetection::Duplicates)
    }

    /// True if the connection uses ECN.
    pub(crate) fn uses_ecn(&self, config: &Config) -> bool {
        config.ecn || self.echo != Echo::AsConfigured
    }

    /// Returns the packets, besides new data, that are sent ECN-capable.
    pub(crate) fn extent(&self, config: &Config) -> Extent {
        match self.echo {
            Echo::EachByte if config.stack == Preset::Linux => Extent::All,
            Echo::EachByte => Extent::Handshake,
            Echo::AsConfigured | Echo::EachMark => Extent::NewData,
        }
    }

    /// Returns the names of the features that a reader of a trace must know.
    pub fn flags(&self) -> Vec<&'static str> {
        let flags = [
            ("paces", self.paces),
            ("echoes-each-byte", self.echo == Echo::EachByte),
            ("echoes-each-mark", self.echo == Echo::EachMark),
        ];
        flags.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
    }
}

/// Packets of a connection with ECN that are sent ECN-capable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// New data only (RFC 3168 §6.1.1, §6.1.4, §6.1.5).
    NewData,
    /// New data, SYN and SYN-ACK (RFC 8257 §3.6).
    Handshake,
    /// All packets, retransmissions and pure ACKs included (Linux, tcp_ecn_send() for congestion controls
    /// with `TCP_CONG_NEEDS_ECN`).
    All,
}

/// Echo of ECN marks to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// No echo, or that of RFC 3168, as configured for the connection.
    AsConfigured,
    /// Each mark is echoed at once on the ACK of the marked packet; data is ECN-capable whatever the
    /// configuration (Jersey).
    EachMark,
    /// Each ACK echoes the marks of the data that it acknowledges; data is ECN-capable whatever the
    /// configuration (RFC 8257 §3.2).
    EachByte,
}

/// Parameter of a scheme.
#[derive(Debug)]
pub struct Param {
    /// Name.
    pub name: &'static str,
    /// Default.
    pub default: f64,
    /// Minimum and maximum allowed value.
    pub range: (f64, f64),
    /// Words of a parameter that selects a word; its value is the index of the word.
    pub words: &'static [&'static str],
    /// Meaning, with unit and source.
    pub about: &'static str,
}

impl Param {
    /// Declares a numeric parameter from `least` to `most`.
    pub const fn number(
        name: &'static str,
        default: f64,
        (least, most): (f64, f64),
        about: &'static str,
    ) -> Self {
        Param { name, default, range: (least, most), words: &[], about }
    }

    /// Declares a parameter that selects one of these words; the first is the default.
    pub const fn word(name: &'static str, words: &'static [&'static str], about: &'static str) -> Self {
        Param { name, default: 0.0, range: (0.0, words.len() as f64 - 1.0), words, about }
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
    /// If the scheme has no such parameter, or the value is out of range: a sentence for the user.
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

    /// Returns the index of the selected word of a parameter; the first word is 0.
    ///
    /// # Panics
    /// As [`Params::get`].
    pub fn choice(&self, name: &str) -> usize {
        self.get(name) as usize
    }

    /// Returns the value of a parameter; `None` if the scheme does not declare it.
    pub fn find(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|v| v.0 == name).map(|v| v.1)
    }

    /// Returns the value of a parameter.
    ///
    /// # Panics
    ///
    /// If the scheme does not declare the parameter: a mistake in the scheme's own file.
    pub fn get(&self, name: &str) -> f64 {
        self.find(name).expect("a scheme reads only parameters that it declares")
    }

    /// Returns names and values, in the order of the declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.0.iter().copied()
    }
}

/// TCP variant whose loss recovery is used by a scheme whose paper does not name a base.
const BASE: Param =
    Param::word("base", &["tahoe", "reno", "newreno"], "loss recovery of the sender; the paper names none");

/// Returns the loss recovery selected by the value of a parameter.
fn repair_by(words: &Param, params: &Params, config: &Config) -> Box<dyn Recovery> {
    let name = words.words[params.choice(words.name)];
    if name == "rate-halving" {
        return recovery::recovery_by_detection(config, recovery::rate_halving);
    }
    let kind = recovery::KINDS.iter().find(|kind| kind.name == name);
    (kind.expect("every word is a recovery").build)(config)
}

macro_rules! schemes {
    ($($file:ident),+ $(,)?) => {
        $(mod $file;)+
        /// The built-in schemes, in the order of the catalogue.
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
static ADDED: RwLock<Vec<&'static Scheme>> = RwLock::new(Vec::new());

/// Error: a built-in scheme has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameTaken;

/// Adds a scheme for the rest of the process. The scheme replaces an added scheme of the same name; senders
/// built before keep the old one.
///
/// # Errors
///
/// [`NameTaken`] if a built-in scheme has the name: a result under the name of a published scheme must be
/// that scheme's.
pub fn add(scheme: Scheme) -> Result<(), NameTaken> {
    if SCHEMES.iter().any(|s| s.name == scheme.name) {
        return Err(NameTaken);
    }
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    let scheme: &'static Scheme = Box::leak(Box::new(scheme));
    match added.iter_mut().find(|s| s.name == scheme.name) {
        Some(former) => *former = scheme,
        None => added.push(scheme),
    }
    Ok(())
}

/// Returns every scheme in the order of the catalogue: the built-in ones, then the added ones.
pub fn schemes() -> Vec<&'static Scheme> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    SCHEMES.iter().chain(added.iter()).copied().collect()
}

/// Returns the scheme of this name.
pub fn find(name: &str) -> Option<&'static Scheme> {
    schemes().into_iter().find(|s| s.name == name)
}
