//! The schemes: one file each, and one word each in the list below.

use crate::recovery;
use crate::seams::{Parts, Recovery};
use crate::{Config, LossDetection, Preset};
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// Builds the policies of one sender.
pub type Build = dyn Fn(&Params, &Config) -> Parts + Send + Sync;

/// A scheme: a named combination of policies, with its entry in the catalogue.
pub struct Scheme {
    /// Name in scenario files and on the command line.
    pub name: &'static str,
    /// Title, for people.
    pub title: &'static str,
    /// Family: "loss-based", "local recovery", "explicit notification", …
    pub family: &'static str,
    /// The preset of the system whose own sender it is; `None` where its source runs it over any TCP.
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
    /// Verified parts, each with its reference: a paper's text, another implementation's source, a measurement.
    pub verified: &'static [&'static str],
    /// Parts that are reconstructed or inferred rather than printed in the source; empty if there are none.
    pub reconstructed: &'static [&'static str],
    /// Requirements on the receiver and on the segments between both ends.
    pub features: ReceiverFeatures,
    /// Builds the policies of one sender.
    pub build: &'static Build,
}

impl fmt::Debug for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheme").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Features that a scheme needs of its receiver, of the segments between both ends and of its sender, beyond RFC 9293.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverFeatures {
    /// ACKs with SACK blocks (RFC 2018).
    pub sack: bool,
    /// ACKs that name the segment that caused them, and when it arrived.
    pub arrival: bool,
    /// An ACK for every segment, however the connection delays them.
    pub prompt_acks: bool,
    /// Data with a checksum of its headers (HACK).
    pub header_check: bool,
    /// Every duplicate ACK repeats an ELN until the segment arrives (TCP-ELN).
    pub eln_repeated: bool,
    /// Echo of marks by the receiver; with [`Echo::AsConfigured`] the connection's configuration decides whether routers may mark data.
    pub echo: Echo,
    /// Data in whose header nodes add up how long it contended for the medium, and a receiver that limits the window by that
    /// (TCP-CC).
    pub contention: bool,
    /// Of its sender only: a sample of the rate at which data is delivered, with each ACK.
    pub delivery_rate: bool,
    /// Of the sender only: segments leave at the scheme's rate, independently of the connection's `pacing`.
    pub paces: bool,
    /// Of its sender only: it is that of preset linux, whose state the scheme reads.
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
    /// SACK blocks.
    pub const SACK: ReceiverFeatures = ReceiverFeatures { sack: true, ..ReceiverFeatures::NOTHING };

    /// True if the connection sends and uses SACK blocks.
    pub(crate) fn uses_sack(&self, config: &Config) -> bool {
        config.sack_blocks > 0 && (self.sack || config.loss_detection != LossDetection::Duplicates)
    }

    /// True if the connection takes part in ECN.
    pub(crate) fn uses_ecn(&self, config: &Config) -> bool {
        config.ecn || self.echo != Echo::AsConfigured
    }

    /// Returns the packets that may be marked beside new data.
    pub(crate) fn extent(&self, config: &Config) -> Extent {
        match self.echo {
            Echo::EachByte if config.stack == Preset::Linux => Extent::All,
            Echo::EachByte => Extent::Handshake,
            Echo::AsConfigured | Echo::EachMark => Extent::NewData,
        }
    }

    /// Returns the names of the features that a reader of a trace has to know.
    pub fn flags(&self) -> Vec<&'static str> {
        let flags = [
            ("paces", self.paces),
            ("echoes-each-byte", self.echo == Echo::EachByte),
            ("echoes-each-mark", self.echo == Echo::EachMark),
        ];
        flags.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
    }
}

/// Packets of a connection that agreed on ECN that are ECN-capable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// New data (RFC 3168 §6.1.1, §6.1.4, §6.1.5).
    NewData,
    /// SYN and SYN-ACK, too (RFC 8257 §3.6).
    Handshake,
    /// All packets, retransmissions and pure ACKs included (Linux, tcp_ecn_send() for controls with
    /// `TCP_CONG_NEEDS_ECN`).
    All,
}

/// Echo of marks of congestion to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// None, or by RFC 3168, as the connection is configured.
    AsConfigured,
    /// Each mark is echoed at once, on the ACK of the packet that bore it, and data may be marked whatever is configured (Jersey).
    EachMark,
    /// Each ACK echoes the marks of the data that it acknowledges, and data may be marked whatever is configured (RFC 8257 §3.2).
    EachByte,
}

/// A parameter of a scheme.
#[derive(Debug)]
pub struct Param {
    /// Name.
    pub name: &'static str,
    /// Default.
    pub default: f64,
    /// Smallest and greatest value allowed.
    pub range: (f64, f64),
    /// Words of a parameter that is a choice of words; its value is then the index of one.
    pub words: &'static [&'static str],
    /// Meaning, with unit and source.
    pub about: &'static str,
}

impl Param {
    /// A number from `least` to `most`.
    pub const fn number(
        name: &'static str,
        default: f64,
        (least, most): (f64, f64),
        about: &'static str,
    ) -> Self {
        Param { name, default, range: (least, most), words: &[], about }
    }

    /// One of some words; the first is the default.
    pub const fn word(name: &'static str, words: &'static [&'static str], about: &'static str) -> Self {
        Param { name, default: 0.0, range: (0.0, words.len() as f64 - 1.0), words, about }
    }
}

/// The values of a scheme's parameters.
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
    /// If there is none of that name or the value is out of range: a sentence for the user.
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

    /// Returns the index of the value of a parameter of words; the first word is 0.
    ///
    /// # Panics
    /// As [`Params::get`].
    pub fn choice(&self, name: &str) -> usize {
        self.get(name) as usize
    }

    /// Returns the value of a parameter that the scheme may declare, or not.
    pub fn find(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|v| v.0 == name).map(|v| v.1)
    }

    /// Returns the value of a parameter that the scheme declares.
    ///
    /// # Panics
    /// If the scheme does not declare it: a mistake in the scheme's own file.
    pub fn get(&self, name: &str) -> f64 {
        self.find(name).expect("a scheme reads only parameters that it declares")
    }

    /// Names and values, in the order of the declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.0.iter().copied()
    }
}

/// The TCP variant that repairs losses for a scheme whose paper does not say which one it builds on.
const BASE: Param =
    Param::word("base", &["tahoe", "reno", "newreno"], "loss recovery of the sender; the paper names none");

/// Returns the loss recovery named by the value of a parameter.
fn repair_by(words: &Param, params: &Params, config: &Config) -> Box<dyn Recovery> {
    let name = words.words[params.choice(words.name)];
    if name == "rate-halving" {
        return recovery::by_detection(config, recovery::rate_halving);
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

/// Schemes that were added while running.
static ADDED: RwLock<Vec<&'static Scheme>> = RwLock::new(Vec::new());

/// A built-in scheme has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameTaken;

/// Adds a scheme for the rest of the process. It replaces a scheme added before under its name; senders built from that
/// one keep it.
///
/// # Errors
/// [`NameTaken`]: a result under the name of a published scheme must be that scheme's.
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

/// Returns every scheme: the built-in ones, then those that were added, in the order of the catalogue.
pub fn schemes() -> Vec<&'static Scheme> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    SCHEMES.iter().chain(added.iter()).copied().collect()
}

/// Returns the scheme called `name`.
pub fn find(name: &str) -> Option<&'static Scheme> {
    schemes().into_iter().find(|s| s.name == name)
}
