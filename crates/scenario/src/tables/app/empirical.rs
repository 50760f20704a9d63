//! Empirical distributions of sizes: measured distributions with a name, or points from a file.

use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Derived, Required};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::apps::{Cdf, Distribution};
use std::sync::Arc;

pub(super) static VARIANT: Variant = Variant {
    example: r#"of = "web-search""#,
    ..Variant::new(
        "empirical",
        "empirical distribution: the distribution function is linear between measured points (a drawn size is at least one byte)",
        &KEYS,
    )
};

static KEYS: [Key; 2] = [
    key(
        "of",
        ValueKind::WordOrFile {
            words: || MEASURED_CDFS.iter().map(|measured| measured.0).collect(),
            digest: "digest",
        },
        Required,
        "web-search = flows of a cluster for web search (Alizadeh et al., DCTCP, SIGCOMM 2010, figure 4), mean 1.7 MB; \
         data-mining = flows of \
         a cluster for data mining (Greenberg et al., VL2, SIGCOMM 2009, figure 2), mean 13 MB; both with the points that \
         traffic generators for data centres use for these figures. Or a file with a line `value probability` for each point: a \
         size in bytes, and the share of sizes up to this size; both columns ascend, the shares to 1",
    ),
    key(
        "digest",
        ValueKind::Digest,
        Derived("the digest of the file, if a file is given"),
        "digest of the file; a file with another digest is an error",
    ),
];

type CdfPoints = &'static [(f64, f64)];

/// Points of the measured distributions: size in bytes and cumulative probability.
static MEASURED_CDFS: [(&str, CdfPoints); 2] = [
    (
        "web-search",
        &[
            (0.0, 0.0),
            (10e3, 0.15),
            (20e3, 0.2),
            (30e3, 0.3),
            (50e3, 0.4),
            (80e3, 0.53),
            (200e3, 0.6),
            (1e6, 0.7),
            (2e6, 0.8),
            (5e6, 0.9),
            (10e6, 0.97),
            (30e6, 1.0),
        ],
    ),
    (
        "data-mining",
        &[
            (0.0, 0.0),
            (180.0, 0.1),
            (216.0, 0.2),
            (560.0, 0.3),
            (900.0, 0.4),
            (1100.0, 0.5),
            (1870.0, 0.6),
            (3160.0, 0.7),
            (10e3, 0.8),
            (400e3, 0.9),
            (3.16e6, 0.95),
            (100e6, 0.98),
            (1e9, 1.0),
        ],
    ),
];

/// Reports an error in the file of a distribution.
pub(super) fn check(law: &Fields, problems: &mut Problems) {
    if let Some(Err(what)) = load_cdf(law) {
        problems.add(law.position_of("of"), law.path_of("of"), what);
    }
}

/// Returns the distribution in bytes.
pub(super) fn plan(law: &Fields) -> Option<Distribution> {
    Some(Distribution::Empirical(Arc::new(load_cdf(law)?.ok()?)))
}

fn load_cdf(law: &Fields) -> Option<Result<Cdf, String>> {
    if let Some(file) = law.file("of") {
        return Some(parse(&file.text).map_err(|(line, what)| format!("{}:{line}: {what}", file.path)));
    }
    let word = law.word("of")?;
    let (_, points) = MEASURED_CDFS.iter().find(|measured| measured.0 == word)?;
    Cdf::new(points.to_vec()).ok().map(Ok)
}

/// Reads points, one per line. Empty lines and lines that begin with `#` are skipped. An error contains the
/// line number.
fn parse(text: &str) -> Result<Cdf, (usize, String)> {
    let rows = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (mut lines, mut points) = (Vec::new(), Vec::new());
    for (number, line) in rows {
        let words: Vec<Option<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        let [Some(value), Some(probability)] = words[..] else {
            return Err((
                number,
                format!("expected a value and a probability, such as \"10000 0.15\", got {line:?}"),
            ));
        };
        lines.push(number);
        points.push((value, probability));
    }
    Cdf::new(points)
        .map_err(|(place, what)| (lines.get(place).copied().unwrap_or(1), format!("expected {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The measured points are a valid distribution, and a file with the same points reads as the same
    // distribution.
    #[test]
    fn a_distribution_file_equals_the_same_inline_points() {
        for (name, points) in MEASURED_CDFS {
            let text: String =
                points.iter().map(|(value, probability)| format!("{value} {probability}\n")).collect();
            assert_eq!(
                parse(&format!("# {name}\n\n{text}")),
                Ok(Cdf::new(points.to_vec()).unwrap()),
                "{name}"
            );
        }
    }

    #[test]
    fn a_distribution_error_names_its_line() {
        for (text, line) in
            [("", 1), ("1 0.5\n2", 2), ("1 0.5\n\nx 1", 3), ("5 0.5\n4 1", 2), ("5 0.5\n6 0.9", 2)]
        {
            assert_eq!(parse(text).map_err(|(line, _)| line), Err(line), "{text:?}");
        }
    }
}
