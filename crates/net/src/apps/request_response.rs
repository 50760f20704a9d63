//! Request-response application.

use super::{
    App, AppConnection, AppContext, AppFlow, AppPlan, AppSetup, Direction, Distribution, Pool,
    TransportProtocol,
};
use airhop_base::Time;
use airhop_engine::RandomStream;
use std::collections::VecDeque;

/// Requests and responses. The receiver of the plan's flow is the client, and the sender is the server.
///
/// A connection consists of two flows, one for the requests and one for the responses. The client opens the
/// connection. Pure ACKs acknowledge the data of each flow.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestResponse {
    /// Size of a request in bytes.
    pub request: Distribution,
    /// Size of a response in bytes.
    pub response: Distribution,
    /// Arrival times of requests at the application.
    pub arrivals: Arrivals,
    /// Use of connections by requests.
    pub connections: ConnectionReuse,
}

/// Use of connections by requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionReuse {
    /// All requests share one connection. The plan's flow carries the responses. Only one request is
    /// outstanding, and later requests wait in order (HTTP/1.1 without pipelining, RFC 9112 §9.3.2).
    Reused,
    /// Each request opens a connection, and the server closes it after the response (HTTP/1.0, RFC 1945
    /// §1.3). At most [`AppConnection::MAX_OPEN`] requests are outstanding.
    New,
}

/// Rule for the start times of requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Open loop: distribution of the intervals between requests in seconds. The first request starts after
    /// the first interval.
    Open(Distribution),
    /// Closed loop: distribution of the think time in seconds. A request starts one think time after the
    /// previous response. The first request starts with the application.
    Closed(Distribution),
}

/// Flow of the requests, the first flow that the application opens.
const REQUESTS: AppFlow = AppFlow(1);
/// Flow of the responses.
const RESPONSES: AppFlow = AppFlow::PLANNED;

impl AppPlan for RequestResponse {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Tcp
    }

    fn opens_connection(&self) -> bool {
        self.connections == ConnectionReuse::Reused
    }

    fn create_app(&self, opening: &AppSetup) -> Box<dyn App> {
        let stream = |of: &str| opening.streams.stream(&format!("{}.app.{of}", opening.name));
        let requests = RequestGenerator {
            plan: self.clone(),
            sizes: [stream("request"), stream("response")],
            gaps: stream("arrivals"),
            due: None,
        };
        match self.connections {
            ConnectionReuse::Reused => {
                Box::new(Client { requests, waiting: VecDeque::new(), written: [0; 2] })
            }
            ConnectionReuse::New => {
                Box::new(PerRequestClient { requests, waiting: VecDeque::new(), asked: Pool::default() })
            }
        }
    }
}

/// State of the client that draws requests: distributions, random streams, and time of the next request.
#[derive(Debug)]
struct RequestGenerator {
    plan: RequestResponse,
    /// Random streams of the sizes of requests and of responses.
    sizes: [RandomStream; 2],
    /// Random stream of the intervals or think times.
    gaps: RandomStream,
    /// Time of the next request; `None` while the client waits for a response.
    due: Option<Time>,
}

/// Sizes and arrival time of a request.
#[derive(Clone, Copy, Debug)]
struct Request {
    arrived: Time,
    bytes: u64,
    response: u64,
}

impl RequestGenerator {
    /// Draws the request and response sizes of the request that starts at `now`.
    fn draw(&mut self, now: Time) -> Request {
        let [of_request, of_response] = &mut self.sizes;
        let bytes = self.plan.request.draw_size(of_request);
        let response = self.plan.response.draw_size(of_response);
        Request { arrived: now, bytes, response }
    }

    /// Draws the first request in a closed loop. In an open loop, sets the time of the first request and
    /// returns `None`.
    fn start(&mut self, now: Time) -> Option<Request> {
        match &self.plan.arrivals {
            Arrivals::Open(gaps) => {
                self.due = Some(now + gaps.draw_time(&mut self.gaps));
                None
            }
            Arrivals::Closed(_) => Some(self.draw(now)),
        }
    }

    /// Draws the request that starts at `now`. In an open loop, also sets the time of the next request.
    fn on_timeout(&mut self, now: Time) -> Request {
        self.due = match &self.plan.arrivals {
            Arrivals::Open(gaps) => Some(now + gaps.draw_time(&mut self.gaps)),
            Arrivals::Closed(_) => None,
        };
        self.draw(now)
    }

    /// Sets the time of the next request after a response. No effect in an open loop.
    fn on_response(&mut self, now: Time) {
        if let Arrivals::Closed(think) = &self.plan.arrivals {
            self.due = Some(now + think.draw_time(&mut self.gaps));
        }
    }
}

/// Request-response application with one connection for all requests.
#[derive(Debug)]
struct Client {
    requests: RequestGenerator,
    /// Requests without a complete response, in the order of their start. The first is outstanding.
    waiting: VecDeque<Request>,
    /// Number of request bytes and of response bytes written so far.
    written: [u64; 2],
}

impl Client {
    /// Adds a request, and sends it immediately if no other request is outstanding.
    fn arrive(&mut self, request: Request, io: &mut AppContext) {
        self.waiting.push_back(request);
        if self.waiting.len() == 1 {
            self.ask(request.bytes, io);
        }
    }

    fn ask(&mut self, bytes: u64, io: &mut AppContext) {
        self.written[0] += bytes;
        io.notify_on_delivery(REQUESTS, self.written[0]);
        io.write(REQUESTS, bytes);
    }

    fn answer(&mut self, bytes: u64, io: &mut AppContext) {
        self.written[1] += bytes;
        io.notify_on_delivery(RESPONSES, self.written[1]);
        io.write(RESPONSES, bytes);
    }

    /// Completes the outstanding request, and sends the next waiting request.
    fn complete(&mut self, now: Time, io: &mut AppContext) {
        if let Some(request) = self.waiting.pop_front() {
            io.record_completion(request.arrived);
        }
        if let Some(&next) = self.waiting.front() {
            self.ask(next.bytes, io);
        }
        self.requests.on_response(now);
    }
}

impl App for Client {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        io.open_flow(Direction::Backward, "requests");
        if let Some(request) = self.requests.start(now) {
            self.arrive(request, io);
        }
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        let request = self.requests.on_timeout(now);
        self.arrive(request, io);
    }

    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut AppContext) {
        let Some(&outstanding) = self.waiting.front() else { return };
        match flow {
            REQUESTS => self.answer(outstanding.response, io),
            _ => self.complete(now, io),
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.requests.due
    }

    fn unfinished_count(&self) -> Option<u64> {
        Some(self.waiting.len() as u64)
    }
}

/// Request-response application with a new connection for each request.
#[derive(Debug)]
struct PerRequestClient {
    requests: RequestGenerator,
    /// Requests that wait for a free connection, oldest first.
    waiting: VecDeque<Request>,
    /// Outstanding requests, by connection.
    asked: Pool<Request>,
}

impl PerRequestClient {
    fn arrive(&mut self, request: Request, io: &mut AppContext) {
        match self.asked.open(request) {
            Some(connection) => ask(connection, request, io),
            None => self.waiting.push_back(request),
        }
    }

    fn answer(&mut self, connection: AppConnection, io: &mut AppContext) {
        let Some(request) = self.asked.get(connection) else { return };
        io.notify_on_delivery(connection.responses(), request.response);
        io.write(connection.responses(), request.response);
        io.close(connection.responses());
    }

    fn complete(&mut self, now: Time, connection: AppConnection, io: &mut AppContext) {
        let Some(request) = self.asked.close(connection) else { return };
        io.record_completion(request.arrived);
        self.requests.on_response(now);
        if let Some(next) = self.waiting.pop_front() {
            self.arrive(next, io);
        }
    }
}

/// Sends a request on a new connection.
fn ask(connection: AppConnection, request: Request, io: &mut AppContext) {
    io.connect(connection);
    io.notify_on_delivery(connection.requests(), request.bytes);
    io.write(connection.requests(), request.bytes);
}

impl App for PerRequestClient {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        if let Some(request) = self.requests.start(now) {
            self.arrive(request, io);
        }
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        let request = self.requests.on_timeout(now);
        self.arrive(request, io);
    }

    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut AppContext) {
        let Some(connection) = AppConnection::from_flow(flow) else { return };
        if flow == connection.requests() {
            self.answer(connection, io);
        } else {
            self.complete(now, connection, io);
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.requests.due
    }

    fn unfinished_count(&self) -> Option<u64> {
        Some((self.asked.len() + self.waiting.len()) as u64)
    }
}
