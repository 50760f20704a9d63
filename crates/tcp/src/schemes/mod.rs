//! The schemes: one file each, and one word each in the list below.

use crate::seams::Parts;

/// A scheme: a named combination of policies, with all that the catalogue says of it.
#[derive(Debug)]
pub struct Scheme {
    /// Its name in scenario files and on the command line.
    pub name: &'static str,
    /// Its title, for people.
    pub title: &'static str,
    /// Its family: "loss-based", "local recovery", "explicit notification", …
    pub family: &'static str,
    /// Where it was published.
    pub cite: &'static str,
    /// Agents or queues that it needs in the network.
    pub needs: &'static [&'static str],
    /// Its parameters with defaults.
    pub params: &'static [Param],
    /// What in it is reconstructed or inferred rather than printed in its source; empty if nothing is.
    pub reconstructed: &'static [&'static str],
    /// True if its receiver must report SACK blocks.
    pub sack: bool,
    /// Builds the policies of one sender.
    pub build: fn(&Params, &crate::Config) -> Parts,
}

/// A parameter of a scheme.
#[derive(Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its default.
    pub default: f64,
    /// Smallest and greatest value allowed.
    pub range: (f64, f64),
    /// What it is, with unit and source.
    pub about: &'static str,
}

/// The values of a scheme's parameters.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Params(Vec<(&'static str, f64)>);

impl Params {
    /// The defaults of `scheme`.
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

    /// The value of a parameter that the scheme declares.
    ///
    /// # Panics
    /// If the scheme does not declare it: a mistake in the scheme's own file.
    pub fn get(&self, name: &str) -> f64 {
        self.0.iter().find(|v| v.0 == name).expect("a scheme reads only parameters that it declares").1
    }

    /// Names and values, in the order of the declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.0.iter().copied()
    }
}

macro_rules! schemes {
    ($($file:ident),+ $(,)?) => {
        $(mod $file;)+
        /// Every scheme, in the order of the catalogue.
        pub static SCHEMES: &[&Scheme] = &[$(&$file::SCHEME),+];
    };
}

schemes! { tahoe, reno, newreno, sack, snoop, ll_elsn }

/// The scheme called `name`.
pub fn find(name: &str) -> Option<&'static Scheme> {
    SCHEMES.iter().copied().find(|s| s.name == name)
}
