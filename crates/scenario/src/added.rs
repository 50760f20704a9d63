//! Schemes that user code adds at run time.

use crate::grammar::problem::{did_you_mean, format_alternatives};
use airhop_net::services;
use airhop_tcp::recovery::RECOVERY_KINDS;
use airhop_tcp::seams::{CongestionControl, NoticePolicy, SenderPolicies};
use airhop_tcp::{NameTaken, Param, Params, ReceiverFeatures, Scheme};

/// Function that creates the congestion control and the notice policy of a scheme for one sender.
pub type PolicyFactory = dyn Fn(&Params) -> (Box<dyn CongestionControl>, Box<dyn NoticePolicy>) + Send + Sync;

/// Scheme that user code adds. The fields are explained in [`Scheme`].
pub struct NewScheme {
    /// Name of the scheme.
    pub name: String,
    /// Title of the scheme.
    pub title: String,
    /// Family of the scheme.
    pub family: String,
    /// Publication of the scheme.
    pub cite: String,
    /// Name of the scheme's loss recovery.
    pub recovery: String,
    /// Names of the services that the scheme needs from the network.
    pub needs: Vec<String>,
    /// Parameters of the scheme.
    pub params: Vec<NewParam>,
    /// True if the scheme uses the delivery report of an ACK (delivery rate).
    pub delivery_rate: bool,
    /// True if the scheme sets a pacing rate.
    pub paces: bool,
    /// Function that creates the congestion control and the notice policy of one sender.
    pub policies: Box<PolicyFactory>,
}

/// Parameter of a scheme that user code adds.
pub struct NewParam {
    /// Name of the parameter.
    pub name: String,
    /// Default value.
    pub default: f64,
    /// Minimum and maximum of the value.
    pub range: (f64, f64),
    /// Description of the parameter.
    pub about: String,
}

impl NewScheme {
    /// Adds the scheme to the catalogue for the rest of the process; see [`airhop_tcp::add_scheme`].
    ///
    /// # Errors
    ///
    /// Returns a message for the user about the first invalid property.
    pub fn add(self) -> Result<(), String> {
        self.check()?;
        let kind = RECOVERY_KINDS.iter().find(|k| k.name == self.recovery).ok_or_else(|| {
            let names = || RECOVERY_KINDS.iter().map(|k| k.name);
            let hint = did_you_mean(&self.recovery, names());
            format!("unknown recovery \"{}\"; expected {}{hint}", self.recovery, format_alternatives(names()))
        })?;
        let name = self.name.clone();
        let policies = self.policies;
        let scheme = Scheme {
            name: leak(self.name),
            title: leak(self.title),
            family: leak(self.family),
            preset: None,
            about: "",
            applicability: "",
            citation: leak(self.cite),
            network_requirements: Box::leak(self.needs.into_iter().map(leak).collect()),
            params: Box::leak(self.params.into_iter().map(NewParam::leak).collect()),
            verified_rules: &[],
            reconstructed_rules: &[],
            features: ReceiverFeatures {
                sack: kind.needs_sack,
                delivery_rate: self.delivery_rate,
                paces: self.paces,
                ..ReceiverFeatures::NONE
            },
            build: Box::leak(Box::new(move |params: &Params, config: &airhop_tcp::Config| {
                let (control, notices) = policies(params);
                SenderPolicies { control, recovery: (kind.build)(config), notices }
            })),
        };
        airhop_tcp::add_scheme(scheme)
            .map_err(|NameTaken| format!("\"{name}\" is a built-in scheme; expected another name"))
    }

    fn check(&self) -> Result<(), String> {
        if !is_valid_name(&self.name) {
            return Err(format!(
                "expected a name of letters, digits, -, _ and + that begins with a letter, such as \"mine\", got \"{}\"",
                self.name
            ));
        }
        self.needs.iter().try_for_each(|need| match find_service(need) {
            Ok(_) => Ok(()),
            Err(why) => Err(why.replacen(&format!("\"{need}\";"), &format!("\"{need}\" in needs;"), 1)),
        })?;
        self.params.iter().try_for_each(NewParam::check)
    }
}

impl NewParam {
    fn check(&self) -> Result<(), String> {
        let NewParam { name, default, range: (least, most), .. } = self;
        // In a scenario file the parameters are keys in a table whose key `name` is the name of the scheme.
        // No parameter may therefore have the name `name`.
        if name == "name" {
            return Err("a parameter cannot be called \"name\"".to_string());
        }
        let finite = [default, least, most].iter().all(|x| x.is_finite());
        if !(finite && least <= default && default <= most) {
            return Err(format!(
                "parameter \"{name}\": expected finite numbers with least <= default <= most, \
                 got least = {least}, default = {default}, most = {most}"
            ));
        }
        Ok(())
    }

    fn leak(self) -> Param {
        Param::with_range(leak(self.name), self.default, self.range, leak(self.about))
    }
}

/// Returns the network service with this name.
///
/// # Errors
///
/// Returns a message for the user if there is no such service.
pub fn find_service(name: &str) -> Result<&'static str, String> {
    services::find(name).map(|service| service.name).ok_or_else(|| {
        let known = services::names();
        let hint = did_you_mean(name, known.iter().copied());
        format!("unknown service \"{name}\"; expected {}{hint}", format_alternatives(known))
    })
}

/// True if the text needs no quotes on a command line, and cannot be mistaken for a TOML value.
fn is_valid_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "-_+".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_letter)
        && !["true", "false", "inf", "nan"].contains(&text)
}

/// Leaks the text, because the catalogue lives as long as the process.
fn leak(text: String) -> &'static str {
    text.leak()
}
