//! Request-response application.

use super::{
    App, AppConnection, AppContext, AppFlow, AppPlan, AppSetup, ConnectionPool, Direction, Distribution,
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
pub struct RequestResponsePlan {
    /// Size of a request in bytes.
    pub request_size: Distribution,
    /// Size of a response in bytes.
    pub response_size: Distribution,
    /// Arrival times of requests at the application.
    pub arrivals: RequestArrivals,
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
pub enum RequestArrivals {
    /// Open loop: distribution of the intervals between requests in seconds. The first request starts after
    /// the first interval.
    Open(Distribution),
    /// Closed loop: distribution of the think time in seconds. A request starts one think time after the
    /// previous response. The first request starts with the application.
    Closed(Distribution),
}

/// Flow of the requests, the first flow that the application opens.
const REQUEST_FLOW: AppFlow = AppFlow(1);
/// Flow of the responses.
const RESPONSE_FLOW: AppFlow = AppFlow::PLANNED;

impl AppPlan for RequestResponsePlan {
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
            ConnectionReuse::New => Box::new(PerRequestClient {
                requests,
                waiting: VecDeque::new(),
                asked: ConnectionPool::default(),
            }),
        }
    }
}

/// State of the client that draws requests: distributions, random streams, and time of the next request.
#[derive(Debug)]
struct RequestGenerator {
    plan: RequestResponsePlan,
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
    fn draw_request(&mut self, now: Time) -> Request {
        let [of_request, of_response] = &mut self.sizes;
        let bytes = self.plan.request_size.draw_size(of_request);
        let response = self.plan.response_size.draw_size(of_response);
        Request { arrived: now, bytes, response }
    }

    /// Draws the first request in a closed loop. In an open loop, sets the time of the first request and
    /// returns `None`.
    fn draw_first(&mut self, now: Time) -> Option<Request> {
        match &self.plan.arrivals {
            RequestArrivals::Open(gaps) => {
                self.due = Some(now + gaps.draw_time(&mut self.gaps));
                None
            }
            RequestArrivals::Closed(_) => Some(self.draw_request(now)),
        }
    }

    /// Draws the request that starts at `now`. In an open loop, also sets the time of the next request.
    fn on_timeout(&mut self, now: Time) -> Request {
        self.due = match &self.plan.arrivals {
            RequestArrivals::Open(gaps) => Some(now + gaps.draw_time(&mut self.gaps)),
            RequestArrivals::Closed(_) => None,
        };
        self.draw_request(now)
    }

    /// Sets the time of the next request after a response. No effect in an open loop.
    fn on_response(&mut self, now: Time) {
        if let RequestArrivals::Closed(think) = &self.plan.arrivals {
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
    fn add_request(&mut self, request: Request, io: &mut AppContext) {
        self.waiting.push_back(request);
        if self.waiting.len() == 1 {
            self.send_request(request.bytes, io);
        }
    }

    fn send_request(&mut self, bytes: u64, io: &mut AppContext) {
        self.written[0] += bytes;
        io.notify_on_delivery(REQUEST_FLOW, self.written[0]);
        io.write(REQUEST_FLOW, bytes);
    }

    fn send_response(&mut self, bytes: u64, io: &mut AppContext) {
        self.written[1] += bytes;
        io.notify_on_delivery(RESPONSE_FLOW, self.written[1]);
        io.write(RESPONSE_FLOW, bytes);
    }

    /// Completes the outstanding request, and sends the next waiting request.
    fn complete_request(&mut self, now: Time, io: &mut AppContext) {
        if let Some(request) = self.waiting.pop_front() {
            io.record_completion(request.arrived);
        }
        if let Some(&next) = self.waiting.front() {
            self.send_request(next.bytes, io);
        }
        self.requests.on_response(now);
    }
}

impl App for Client {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        io.open_flow(Direction::Backward, "requests");
        if let Some(request) = self.requests.draw_first(now) {
            self.add_request(request, io);
        }
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        let request = self.requests.on_timeout(now);
        self.add_request(request, io);
    }

    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut AppContext) {
        let Some(&outstanding) = self.waiting.front() else { return };
        match flow {
            REQUEST_FLOW => self.send_response(outstanding.response, io),
            _ => self.complete_request(now, io),
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
    asked: ConnectionPool<Request>,
}

impl PerRequestClient {
    fn add_request(&mut self, request: Request, io: &mut AppContext) {
        match self.asked.open(request) {
            Some(connection) => send_request(connection, request, io),
            None => self.waiting.push_back(request),
        }
    }

    fn send_response(&mut self, connection: AppConnection, io: &mut AppContext) {
        let Some(request) = self.asked.get(connection) else { return };
        io.notify_on_delivery(connection.response_flow(), request.response);
        io.write(connection.response_flow(), request.response);
        io.close(connection.response_flow());
    }

    fn complete_request(&mut self, now: Time, connection: AppConnection, io: &mut AppContext) {
        let Some(request) = self.asked.close(connection) else { return };
        io.record_completion(request.arrived);
        self.requests.on_response(now);
        if let Some(next) = self.waiting.pop_front() {
            self.add_request(next, io);
        }
    }
}

/// Sends a request on a new connection.
fn send_request(connection: AppConnection, request: Request, io: &mut AppContext) {
    io.connect(connection);
    io.notify_on_delivery(connection.request_flow(), request.bytes);
    io.write(connection.request_flow(), request.bytes);
}

impl App for PerRequestClient {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        if let Some(request) = self.requests.draw_first(now) {
            self.add_request(request, io);
        }
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        let request = self.requests.on_timeout(now);
        self.add_request(request, io);
    }

    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut AppContext) {
        let Some(connection) = AppConnection::from_flow(flow) else { return };
        if flow == connection.request_flow() {
            self.send_response(connection, io);
        } else {
            self.complete_request(now, connection, io);
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.requests.due
    }

    fn unfinished_count(&self) -> Option<u64> {
        Some((self.asked.len() + self.waiting.len()) as u64)
    }
}
