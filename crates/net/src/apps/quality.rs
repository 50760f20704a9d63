//! Quality of an application as its users perceive it. Each kind of application declares its quality numbers
//! in its own file. Documents, data frames, tables and the documentation are derived from these declarations.

mod call;
mod e_model;
mod game;
mod punctuality;
mod video;

pub use call::CallQuality;
pub(super) use e_model::Codec;
pub use game::GameQuality;
pub use punctuality::Punctuality;
pub use video::VideoQuality;

/// Quality of an application, by kind of application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quality {
    /// Quality of one direction of a call.
    Call(CallQuality),
    /// Quality of one direction of a game.
    Game(GameQuality),
    /// Quality of a video.
    Video(VideoQuality),
}

/// Declaration of one quality number, such as the mean opinion score of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QualityMetric {
    /// Key in the run document.
    pub key: &'static str,
    /// Label of axes and menus.
    pub label: &'static str,
    /// Heading of a narrow table column. Lines may break at spaces.
    pub short: &'static str,
    /// Unit; empty for counts and ratios.
    pub unit: &'static str,
    /// Definition of the number, in sentences.
    pub about: &'static str,
    /// True if the number is an integer.
    pub is_count: bool,
    /// Rule that combines the values of the flows of a class.
    pub class_aggregation: ClassAggregation,
}

/// Rule that combines the values of the flows of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClassAggregation {
    /// Sum over the flows.
    Sum,
    /// Mean over the flows with a value.
    Mean,
    /// Mean over the flows with a value. The lowest value is also reported, under this key.
    MeanAndLowest(&'static str),
}

impl Quality {
    /// Kinds of quality in order. Each kind has its key in the run document and its declared numbers.
    pub(crate) const KINDS: [(&'static str, &'static [QualityMetric]); 3] =
        [("call", &CallQuality::METRICS), ("game", &GameQuality::METRICS), ("video", &VideoQuality::METRICS)];

    /// Returns the key of the kind and the values of its numbers, in the order of declaration.
    pub(crate) fn values(&self) -> (&'static str, Vec<Option<f64>>) {
        match self {
            Quality::Call(call) => ("call", call.values().into()),
            Quality::Game(game) => ("game", game.values().into()),
            Quality::Video(video) => ("video", video.values().into()),
        }
    }
}

/// Declares a count.
const fn count_metric(
    key: &'static str,
    label: &'static str,
    short: &'static str,
    about: &'static str,
) -> QualityMetric {
    QualityMetric {
        key,
        label,
        short,
        unit: "",
        about,
        is_count: true,
        class_aggregation: ClassAggregation::Sum,
    }
}

/// Declares a number. The value of a class is the mean over its flows.
const fn mean_metric(
    key: &'static str,
    label: &'static str,
    short: &'static str,
    unit: &'static str,
    about: &'static str,
) -> QualityMetric {
    QualityMetric {
        key,
        label,
        short,
        unit,
        about,
        is_count: false,
        class_aggregation: ClassAggregation::Mean,
    }
}
