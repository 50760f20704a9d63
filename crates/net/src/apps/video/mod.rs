//! Adaptive video streaming over HTTP (DASH, HLS).

mod choice;
mod player;

use super::{App, AppContext, AppFlow, AppPlan, AppSetup, Direction, Quality, TransportProtocol};
use airhop_base::{Rate, Span, Time};
use choice::BitrateChooser;
use player::Player;
use std::sync::Arc;

/// Endless video. The receiver of the plan's flow is the player, and the sender is the server.
///
/// The player requests one segment after the other on one connection (HTTP/1.1 without pipelining, RFC 9112
/// §9.3.2). A request is sent as soon as the buffer has room for a segment. The server answers at once. The
/// bitrate is constant within a segment.
#[derive(Clone, Debug, PartialEq)]
pub struct VideoPlan {
    /// Bitrates, ascending.
    pub bitrate_ladder: Arc<[Rate]>,
    /// Duration of a segment.
    pub segment_duration: Span,
    /// Capacity of the buffer, as playback time; at least two segments.
    pub buffer_capacity: Span,
    /// Buffer level at which playback begins, or resumes after a stall.
    pub startup_level: Span,
    /// Size of a request in bytes.
    pub request_bytes: u64,
    /// Rule that chooses the bitrate of each segment.
    pub bitrate_rule: BitrateRule,
    /// Maximum ratio of a bitrate to the average throughput, for rules that use the throughput.
    pub safety_factor: f64,
}

/// Rule that chooses the bitrate of each segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitrateRule {
    /// By the buffer level, BOLA-BASIC (Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016).
    Buffer,
    /// By the throughput of the last segments (Jiang, Sekar and Zhang, FESTIVE, CoNEXT 2012).
    Throughput,
    /// By the throughput if the buffer level is low, and otherwise by the buffer level (Spiteri, Sitaraman
    /// and Sparacio, DYNAMIC, MMSys 2018).
    Hybrid,
}

/// Flow of the requests, the first flow that the application opens.
const REQUEST_FLOW: AppFlow = AppFlow(1);
/// Flow of the segments.
const SEGMENT_FLOW: AppFlow = AppFlow::PLANNED;

impl AppPlan for VideoPlan {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Tcp
    }

    fn opens_connection(&self) -> bool {
        true
    }

    fn create_app(&self, _: &AppSetup) -> Box<dyn App> {
        let chooser = BitrateChooser::new(self);
        Box::new(Client {
            plan: self.clone(),
            chooser,
            player: None,
            asked: None,
            due: None,
            written: [0; 2],
        })
    }
}

impl VideoPlan {
    /// Returns the size of a segment in bytes, at least one byte.
    fn segment_bytes(&self, bitrate: Rate) -> u64 {
        const BYTE: u128 = 8 * Span::from_secs(1).nanos() as u128;
        let bits = u128::from(bitrate.bps()) * u128::from(self.segment_duration.nanos());
        ((bits + BYTE / 2) / BYTE).clamp(1, u64::MAX.into()) as u64
    }
}

/// Video in a run: the player, and its requests to the server.
#[derive(Debug)]
struct Client {
    plan: VideoPlan,
    chooser: BitrateChooser,
    /// Player; `None` before the start.
    player: Option<Player>,
    /// Outstanding request; `None` if no segment is requested.
    asked: Option<SegmentRequest>,
    /// Time of the next request, when the buffer has room for a segment; `None` while a request is
    /// outstanding.
    due: Option<Time>,
    /// Number of request bytes and of segment bytes written so far.
    written: [u64; 2],
}

/// Request of a segment.
#[derive(Clone, Copy, Debug)]
struct SegmentRequest {
    bitrate: Rate,
    at: Time,
}

impl Client {
    /// Requests a segment if the buffer has room for it, or sets the timer.
    fn request_segment(&mut self, now: Time, io: &mut AppContext) {
        let level = self.player.as_ref().map_or(Span::ZERO, Player::buffer_level);
        let over = (level + self.plan.segment_duration).saturating_sub(self.plan.buffer_capacity);
        if over > Span::ZERO {
            self.due = Some(now + over);
            return;
        }
        let bitrate = self.plan.bitrate_ladder[self.chooser.choose_bitrate(level)];
        self.asked = Some(SegmentRequest { bitrate, at: now });
        self.written[0] += self.plan.request_bytes;
        io.notify_on_delivery(REQUEST_FLOW, self.written[0]);
        io.write(REQUEST_FLOW, self.plan.request_bytes);
    }

    fn send_segment(&mut self, asked: SegmentRequest, io: &mut AppContext) {
        let bytes = self.plan.segment_bytes(asked.bitrate);
        self.written[1] += bytes;
        io.notify_on_delivery(SEGMENT_FLOW, self.written[1]);
        io.write(SEGMENT_FLOW, bytes);
    }

    /// Adds the requested segment to the buffer.
    fn add_segment(&mut self, now: Time, asked: SegmentRequest, io: &mut AppContext) {
        let Some(player) = &mut self.player else { return };
        player.advance(now);
        player.push_segment(asked.bitrate);
        self.chooser.on_download(8.0 * self.plan.segment_bytes(asked.bitrate) as f64, now - asked.at);
        self.asked = None;
        self.request_segment(now, io);
    }
}

impl App for Client {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        io.open_flow(Direction::Backward, "requests");
        self.player = Some(Player::new(self.plan.segment_duration, self.plan.startup_level, now));
        self.request_segment(now, io);
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        self.due = None;
        if let Some(player) = &mut self.player {
            player.advance(now);
        }
        self.request_segment(now, io);
    }

    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut AppContext) {
        let Some(asked) = self.asked else { return };
        match flow {
            REQUEST_FLOW => self.send_segment(asked, io),
            _ => self.add_segment(now, asked, io),
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.due
    }

    fn end_warm_up(&mut self, now: Time) {
        if let Some(player) = &mut self.player {
            player.end_warm_up(now);
        }
    }

    fn quality(&self, now: Time) -> Option<Quality> {
        Some(Quality::Video(self.player.as_ref().map(|player| player.quality(now)).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests;
