//! Requests and their responses.

use super::{App, AppFlow, AppPlan, Carrier, Direction, Distribution, Io, Opening};
use airhop_base::{Span, Time};
use airhop_engine::Stream;
use std::collections::VecDeque;

/// Requests and responses on one connection. The receiving node of the planned flow asks, its sending node
/// answers. One request is outstanding; later requests wait for its response, in order (HTTP/1.1 without
/// pipelining, RFC 9112 §9.3.2).
///
/// The connection is two flows: the requests, which open the connection, and the responses, the planned flow. Each
/// acknowledges its data with pure ACKs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestResponse {
    /// Size of a request, bytes.
    pub request: Distribution,
    /// Size of a response, bytes.
    pub response: Distribution,
    /// Times of the requests.
    pub arrivals: Arrivals,
}

/// Times of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// Open loop: gaps of this distribution, seconds. The first request comes after the first gap.
    Open(Distribution),
    /// Closed loop: a request comes this time, in seconds, after the response to the one before; the first at
    /// the start.
    Closed(Distribution),
}

/// Flow of the requests: the first that the application opens.
const REQUESTS: AppFlow = AppFlow(1);
/// Flow of the responses.
const RESPONSES: AppFlow = AppFlow::PLANNED;

/// Maximum size of a request or response, bytes.
const LARGEST: f64 = u32::MAX as f64;
/// Maximum gap and think time, seconds: beyond any run.
const LONGEST_S: f64 = 1e6;

impl AppPlan for RequestResponse {
    fn carrier(&self) -> Carrier {
        Carrier::Tcp
    }

    fn opens_connection(&self) -> bool {
        true
    }

    fn open(&self, opening: &Opening) -> Box<dyn App> {
        let stream = |of: &str| opening.streams.stream(&format!("{}.app.{of}", opening.name));
        Box::new(Client {
            plan: *self,
            sizes: [stream("request"), stream("response")],
            gaps: stream("arrivals"),
            requests: VecDeque::new(),
            written: [0; 2],
            due: None,
        })
    }
}

/// Client and server.
#[derive(Debug)]
struct Client {
    plan: RequestResponse,
    /// Streams of the sizes of requests and responses.
    sizes: [Stream; 2],
    /// Stream of the gaps or think times.
    gaps: Stream,
    /// Requests without a complete response, in the order of their arrival; the first is outstanding.
    requests: VecDeque<Request>,
    /// Bytes written so far into the flow of the requests and that of the responses.
    written: [u64; 2],
    /// Arrival of the next request.
    due: Option<Time>,
}

/// Request.
#[derive(Clone, Copy, Debug)]
struct Request {
    arrived: Time,
    bytes: u64,
    response: u64,
}

impl Client {
    fn gap(&mut self, of: Distribution) -> Span {
        Span::from_secs_f64(of.draw(LONGEST_S, &mut self.gaps))
    }

    /// Adds a request, and sends it if no other is outstanding.
    fn arrive(&mut self, now: Time, io: &mut Io) {
        let [of_request, of_response] = &mut self.sizes;
        let bytes = size(self.plan.request, of_request);
        let response = size(self.plan.response, of_response);
        self.requests.push_back(Request { arrived: now, bytes, response });
        if self.requests.len() == 1 {
            self.ask(bytes, io);
        }
    }

    fn ask(&mut self, bytes: u64, io: &mut Io) {
        self.written[0] += bytes;
        io.expect(REQUESTS, self.written[0]);
        io.write(REQUESTS, bytes);
    }

    fn answer(&mut self, bytes: u64, io: &mut Io) {
        self.written[1] += bytes;
        io.expect(RESPONSES, self.written[1]);
        io.write(RESPONSES, bytes);
    }

    /// Completes the outstanding request, and sends the next.
    fn complete(&mut self, now: Time, io: &mut Io) {
        if let Some(request) = self.requests.pop_front() {
            io.complete(request.arrived);
        }
        if let Some(&next) = self.requests.front() {
            self.ask(next.bytes, io);
        }
        if let Arrivals::Closed(think) = self.plan.arrivals {
            self.due = Some(now + self.gap(think));
        }
    }
}

/// Draws a size of at least one byte.
fn size(of: Distribution, stream: &mut Stream) -> u64 {
    libm::round(of.draw(LARGEST, stream)).max(1.0) as u64
}

impl App for Client {
    fn on_start(&mut self, now: Time, io: &mut Io) {
        io.open(Direction::Backward, "requests");
        match self.plan.arrivals {
            Arrivals::Open(gaps) => self.due = Some(now + self.gap(gaps)),
            Arrivals::Closed(_) => self.arrive(now, io),
        }
    }

    fn on_due(&mut self, now: Time, io: &mut Io) {
        self.due = match self.plan.arrivals {
            Arrivals::Open(gaps) => Some(now + self.gap(gaps)),
            Arrivals::Closed(_) => None,
        };
        self.arrive(now, io);
    }

    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut Io) {
        let Some(&outstanding) = self.requests.front() else { return };
        match flow {
            REQUESTS => self.answer(outstanding.response, io),
            _ => self.complete(now, io),
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.due
    }

    fn unfinished(&self) -> Option<u64> {
        Some(self.requests.len() as u64)
    }
}
