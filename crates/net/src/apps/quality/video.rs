//! Quality of a video.

use super::{ClassAggregation, QualityMetric};
use airhop_base::Span;

/// Quality of a video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VideoQuality {
    /// Startup delay: time from the start of the application to the start of playback; `None` before
    /// playback.
    pub startup_delay: Option<Span>,
    /// Number of stalls: interruptions of playback by an empty buffer.
    pub stalls: u64,
    /// Time in stalls.
    pub stalled_time: Span,
    /// Time in which the video played.
    pub played_time: Span,
    /// Integral of the bitrate over the played time in bit/s × ns.
    pub played_bits: u128,
    /// Number of changes of the bitrate between played segments.
    pub bitrate_switches: u64,
    /// Number of downloaded segments.
    pub downloaded_segments: u64,
}

impl VideoQuality {
    /// Numbers of the quality, in the order of the run document.
    pub(super) const METRICS: [QualityMetric; 8] = [
        QualityMetric {
            key: "startup_s",
            label: "Startup delay of video",
            short: "startup",
            unit: "s",
            about: "Startup delay of a video, from the start of the flow to the beginning of playback, also if playback began in the \
                    warm-up. Null before playback.",
            is_count: false,
            class_aggregation: ClassAggregation::Mean,
        },
        QualityMetric {
            key: "stalls",
            label: "Stalls of video",
            short: "stalls",
            unit: "",
            about: "Stalls of a video: interruptions of playback by an empty buffer, the one at the end of the run included.",
            is_count: true,
            class_aggregation: ClassAggregation::Sum,
        },
        QualityMetric {
            key: "stalled_s",
            label: "Time in stalls of video",
            short: "stalled",
            unit: "s",
            about: "Time in stalls of a video. Without a warm-up, startup delay, played time and time in stalls cover the time from the \
                    start of the flow to the end of the run.",
            is_count: false,
            class_aggregation: ClassAggregation::Sum,
        },
        QualityMetric {
            key: "stalled_pct",
            label: "Stalled share of video",
            short: "stalled",
            unit: "%",
            about: "Percentage of the time since the beginning of playback in which a video stalled. Null before playback.",
            is_count: false,
            class_aggregation: ClassAggregation::Mean,
        },
        QualityMetric {
            key: "played_s",
            label: "Played time of video",
            short: "played",
            unit: "s",
            about: "Time in which a video played.",
            is_count: false,
            class_aggregation: ClassAggregation::Sum,
        },
        QualityMetric {
            key: "bitrate_mbps",
            label: "Bitrate of played video",
            short: "bitrate",
            unit: "Mbit/s",
            about: "Mean bitrate of a video over its played time. Null before playback.",
            is_count: false,
            class_aggregation: ClassAggregation::Mean,
        },
        QualityMetric {
            key: "switches",
            label: "Bitrate switches of video",
            short: "switches",
            unit: "",
            about: "Changes of the bitrate between successive played segments of a video.",
            is_count: true,
            class_aggregation: ClassAggregation::Sum,
        },
        QualityMetric {
            key: "segments",
            label: "Segments of video",
            short: "segments",
            unit: "",
            about: "Downloaded segments of a video.",
            is_count: true,
            class_aggregation: ClassAggregation::Sum,
        },
    ];

    /// Returns the values of the numbers, in the order of their declaration.
    pub(super) fn values(&self) -> [Option<f64>; 8] {
        [
            self.startup_delay.map(Span::secs_f64),
            Some(self.stalls as f64),
            Some(self.stalled_time.secs_f64()),
            self.stalled_pct(),
            Some(self.played_time.secs_f64()),
            self.bitrate_mbps(),
            Some(self.bitrate_switches as f64),
            Some(self.downloaded_segments as f64),
        ]
    }

    /// Returns the stalled time in percent of the time since playback began; `None` before playback.
    pub fn stalled_pct(&self) -> Option<f64> {
        let whole = self.played_time + self.stalled_time;
        (whole > Span::ZERO).then(|| 100.0 * self.stalled_time.secs_f64() / whole.secs_f64())
    }

    /// Returns the mean bitrate over the played time in Mbit/s; `None` before playback.
    pub fn bitrate_mbps(&self) -> Option<f64> {
        (self.played_time > Span::ZERO)
            .then(|| self.played_bits as f64 / self.played_time.nanos() as f64 / 1e6)
    }
}
