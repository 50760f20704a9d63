//! Sizes and times of applications: a plain quantity, or a distribution `{ kind = … }` from which values are
//! drawn.

use super::empirical;
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{Choice, Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::apps::Distribution;

/// Kind of a key whose value is a size.
pub(super) const SIZE_KIND: ValueKind = ValueKind::Drawn { plain: &BYTES_KIND, choice: &SIZE_CHOICE };
/// Kind of a key whose value is a time.
pub(super) const TIME_KIND: ValueKind = ValueKind::Drawn { plain: &SPAN_KIND, choice: &TIME_CHOICE };

static BYTES_KIND: ValueKind = bytes_kind();
static SPAN_KIND: ValueKind = span_kind();

const fn bytes_kind() -> ValueKind {
    ValueKind::Bytes { least: 1, most: u32::MAX as u64 }
}

const fn span_kind() -> ValueKind {
    ValueKind::Span { least_ns: 1 }
}

/// Declaration of a distribution of sizes or times.
struct DistributionDeclaration {
    size: Variant,
    time: Variant,
    plan: fn(&Fields) -> Option<Distribution>,
}

static DISTRIBUTIONS: [&DistributionDeclaration; 3] = [&EXPONENTIAL, &LOGNORMAL, &PARETO];
static SIZE_CHOICE: Choice = Choice {
    what: "size",
    variants: &[&EXPONENTIAL.size, &LOGNORMAL.size, &PARETO.size, &empirical::VARIANT],
};
static TIME_CHOICE: Choice =
    Choice { what: "time", variants: &[&EXPONENTIAL.time, &LOGNORMAL.time, &PARETO.time] };

static EXPONENTIAL: DistributionDeclaration = DistributionDeclaration {
    size: Variant {
        example: r#"mean = "10 kB""#,
        ..Variant::new("exponential", "exponential distribution", &[mean_key(bytes_kind())])
    },
    time: Variant {
        example: r#"mean = "1 s""#,
        ..Variant::new("exponential", "exponential distribution", &[mean_key(span_kind())])
    },
    plan: |law| Some(Distribution::Exponential { mean: magnitude(law.get("mean")?)? }),
};

const ABOUT_LOGNORMAL: &str = "lognormal distribution: the natural logarithm is normally distributed";

static LOGNORMAL: DistributionDeclaration = DistributionDeclaration {
    size: Variant {
        example: r#"median = "10 kB", sigma = 1.5"#,
        ..Variant::new("lognormal", ABOUT_LOGNORMAL, &[median_key(bytes_kind()), SIGMA_KEY])
    },
    time: Variant {
        example: r#"median = "1 s", sigma = 1"#,
        ..Variant::new("lognormal", ABOUT_LOGNORMAL, &[median_key(span_kind()), SIGMA_KEY])
    },
    plan: |law| {
        Some(Distribution::Lognormal { median: magnitude(law.get("median")?)?, sigma: law.number("sigma")? })
    },
};

static PARETO: DistributionDeclaration = DistributionDeclaration {
    size: Variant {
        example: r#"mean = "10 kB", shape = 1.5"#,
        ..Variant::new("pareto", "Pareto distribution", &[mean_key(bytes_kind()), SHAPE_KEY])
    },
    time: Variant {
        example: r#"mean = "1 s", shape = 1.5"#,
        ..Variant::new("pareto", "Pareto distribution", &[mean_key(span_kind()), SHAPE_KEY])
    },
    plan: |law| {
        Some(Distribution::Pareto { mean: magnitude(law.get("mean")?)?, shape: law.number("shape")? })
    },
};

const fn mean_key(kind: ValueKind) -> Key {
    key("mean", kind, Required, "mean")
}

const fn median_key(kind: ValueKind) -> Key {
    key("median", kind, Required, "median")
}

const SIGMA_KEY: Key = key(
    "sigma",
    ValueKind::Number { least: 0.0, most: 10.0 },
    Required,
    "standard deviation of the natural logarithm; the mean is median * exp(sigma^2 / 2)",
);

const SHAPE_KEY: Key = key(
    "shape",
    ValueKind::Number { least: 1.01, most: 100.0 },
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

/// Returns the distribution of a key, in bytes for the kind [`SIZE_KIND`] and in seconds for [`TIME_KIND`].
pub(super) fn plan(app: &Fields, name: &str) -> Option<Distribution> {
    match app.get(name)? {
        Val::Table(law) if law.kind == Some(empirical::VARIANT.kind) => empirical::plan(law),
        Val::Table(law) => {
            let declared = DISTRIBUTIONS.iter().find(|known| Some(known.size.kind) == law.kind)?;
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
