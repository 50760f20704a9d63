//! Application that visits a web page repeatedly.

use super::connection::ConnectionPool;
use super::{App, AppConnection, AppContext, AppFlow, AppPlan, AppSetup, Distribution, TransportProtocol};
use airhop_base::Time;
use airhop_engine::RandomStream;
use std::collections::VecDeque;
use std::sync::Arc;

/// Successive visits to a web page. The receiver of the plan's flow is the browser, and the sender is the
/// server of all objects.
///
/// The browser opens up to six connections as needed. Each connection has one outstanding request at a time
/// (HTTP/1.1 without pipelining, RFC 9112 §9.3). The browser closes the connections when the page is
/// complete. The server answers at once.
#[derive(Clone, Debug, PartialEq)]
pub struct WebPlan {
    /// Objects of the page.
    pub page: Arc<WebPage>,
    /// Size of a request in bytes.
    pub request_size: Distribution,
    /// Think time between the completion of a page and the next visit, in seconds.
    pub think_time: Distribution,
}

/// Objects of a page, in the order of their requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage(Vec<PageObject>);

/// Object of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageObject {
    /// Size in bytes.
    pub bytes: u64,
    /// Indices of the objects that must arrive before the browser requests this object.
    pub dependencies: Vec<usize>,
}

impl WebPage {
    /// Creates a page.
    ///
    /// # Errors
    /// Index of an object that depends on itself or on a missing object.
    pub fn new(objects: Vec<PageObject>) -> Result<WebPage, usize> {
        let mut has_come = vec![false; objects.len()];
        loop {
            let is_free = |place: &usize| {
                objects[*place].dependencies.iter().all(|&other| has_come.get(other) == Some(&true))
            };
            let next: Vec<usize> =
                (0..objects.len()).filter(|place| !has_come[*place] && is_free(place)).collect();
            if next.is_empty() {
                break;
            }
            next.into_iter().for_each(|place| has_come[place] = true);
        }
        match has_come.iter().position(|has_come| !has_come) {
            Some(place) => Err(place),
            None => Ok(WebPage(objects)),
        }
    }

    /// Returns the objects.
    pub fn objects(&self) -> &[PageObject] {
        &self.0
    }
}

/// Maximum number of HTTP/1.1 connections from a browser to a server, as in Chromium and Firefox.
const MAX_CONNECTIONS: usize = 6;

impl AppPlan for WebPlan {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Tcp
    }

    fn create_app(&self, opening: &AppSetup) -> Box<dyn App> {
        let stream = |of: &str| opening.streams.stream(&format!("{}.app.{of}", opening.name));
        Box::new(Browser {
            plan: self.clone(),
            requests: stream("request"),
            thinks: stream("think"),
            due: None,
            since: None,
            missing: Vec::new(),
            known: VecDeque::new(),
            left: 0,
            connections: ConnectionPool::default(),
            idle: Vec::new(),
        })
    }
}

/// Web application in a run: the browser, and its connections to the server.
#[derive(Debug)]
struct Browser {
    plan: WebPlan,
    /// Random stream of the sizes of requests.
    requests: RandomStream,
    /// Random stream of the think times.
    thinks: RandomStream,
    /// Time of the next visit; `None` during a visit.
    due: Option<Time>,
    /// Start time of the visit; `None` between visits.
    since: Option<Time>,
    /// For each object, number of other objects that must still arrive before the browser requests it.
    missing: Vec<usize>,
    /// Objects that the browser can request now, in order.
    known: VecDeque<usize>,
    /// Number of objects of the page that have not arrived.
    left: usize,
    /// Open connections.
    connections: ConnectionPool<HttpExchange>,
    /// Connections without an outstanding request, in the order of their last use.
    idle: Vec<AppConnection>,
}

/// Requests and responses on a connection.
#[derive(Clone, Copy, Debug, Default)]
struct HttpExchange {
    /// Numbers of bytes written so far: of requests, and of responses.
    written: [u64; 2],
    /// Object of the outstanding request.
    object: usize,
}

impl Browser {
    fn visit(&mut self, now: Time, io: &mut AppContext) {
        let objects = self.plan.page.objects();
        self.since = Some(now);
        self.missing = objects.iter().map(|object| object.dependencies.len()).collect();
        self.left = objects.len();
        self.known = (0..objects.len()).filter(|&place| objects[place].dependencies.is_empty()).collect();
        self.request_objects(io);
    }

    /// Requests further objects while connections are available.
    fn request_objects(&mut self, io: &mut AppContext) {
        while let Some(&object) = self.known.front() {
            let Some(connection) = self.acquire_connection(io) else { return };
            self.known.pop_front();
            let bytes = self.plan.request_size.draw_size(&mut self.requests);
            let Some(exchange) = self.connections.get_mut(connection) else { return };
            exchange.object = object;
            exchange.written[0] += bytes;
            io.notify_on_delivery(connection.request_flow(), exchange.written[0]);
            io.write(connection.request_flow(), bytes);
        }
    }

    /// Returns an idle connection, or opens one; `None` if all six connections are in use.
    fn acquire_connection(&mut self, io: &mut AppContext) -> Option<AppConnection> {
        if let Some(connection) = self.idle.pop() {
            return Some(connection);
        }
        if self.connections.len() == MAX_CONNECTIONS {
            return None;
        }
        let connection = self.connections.open(HttpExchange::default())?;
        io.connect(connection);
        Some(connection)
    }

    /// Sends the response to the request on a connection.
    fn send_response(&mut self, connection: AppConnection, io: &mut AppContext) {
        let Some(exchange) = self.connections.get_mut(connection) else { return };
        let bytes = self.plan.page.objects()[exchange.object].bytes;
        exchange.written[1] += bytes;
        io.notify_on_delivery(connection.response_flow(), exchange.written[1]);
        io.write(connection.response_flow(), bytes);
    }

    /// Handles the complete arrival of the object requested on a connection.
    fn on_object_arrival(&mut self, now: Time, connection: AppConnection, io: &mut AppContext) {
        let Some(&HttpExchange { object, .. }) = self.connections.get(connection) else { return };
        self.idle.push(connection);
        self.left -= 1;
        let objects = self.plan.page.objects();
        for (place, other) in objects.iter().enumerate() {
            self.missing[place] -= other.dependencies.iter().filter(|&&before| before == object).count();
            if self.missing[place] == 0 && other.dependencies.contains(&object) {
                self.known.push_back(place);
            }
        }
        match self.left {
            0 => self.complete_visit(now, io),
            _ => self.request_objects(io),
        }
    }

    /// Completes the visit, and closes the connections.
    fn complete_visit(&mut self, now: Time, io: &mut AppContext) {
        for connection in std::mem::take(&mut self.idle) {
            self.connections.close(connection);
            io.close(connection.request_flow());
        }
        if let Some(since) = self.since.take() {
            io.record_completion(since);
        }
        self.due = Some(now + self.plan.think_time.draw_time(&mut self.thinks));
    }
}

impl App for Browser {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        self.visit(now, io);
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        self.due = None;
        self.visit(now, io);
    }

    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut AppContext) {
        let Some(connection) = AppConnection::from_flow(flow) else { return };
        if flow == connection.request_flow() {
            self.send_response(connection, io);
        } else {
            self.on_object_arrival(now, connection, io);
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.due
    }

    fn unfinished_count(&self) -> Option<u64> {
        Some(u64::from(self.since.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(after: &[usize]) -> PageObject {
        PageObject { bytes: 1, dependencies: after.into() }
    }

    // A page is refused if its objects wait for each other, because it would never be complete.
    #[test]
    fn a_page_with_circular_dependencies_is_refused() {
        assert!(WebPage::new(vec![object(&[1]), object(&[]), object(&[0, 1])]).is_ok());
        assert_eq!(WebPage::new(vec![object(&[]), object(&[2]), object(&[1])]), Err(1));
        assert_eq!(WebPage::new(vec![object(&[]), object(&[2])]), Err(1));
        assert_eq!(WebPage::new(vec![object(&[0])]), Err(0));
    }
}
