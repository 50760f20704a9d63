//! Sizes and times of applications: a plain quantity, or a distribution `{ kind = … }` from which values are
//! drawn.

use super::empirical;
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{Choice, Key, Kind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::apps::Distribution;

/// Kind of a key whose value is a size.
pub(super) const SIZE: Kind = Kind::Drawn { plain: &BYTES, choice: &SIZES };
/// Kind of a key whose value is a time.
pub(super) const TIME: Kind = Kind::Drawn { plain: &SPAN, choice: &TIMES };

static BYTES: Kind = bytes();
static SPAN: Kind = span();

const fn bytes() -> Kind {
    Kind::Bytes { least: 1, most: u32::MAX as u64 }
}

const fn span() -> Kind {
    Kind::Span { least_ns: 1 }
}

/// Declaration of a distribution of sizes or times.
struct Law {
    size: Variant,
    time: Variant,
    plan: fn(&Fields) -> Option<Distribution>,
}

static LAWS: [&Law; 3] = [&EXPONENTIAL, &LOGNORMAL, &PARETO];
static SIZES: Choice = Choice {
    what: "size",
    variants: &[&EXPONENTIAL.size, &LOGNORMAL.size, &PARETO.size, &empirical::VARIANT],
};
static TIMES: Choice = Choice { what: "time", variants: &[&EXPONENTIAL.time, &LOGNORMAL.time, &PARETO.time] };

static EXPONENTIAL: Law = Law {
    size: Variant {
        example: r#"mean = "10 kB""#,
        ..Variant::new("exponential", "exponential distribution", &[mean(bytes())])
    },
    time: Variant {
        example: r#"mean = "1 s""#,
        ..Variant::new("exponential", "exponential distribution", &[mean(span())])
    },
    plan: |law| Some(Distribution::Exponential { mean: magnitude(law.get("mean")?)? }),
};

const ABOUT_LOGNORMAL: &str = "lognormal distribution: the natural logarithm is normally distributed";

static LOGNORMAL: Law = Law {
    size: Variant {
        example: r#"median = "10 kB", sigma = 1.5"#,
        ..Variant::new("lognormal", ABOUT_LOGNORMAL, &[median(bytes()), SIGMA])
    },
    time: Variant {
        example: r#"median = "1 s", sigma = 1"#,
        ..Variant::new("lognormal", ABOUT_LOGNORMAL, &[median(span()), SIGMA])
    },
    plan: |law| {
        Some(Distribution::Lognormal { median: magnitude(law.get("median")?)?, sigma: law.number("sigma")? })
    },
};

static PARETO: Law = Law {
    size: Variant {
        example: r#"mean = "10 kB", shape = 1.5"#,
        ..Variant::new("pareto", "Pareto distribution", &[mean(bytes()), SHAPE])
    },
    time: Variant {
        example: r#"mean = "1 s", shape = 1.5"#,
        ..Variant::new("pareto", "Pareto distribution", &[mean(span()), SHAPE])
    },
    plan: |law| {
        Some(Distribution::Pareto { mean: magnitude(law.get("mean")?)?, shape: law.number("shape")? })
    },
};

const fn mean(kind: Kind) -> Key {
    key("mean", kind, Required, "mean")
}

const fn median(kind: Kind) -> Key {
    key("median", kind, Required, "median")
}

const SIGMA: Key = key(
    "sigma",
    Kind::Number { least: 0.0, most: 10.0 },
    Required,
    "standard deviation of the natural logarithm; the mean is median * exp(sigma^2 / 2)",
);

const SHAPE: Key = key(
    "shape",
    Kind::Number { least: 1.01, most: 100.0 },
    Required,
    "tail exponent: P(X > x) = (scale / x)^shape for x >= scale, with scale = mean (shape - 1) / shape",
);

/// Reports errors in the files of empirical distributions that are values of these keys.
pub(super) fn check(app: &Fields, names: &[&str], problems: &mut Problems) {
    for law in names.iter().filter_map(|name| app.table(name)) {
        if law.kind == Some(empirical::VARIANT.kind) {
            empirical::check(law, problems);
        }
    }
}

/// Returns the distribution of a key, in bytes for the kind [`SIZE`] and in seconds for [`TIME`].
pub(super) fn plan(app: &Fields, name: &str) -> Option<Distribution> {
    match app.get(name)? {
        Val::Table(law) if law.kind == Some(empirical::VARIANT.kind) => empirical::plan(law),
        Val::Table(law) => {
            let declared = LAWS.iter().find(|known| Some(known.size.kind) == law.kind)?;
            (declared.plan)(law)
        }
        plain => magnitude(plain).map(Distribution::Constant),
    }
}

/// Returns a value as a number: bytes for a size, seconds for a time.
fn magnitude(val: &Val) -> Option<f64> {
    match val {
        Val::Bytes(bytes) => Some(*bytes as f64),
        Val::Span(span) => Some(span.secs_f64()),
        _ => None,
    }
}
