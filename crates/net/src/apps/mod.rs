//! Applications. Each file in this folder contains one application: its plan, its state machine, and its mean
//! rate for the oracle. The state machine writes data, handles deliveries and has a timer. Applications do
//! not access the world. They return orders for the world to execute (`world/applications`).

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

pub use bulk::BulkPlan;
pub use call::CallPlan;
pub use cbr::CbrPlan;
pub use connection::AppConnection;
pub use distribution::{Cdf, Distribution};
pub use game::GamePlan;
pub use pareto_on_off::ParetoOnOffPlan;
pub use quality::{CallQuality, GameQuality, Punctuality, Quality, VideoQuality};
pub(crate) use quality::{ClassAggregation, QualityMetric};
pub use request_response::{ConnectionReuse, RequestArrivals, RequestResponsePlan};
pub use transfer::TransferPlan;
pub use video::{BitrateRule, VideoPlan};
pub use web::{PageObject, WebPage, WebPlan};

use airhop_base::Time;
use airhop_engine::RandomStreams;
use connection::ConnectionPool;
use std::fmt::{self, Debug};

/// Plan of an application: its validated parameters from the scenario.
pub trait AppPlan: Debug + Send + Sync {
    /// Returns the transport protocol that carries the application.
    fn transport(&self) -> TransportProtocol;
    /// Creates the application of a flow.
    fn create_app(&self, opening: &AppSetup) -> Box<dyn App>;
    /// True if the receiver of the plan's flow opens the connection. The plan's flow is then one direction of
    /// this connection, and has no handshake of its own.
    fn opens_connection(&self) -> bool {
        false
    }
    /// True if the application sends datagrams in both directions and handles arriving datagrams. The
    /// application then opens a second flow in the opposite direction of the plan's flow.
    fn is_conversation(&self) -> bool {
        false
    }
    /// Returns the payload of a datagram in bytes; `None` if the flow's plan sets the payload.
    fn datagram_bytes(&self) -> Option<u32> {
        None
    }
    /// Returns the mean payload rate of datagrams per direction, in bit/s. Zero for TCP, because the network
    /// determines the rate of a TCP flow.
    fn mean_rate_bps(&self) -> f64 {
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

/// Parameters of a new application: its flow and its random streams.
#[derive(Clone, Copy, Debug)]
pub struct AppSetup<'a> {
    /// Name of the flow. The names of the application's random streams begin with it.
    pub name: &'a str,
    /// Payload of a datagram in bytes; zero for TCP.
    pub datagram_bytes: u32,
    /// Random streams of the run.
    pub streams: &'a RandomStreams,
}

/// Running application with the state of both endpoints. An application has no I/O and no clock.
pub trait App: Debug + Send {
    /// Starts the application, at the start time of its flow.
    fn on_start(&mut self, now: Time, io: &mut AppContext);
    /// Handles the delivery that was requested with [`AppContext::notify_on_delivery`]. The receiver of `flow` now has the
    /// requested number of bytes.
    fn on_delivered(&mut self, now: Time, flow: AppFlow, io: &mut AppContext) {
        let _ = (now, flow, io);
    }
    /// Handles the arrival of a datagram of a conversation. `number`: number of the datagram on its flow;
    /// `sent`: transmission time.
    fn on_datagram(&mut self, now: Time, flow: AppFlow, number: u64, sent: Time) {
        let _ = (now, flow, number, sent);
    }
    /// Handles the expiry of the application's timer.
    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        let _ = (now, io);
    }
    /// Returns the expiry time of the application's timer; `None` if it is stopped.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }
    /// Returns the number of unfinished transfers or requests; `None` if the application has neither.
    fn unfinished_count(&self) -> Option<u64> {
        None
    }
    /// Ends the warm-up at `now`: events before `now` no longer count in the quality.
    fn end_warm_up(&mut self, now: Time) {
        let _ = now;
    }
    /// Returns the quality up to `now` for the receiver of the plan's flow; `None` if the application has no
    /// quality measure.
    fn quality(&self, now: Time) -> Option<Quality> {
        let _ = now;
        None
    }
    /// Returns the quality of a conversation's reverse flow up to `now`, as its receiver perceives it.
    fn reverse_quality(&self, now: Time) -> Option<Quality> {
        let _ = now;
        None
    }
}

/// Index of a flow among the flows of one application.
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
pub const ENDLESS_BYTES: u64 = 1 << 62;

/// Orders of an application to its transport, oldest first.
#[derive(Debug, Default)]
pub struct AppContext {
    pub(crate) commands: Vec<AppCommand>,
}

/// Order of an application to its transport.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AppCommand {
    /// Adds this number of bytes to the stream of a TCP flow.
    Write(AppFlow, u64),
    /// Requests a call of [`App::on_delivered`] when this number of bytes is delivered.
    Expect(AppFlow, u64),
    /// Sends a datagram.
    Send(AppFlow),
    /// Opens a flow. The text is the suffix of the flow's name.
    Open(Direction, &'static str),
    /// Opens a connection.
    Connect(AppConnection),
    /// Closes the sending side of a flow after the bytes written so far.
    Close(AppFlow),
    /// Records the completion of a transfer or request that began at this time.
    Complete(Time),
    /// Records the completion of the application.
    Finish,
}

impl AppContext {
    /// Writes `bytes` more bytes into a TCP flow.
    pub fn write(&mut self, flow: AppFlow, bytes: u64) {
        self.commands.push(AppCommand::Write(flow, bytes));
    }

    /// Requests a call of [`App::on_delivered`] when the receiver of a TCP flow has at least `total` bytes. A
    /// later request for the same flow replaces this request.
    pub fn notify_on_delivery(&mut self, flow: AppFlow, total: u64) {
        self.commands.push(AppCommand::Expect(flow, total));
    }

    /// Sends a datagram of the flow's size.
    pub fn send_datagram(&mut self, flow: AppFlow) {
        self.commands.push(AppCommand::Send(flow));
    }

    /// Opens a flow in `direction` with the parameters of the plan's flow. The new flow has the next
    /// [`AppFlow`] index. The flow's name is the name of the plan's flow, a space and `suffix`.
    pub fn open_flow(&mut self, direction: Direction, suffix: &'static str) {
        self.commands.push(AppCommand::Open(direction, suffix));
    }

    /// Opens a TCP connection with the parameters of the plan's flow. An application must not use both this
    /// function and [`AppContext::open_flow`].
    pub fn connect(&mut self, connection: AppConnection) {
        self.commands.push(AppCommand::Connect(connection));
    }

    /// Closes one side of a connection after the bytes written so far (RFC 9293 §3.10.4). The peer closes its
    /// side at the end of the stream.
    pub fn close(&mut self, flow: AppFlow) {
        self.commands.push(AppCommand::Close(flow));
    }

    /// Records the completion of a transfer or request that began at time `since`.
    pub fn record_completion(&mut self, since: Time) {
        self.commands.push(AppCommand::Complete(since));
    }

    /// Records the completion of an application that transfers a finite size.
    pub fn record_finish(&mut self) {
        self.commands.push(AppCommand::Finish);
    }
}
