//! Applications. Each has a file in this folder with its plan, its state machine, and its mean rate, which
//! the oracle uses. The state machine writes data, handles deliveries and has a timer. Applications do not
//! access the world: they return orders, which the world executes (`world/applications`).

mod bulk;
mod call;
mod cbr;
mod connection;
mod conversation;
mod distribution;
mod game;
mod pareto_on_off;
mod quality;
mod request_response;
mod transfer;
mod video;
mod web;

pub use bulk::Bulk;
pub use call::Call;
pub use cbr::Cbr;
pub use connection::Connection;
pub use distribution::{Cdf, Distribution};
pub use game::Game;
pub use pareto_on_off::ParetoOnOff;
pub use quality::{CallQuality, GameQuality, Punctuality, Quality, VideoQuality};
pub(crate) use quality::{InClass, Number};
pub use request_response::{Arrivals, Connections, RequestResponse};
pub use transfer::Transfer;
pub use video::{Choice, Video};
pub use web::{Object, Page, Web};

use airhop_base::Time;
use airhop_engine::Streams;
use connection::Pool;
use std::fmt::{self, Debug};

/// Plan of an application: its parameters, checked by the reader of the scenario.
pub trait AppPlan: Debug + Send + Sync {
    /// Returns the transport protocol that carries the application.
    fn transport(&self) -> TransportProtocol;
    /// Creates the application of a flow.
    fn open(&self, opening: &Opening) -> Box<dyn App>;
    /// True if the node that receives the plan's flow opens the connection. The plan's flow is then one
    /// direction of this connection, and has no handshake of its own.
    fn opens_connection(&self) -> bool {
        false
    }
    /// True if the application sends datagrams in both directions and handles their arrivals. The application
    /// then opens a second flow, from the receiving node of the plan's flow.
    fn is_conversation(&self) -> bool {
        false
    }
    /// Returns the payload of a datagram, bytes; `None` if the flow of the plan sets it.
    fn datagram(&self) -> Option<u32> {
        None
    }
    /// Returns the mean payload rate in one direction, bit/s, of an application that sends datagrams. Zero
    /// for TCP, because the network determines the rate of a TCP flow.
    fn mean_rate(&self) -> f64 {
        0.0
    }
}

/// Transport protocol that an application needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportProtocol {
    /// TCP connections.
    Tcp,
    /// UDP datagrams.
    Udp,
}

impl fmt::Display for TransportProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TransportProtocol::Tcp => "TCP",
            TransportProtocol::Udp => "UDP",
        })
    }
}

/// Parameters with which an application is opened: its flow, and its random streams.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Name of the flow. The names of the application's random streams begin with it.
    pub name: &'a str,
    /// Payload of a datagram of the flow, bytes; zero for TCP.
    pub datagram: u32,
    /// Random streams of the run.
    pub streams: &'a Streams,
}

/// Application in a run, with the state of both endpoints; it has no I/O or clock.
pub trait App: Debug + Send {
    /// Starts the application, at the start time of its flow.
    fn on_start(&mut self, now: Time, io: &mut Io);
    /// Handles a delivery that the application requested with [`Io::expect`]: the receiving end of `flow` now
    /// has the requested number of bytes.
    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut Io) {
        let _ = (now, flow, io);
    }
    /// Handles the arrival of a datagram of a conversation. `number`: number of the datagram on its flow;
    /// `sent`: time of its transmission.
    fn on_datagram(&mut self, now: Time, flow: AppFlow, number: u64, sent: Time) {
        let _ = (now, flow, number, sent);
    }
    /// Handles the expiry of the application's timer.
    fn on_due(&mut self, now: Time, io: &mut Io) {
        let _ = (now, io);
    }
    /// Returns the expiry time of the application's timer; `None` if it is stopped.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }
    /// Returns the number of transfers or requests that have begun and not completed; `None` for an
    /// application without transfers or requests.
    fn unfinished(&self) -> Option<u64> {
        None
    }
    /// Ends the warm-up at `now`: events before `now` no longer count in the quality.
    fn begin_anew(&mut self, now: Time) {
        let _ = now;
    }
    /// Returns the quality of the application up to `now`, for the receiver of the plan's flow. `None` if the
    /// application has no measure of quality.
    fn quality(&self, now: Time) -> Option<Quality> {
        let _ = now;
        None
    }
    /// Returns the quality of a conversation's reverse flow up to `now`. The receiver of that flow is the
    /// sender of the plan's flow.
    fn reverse_quality(&self, now: Time) -> Option<Quality> {
        let _ = now;
        None
    }
}

/// Flow of an application: index among the flows of this application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppFlow(pub u16);

impl AppFlow {
    /// Flow of the plan.
    pub const PLANNED: AppFlow = AppFlow(0);
}

/// Direction of a flow that an application opens, relative to the flow of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the sending node of the plan's flow to the receiving node.
    Forward,
    /// From the receiving node to the sending node.
    Backward,
}

/// Number of bytes of an endless source, more than any run can send.
pub const ENDLESS: u64 = 1 << 62;

/// Orders of an application to its transport, in the order in which they were given.
#[derive(Debug, Default)]
pub struct Io {
    pub(crate) orders: Vec<Order>,
}

/// Order of an application to its transport.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// Adds this number of bytes to the stream of a TCP flow.
    Write(AppFlow, u64),
    /// Requests [`App::on_delivered`] once this number of bytes was delivered.
    Expect(AppFlow, u64),
    /// Sends a datagram.
    Send(AppFlow),
    /// Opens a flow. The text is the suffix of the flow's name.
    Open(Direction, &'static str),
    /// Opens a connection.
    Connect(Connection),
    /// Closes the sending side of a flow after the bytes written so far.
    Close(AppFlow),
    /// Records the completion of a transfer or request that began at this time.
    Complete(Time),
    /// Records the completion of the application.
    Finish,
}

impl Io {
    /// Writes `bytes` further bytes into a TCP flow.
    pub fn write(&mut self, flow: AppFlow, bytes: u64) {
        self.orders.push(Order::Write(flow, bytes));
    }

    /// Requests a call of [`App::on_delivered`] when the receiving end of a TCP flow has at least `total`
    /// bytes. A later request for the same flow replaces this request.
    pub fn expect(&mut self, flow: AppFlow, total: u64) {
        self.orders.push(Order::Expect(flow, total));
    }

    /// Sends a datagram of the flow's size.
    pub fn send(&mut self, flow: AppFlow) {
        self.orders.push(Order::Send(flow));
    }

    /// Opens a flow in this direction, with the parameters of the plan's flow. Its index is the next
    /// [`AppFlow`]. Its name is the name of the plan's flow, a space and `suffix`.
    pub fn open(&mut self, direction: Direction, suffix: &'static str) {
        self.orders.push(Order::Open(direction, suffix));
    }

    /// Opens a TCP connection with the parameters of the plan's flow. An application that calls this must not
    /// call [`Io::open`].
    pub fn connect(&mut self, connection: Connection) {
        self.orders.push(Order::Connect(connection));
    }

    /// Closes one side of a connection after the bytes written so far (RFC 9293 §3.10.4). The peer reads the
    /// end of the stream, and then closes its side.
    pub fn close(&mut self, flow: AppFlow) {
        self.orders.push(Order::Close(flow));
    }

    /// Records the completion of a transfer or request that began at time `since`.
    pub fn complete(&mut self, since: Time) {
        self.orders.push(Order::Complete(since));
    }

    /// Records the completion of an application that transfers a finite size.
    pub fn finish(&mut self) {
        self.orders.push(Order::Finish);
    }
}
