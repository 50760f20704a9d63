//! System calls that affect a connection.

use super::AirhopStack;
use crate::script::{Call, Value};
use crate::stack::StackError;
use std::collections::BTreeMap;

/// Options that an application sets on a socket before it is connected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SocketOptions {
    /// Value of TCP_CONGESTION; `None` if the script does not set it.
    pub(crate) congestion_control: Option<String>,
    /// Value of TCP_MAXSEG in bytes; `None` if the script does not set it.
    pub(crate) max_segment_bytes: Option<u32>,
    /// TCP_NODELAY: true to disable Nagle's algorithm.
    pub(crate) no_delay: bool,
    /// True if SO_MAX_PACING_RATE is set so high that it limits nothing. Setting the option makes Linux pace
    /// in TCP.
    pub(crate) is_paced: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Socket {
    options: SocketOptions,
    listens: bool,
}

/// The sockets of a script, by descriptor.
#[derive(Debug, Default)]
pub(crate) struct Sockets {
    all: BTreeMap<i64, Socket>,
    /// File descriptor of the connection.
    connected: Option<i64>,
}

impl Sockets {
    /// Returns the options of the listening socket; `None` if no socket listens.
    pub(super) fn listener_options(&self) -> Option<SocketOptions> {
        self.all.values().find(|socket| socket.listens).map(|socket| socket.options.clone())
    }

    /// Returns the options of the connected socket.
    pub(super) fn connected_options(&self) -> SocketOptions {
        self.connected.map(|socket| self.options(socket)).unwrap_or_default()
    }

    pub(super) fn options(&self, socket: i64) -> SocketOptions {
        self.all.get(&socket).map(|socket| socket.options.clone()).unwrap_or_default()
    }
}

/// Options that have no effect on a connection with large buffers.
const IGNORED_OPTIONS: [&str; 19] = [
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SO_SNDBUF",
    "SO_RCVBUF",
    "SO_SNDBUFFORCE",
    "SO_RCVBUFFORCE",
    "SO_ZEROCOPY",
    "SO_TIMESTAMPING",
    "SO_TIMESTAMP",
    "SO_RCVTIMEO",
    "SO_SNDTIMEO",
    "SO_DEBUG",
    "SO_PRIORITY",
    "SO_MARK",
    "TCP_INQ",
    "TCP_NOTSENT_LOWAT",
    "TCP_LOG",
    "TCP_USER_TIMEOUT",
    "IP_TOS",
];

/// Smallest SO_MAX_PACING_RATE that counts as unlimited, in bytes per second.
const MIN_UNLIMITED_RATE: i64 = 1_000_000_000;

/// Maximum number of fragments of a segment (MAX_SKB_FRAGS).
const MAX_SKB_FRAGS: usize = 17;

/// Flags of sending calls that delay data or open connections.
const UNMODELLED_FLAGS: [&str; 4] = ["MSG_FASTOPEN", "MSG_MORE", "MSG_EOR", "MSG_OOB"];

/// Executes a system call. Returns true if the result was compared with the script.
pub(super) fn execute_call(host: &mut AirhopStack, call: &Call) -> Result<bool, StackError> {
    let descriptor = call.argument_number(0).unwrap_or(-1);
    let succeeded = call.result.unwrap_or(0) >= 0;
    match call.name.as_str() {
        "socket" => socket(host, call)?,
        "setsockopt" => set_option(host, descriptor, call)?,
        "listen" if succeeded => host.sockets.all.entry(descriptor).or_default().listens = true,
        "accept" | "accept4" => accept(host, call),
        // A second call of connect() requests the result of the first call.
        "connect" if host.sockets.connected != Some(descriptor) => {
            host.sockets.connected = Some(descriptor);
            host.connect(descriptor)?;
        }
        "write" | "send" | "sendto" | "sendmsg" | "writev" | "sendfile" => send(host, call)?,
        "splice" => return Err(StackError::unmodelled("splice()")),
        _ if call.is_read() => return receive(host, call),
        "close" | "shutdown" => close(host, descriptor, call)?,
        name if name.starts_with("psp_") || name.starts_with("sctp_") => {
            return Err(StackError::unmodelled(format!("{name}()")));
        }
        _ => {} // fcntl, bind, getsockopt, poll, epoll and similar calls do not affect TCP
    }
    Ok(false)
}

fn socket(host: &mut AirhopStack, call: &Call) -> Result<(), StackError> {
    let is_stream = call.argument_words(1).any(|word| word == "SOCK_STREAM");
    let is_tcp = matches!(call.arguments.get(2), None | Some(Value::Number(_)) | Some(Value::Any))
        || call.argument_words(2).any(|word| word == "IPPROTO_TCP");
    if !is_stream || !is_tcp {
        return Err(StackError::unmodelled("a socket that is not of TCP"));
    }
    if let Some(descriptor) = call.result.filter(|&result| result >= 0) {
        host.sockets.all.insert(descriptor, Socket::default());
    }
    Ok(())
}

fn set_option(host: &mut AirhopStack, descriptor: i64, call: &Call) -> Result<(), StackError> {
    if call.result.unwrap_or(0) < 0 {
        return Ok(());
    }
    let name = call.argument_words(2).next().unwrap_or("").to_owned();
    let Some(socket) = host.sockets.all.get_mut(&descriptor) else { return Ok(()) };
    let before = socket.options.clone();
    match name.as_str() {
        "TCP_MAXSEG" => {
            socket.options.max_segment_bytes = call.argument_number(3).and_then(|n| u32::try_from(n).ok())
        }
        "TCP_CONGESTION" => socket.options.congestion_control = call.argument_text(3).map(str::to_owned),
        "TCP_NODELAY" => return set_no_delay(host, descriptor, call),
        "SO_MAX_PACING_RATE" if call.argument_number(3) >= Some(MIN_UNLIMITED_RATE) => {
            socket.options.is_paced = true
        }
        name if IGNORED_OPTIONS.contains(&name) => {}
        name => return Err(StackError::unmodelled(format!("setsockopt of {name}"))),
    }
    let is_news = socket.options != before;
    let options = socket.options.clone();
    match &mut host.connection {
        Some(connection) if is_news && host.sockets.connected == Some(descriptor) => {
            connection.configure(&host.settings, &options)
        }
        _ => Ok(()),
    }
}

/// Sets TCP_NODELAY, before or during a connection. Data that Nagle's algorithm held back is sent at once.
fn set_no_delay(host: &mut AirhopStack, descriptor: i64, call: &Call) -> Result<(), StackError> {
    let value =
        call.argument_number(3).ok_or_else(|| StackError::unmodelled("TCP_NODELAY without a number"))?;
    let Some(socket) = host.sockets.all.get_mut(&descriptor) else { return Ok(()) };
    socket.options.no_delay = value != 0;
    if let Some(connection) = host.connection.as_mut().filter(|_| host.sockets.connected == Some(descriptor))
    {
        connection.set_nagle(value == 0);
        host.collect_sent_segments();
    }
    Ok(())
}

fn accept(host: &mut AirhopStack, call: &Call) {
    if let Some(descriptor) = call.result.filter(|&result| result >= 0) {
        let options = host.sockets.listener_options().unwrap_or_default();
        host.sockets.all.insert(descriptor, Socket { options, listens: false });
        host.sockets.connected = Some(descriptor);
    }
}

fn send(host: &mut AirhopStack, call: &Call) -> Result<(), StackError> {
    let words: Vec<&str> = (2..call.arguments.len()).flat_map(|place| call.argument_words(place)).collect();
    let asks = |flag: &&&str| words.contains(*flag);
    if let Some(flag) = UNMODELLED_FLAGS.iter().find(asks) {
        return Err(StackError::unmodelled(format!("{}() with {flag}", call.name)));
    }
    if iovec_count(call) > MAX_SKB_FRAGS {
        return Err(StackError::unmodelled("more pieces than a buffer of Linux has (MAX_SKB_FRAGS)"));
    }
    if let Some(bytes) = call.result.filter(|&bytes| bytes > 0) {
        let unconnected = || StackError::unmodelled(format!("{}() without a connection", call.name));
        let connection = host.connection.as_mut().ok_or_else(unconnected)?;
        connection.write(bytes as u64)?;
        host.collect_sent_segments();
    }
    Ok(())
}

/// Returns the number of `msg_iov` entries of a sendmsg() call.
fn iovec_count(call: &Call) -> usize {
    let Some(Value::Members(message)) = call.arguments.get(1) else { return 0 };
    let vectors = message.iter().filter_map(|(name, value)| match value {
        Value::List(vector) if name == "msg_iov" => Some(vector.len()),
        _ => None,
    });
    vectors.sum()
}

/// Reads bytes that arrived in order, up to the requested length.
fn receive(host: &mut AirhopStack, call: &Call) -> Result<bool, StackError> {
    let Some(expected) = call.result.filter(|&result| result > 0) else { return Ok(false) };
    let room = call.argument_number(2).filter(|_| call.name != "recvmsg" && call.name != "readv");
    let is_glance =
        (2..call.arguments.len()).flat_map(|place| call.argument_words(place)).any(|w| w == "MSG_PEEK");
    let connection = host.require_connection()?;
    let there = i64::try_from(connection.unread_bytes()).unwrap_or(i64::MAX);
    let seen = room.map_or(there.min(expected), |room| there.min(room));
    if seen != expected {
        let expected = format!("{}() = {expected}", call.name);
        return Err(StackError::Differs { expected, seen: format!("{seen} bytes in order") });
    }
    if !is_glance {
        connection.read(seen as u64)?;
    }
    Ok(true)
}

fn close(host: &mut AirhopStack, descriptor: i64, call: &Call) -> Result<(), StackError> {
    if host.connection.is_some() && host.sockets.connected == Some(descriptor) {
        // A shutdown of only the reading side has no effect on TCP.
        if call.name == "close" || !call.argument_words(1).any(|word| word == "SHUT_RD") {
            let whole = call.name == "close" || call.argument_words(1).any(|word| word == "SHUT_RDWR");
            host.require_connection()?.close(whole)?;
            host.collect_sent_segments();
        }
        return Ok(());
    }
    // A connection that was established before accept() stays open when its listener is closed.
    if call.name == "close" {
        host.sockets.all.remove(&descriptor);
    }
    Ok(())
}
