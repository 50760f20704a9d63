//! Choice of the bitrate of the next segment.

use super::{BitrateRule, VideoPlan};
use airhop_base::Span;
use std::collections::VecDeque;

/// Number of past segments in the average throughput (Jiang, Sekar and Zhang, FESTIVE, CoNEXT 2012).
const THROUGHPUT_WINDOW: usize = 20;
/// Weight of continuous playback, γp, in units of utility (Spiteri, Urgaonkar and Sitaraman, BOLA, INFOCOM
/// 2016).
const GAMMA_P: f64 = 5.0;
/// Buffer level at which the hybrid rule changes between BOLA and the throughput rule (Spiteri, Sitaraman and
/// Sparacio, DYNAMIC, MMSys 2018).
const LOW_BUFFER: Span = Span::from_secs(10);

/// Rule that chooses bitrates, with its state.
#[derive(Debug)]
pub(super) struct BitrateChooser {
    choice: BitrateRule,
    /// Bitrates in bit/s.
    ladder: Vec<f64>,
    segment: Span,
    /// Maximum ratio of a bitrate to the average throughput.
    safety: f64,
    /// Utility of each bitrate: ln(S_m / S_1), where S_m is the size of a segment with bitrate m.
    utilities: Vec<f64>,
    /// Parameter V of BOLA in segments: weight of utility against the buffer level.
    v: f64,
    /// Download times of the last segments in seconds per bit.
    past: VecDeque<f64>,
    /// True if the hybrid choice currently follows the buffer level (BOLA).
    follows_buffer: bool,
}

impl BitrateChooser {
    /// Creates the rule with the parameters of a video.
    pub fn new(
        &VideoPlan {
            bitrate_ladder: ref ladder,
            bitrate_rule: choice,
            segment_duration: segment,
            buffer_capacity: buffer,
            safety_factor: safety,
            ..
        }: &VideoPlan,
    ) -> Self {
        let ladder: Vec<f64> = ladder.iter().map(|rate| rate.bps() as f64).collect();
        let utilities: Vec<f64> = ladder.iter().map(|rate| libm::log(rate / ladder[0])).collect();
        let highest = utilities.last().copied().unwrap_or_default();
        // BOLA: the buffer, whose capacity is Q_max segments, never overflows if V <= (Q_max - 1) / (v_M +
        // γp).
        let v = (ratio(buffer, segment) - 1.0) / (highest + GAMMA_P);
        let past = VecDeque::new();
        BitrateChooser { choice, ladder, segment, safety, utilities, v, past, follows_buffer: false }
    }

    /// Records the download of a segment: its size in bits, and its download time.
    pub fn on_download(&mut self, bits: f64, took: Span) {
        if self.past.len() == THROUGHPUT_WINDOW {
            self.past.pop_front();
        }
        self.past.push_back(took.secs_f64() / bits);
    }

    /// Returns the bitrate index of the next segment. `level`: present buffer level.
    pub fn choose_bitrate(&mut self, level: Span) -> usize {
        match self.choice {
            BitrateRule::Buffer => self.choose_by_buffer(level),
            BitrateRule::Throughput => self.choose_by_throughput(),
            BitrateRule::Hybrid => {
                let (by_buffer, by_throughput) = (self.choose_by_buffer(level), self.choose_by_throughput());
                if self.follows_buffer {
                    self.follows_buffer = level >= LOW_BUFFER || by_buffer >= by_throughput;
                } else {
                    self.follows_buffer = level > LOW_BUFFER && by_buffer >= by_throughput;
                }
                if self.follows_buffer { by_buffer } else { by_throughput }
            }
        }
    }

    /// Returns the bitrate index m that BOLA-BASIC chooses. BOLA-BASIC maximises (V (v_m + γp) - Q) / S_m.
    /// Here v_m is the utility, Q the buffer level in segments, and S_m the segment size in units of S_1.
    fn choose_by_buffer(&self, level: Span) -> usize {
        let q = ratio(level, self.segment);
        let score = |m: usize| (self.v * (self.utilities[m] + GAMMA_P) - q) * self.ladder[0] / self.ladder[m];
        (1..self.ladder.len()).fold(0, |best, m| if score(m) > score(best) { m } else { best })
    }

    /// Returns the index of the highest bitrate up to `safety` times the harmonic mean of the last
    /// throughputs. Returns the lowest bitrate if no bitrate is low enough, or before the first segment.
    fn choose_by_throughput(&self) -> usize {
        let carried = self.safety * self.past.len() as f64 / self.past.iter().sum::<f64>();
        self.ladder.iter().rposition(|&bitrate| bitrate <= carried).unwrap_or(0)
    }
}

fn ratio(of: Span, to: Span) -> f64 {
    of.nanos() as f64 / to.nanos() as f64
}
