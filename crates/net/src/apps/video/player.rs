//! Playback of a video: its buffer of downloaded segments, and its interruptions.

use crate::apps::VideoQuality;
use airhop_base::{Rate, Span, Time};
use std::collections::VecDeque;

/// Player that plays the segments of a video in order. Playback begins, or resumes after a stall, at a
/// threshold of the buffer level.
#[derive(Clone, Debug)]
pub(super) struct Player {
    /// Duration of a segment.
    segment: Span,
    /// Buffer level at which playback begins or resumes.
    startup: Span,
    /// Start time of the application.
    since: Time,
    /// Time up to which playback has been computed.
    now: Time,
    is_playing: bool,
    /// Bitrates of the segments in the buffer, in order. The first may be played in part.
    buffer: VecDeque<Rate>,
    /// Part of the first buffered segment that has already been played.
    part: Span,
    /// Bitrate of the last segment whose playback has begun.
    last: Option<Rate>,
    quality: VideoQuality,
}

impl Player {
    /// Creates a player with an empty buffer, for an application that starts at `since`.
    pub fn new(segment: Span, startup: Span, since: Time) -> Self {
        Player {
            segment,
            startup,
            since,
            now: since,
            is_playing: false,
            buffer: VecDeque::new(),
            part: Span::ZERO,
            last: None,
            quality: VideoQuality::default(),
        }
    }

    /// Returns the buffer level: playback time of the downloaded video that was not yet played.
    pub fn buffer_level(&self) -> Span {
        self.segment * self.buffer.len() as u64 - self.part
    }

    /// Adds a downloaded segment to the buffer, and begins or resumes playback if the buffer level suffices.
    pub fn push_segment(&mut self, bitrate: Rate) {
        self.buffer.push_back(bitrate);
        self.quality.downloaded_segments += 1;
        if !self.is_playing && self.buffer_level() >= self.startup {
            self.is_playing = true;
            self.quality.startup_delay.get_or_insert(self.now - self.since);
        }
    }

    /// Plays up to `now`. Playback stalls when the buffer is empty. A segment that arrives at that instant
    /// prevents the stall.
    pub fn advance(&mut self, now: Time) {
        let mut left = now - self.now;
        self.now = now;
        while self.is_playing && left > Span::ZERO {
            let Some(&bitrate) = self.buffer.front() else {
                self.is_playing = false;
                self.quality.stalls += 1;
                break;
            };
            let played = left.min(self.segment - self.part);
            self.play(bitrate, played);
            left = left - played;
        }
        if !self.is_playing && self.quality.startup_delay.is_some() {
            self.quality.stalled_time = self.quality.stalled_time + left;
        }
    }

    /// Plays a part of the first segment in the buffer.
    fn play(&mut self, bitrate: Rate, played: Span) {
        if self.part == Span::ZERO && self.last.replace(bitrate).is_some_and(|last| last != bitrate) {
            self.quality.bitrate_switches += 1;
        }
        self.quality.played_time = self.quality.played_time + played;
        self.quality.played_bits += u128::from(bitrate.bps()) * u128::from(played.nanos());
        self.part = self.part + played;
        if self.part == self.segment {
            self.buffer.pop_front();
            self.part = Span::ZERO;
        }
    }

    /// Ends the warm-up at `now`. The quality then covers only later playback and stalls. The startup delay
    /// is kept.
    pub fn end_warm_up(&mut self, now: Time) {
        self.advance(now);
        self.quality = VideoQuality { startup_delay: self.quality.startup_delay, ..VideoQuality::default() };
    }

    /// Returns the quality of the video until `now`.
    pub fn quality(&self, now: Time) -> VideoQuality {
        let mut then = self.clone();
        then.advance(now);
        then.quality
    }
}
