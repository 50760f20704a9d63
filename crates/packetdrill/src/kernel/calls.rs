//! System calls of a script, made in the kernel.

use crate::script::{Call, Value};
use crate::stack::StackError;
use airhop_live::host::sys;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::socket::{self, Backlog, MsgFlags, Shutdown, SockaddrIn, setsockopt, sockopt};
use std::ffi::OsString;
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// Result of a system call: a number, or an error. For accept(), also the accepted socket.
pub(super) type CallResult = Result<(i64, Option<OwnedFd>), Errno>;

/// System call that is ready to run on any thread.
pub(super) type PreparedCall = Box<dyn FnOnce() -> CallResult + Send>;

/// Integer socket options: name in scripts, level, and option number.
const INTEGER_OPTIONS: [(&str, libc::c_int, libc::c_int); 19] = [
    ("SO_REUSEADDR", libc::SOL_SOCKET, libc::SO_REUSEADDR),
    ("SO_REUSEPORT", libc::SOL_SOCKET, libc::SO_REUSEPORT),
    ("SO_SNDBUF", libc::SOL_SOCKET, libc::SO_SNDBUF),
    ("SO_RCVBUF", libc::SOL_SOCKET, libc::SO_RCVBUF),
    ("SO_SNDBUFFORCE", libc::SOL_SOCKET, libc::SO_SNDBUFFORCE),
    ("SO_RCVBUFFORCE", libc::SOL_SOCKET, libc::SO_RCVBUFFORCE),
    ("SO_ZEROCOPY", libc::SOL_SOCKET, libc::SO_ZEROCOPY),
    ("SO_PRIORITY", libc::SOL_SOCKET, libc::SO_PRIORITY),
    ("SO_MAX_PACING_RATE", libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE),
    ("SO_KEEPALIVE", libc::SOL_SOCKET, libc::SO_KEEPALIVE),
    ("TCP_NODELAY", libc::IPPROTO_TCP, libc::TCP_NODELAY),
    ("TCP_CORK", libc::IPPROTO_TCP, libc::TCP_CORK),
    ("TCP_MAXSEG", libc::IPPROTO_TCP, libc::TCP_MAXSEG),
    ("TCP_QUICKACK", libc::IPPROTO_TCP, libc::TCP_QUICKACK),
    ("TCP_INQ", libc::IPPROTO_TCP, 36),
    ("TCP_NOTSENT_LOWAT", libc::IPPROTO_TCP, 25),
    ("TCP_USER_TIMEOUT", libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT),
    ("TCP_WINDOW_CLAMP", libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP),
    ("TCP_DEFER_ACCEPT", libc::IPPROTO_TCP, libc::TCP_DEFER_ACCEPT),
];

/// Flags of sending and receiving calls.
const MESSAGE_FLAGS: [(&str, libc::c_int); 7] = [
    ("MSG_PEEK", libc::MSG_PEEK),
    ("MSG_DONTWAIT", libc::MSG_DONTWAIT),
    ("MSG_MORE", libc::MSG_MORE),
    ("MSG_EOR", libc::MSG_EOR),
    ("MSG_WAITALL", libc::MSG_WAITALL),
    ("MSG_TRUNC", libc::MSG_TRUNC),
    ("MSG_NOSIGNAL", libc::MSG_NOSIGNAL),
];

/// True if the runner supports a call on a socket.
pub(super) fn supports_call(name: &str) -> bool {
    let calls = [
        "bind",
        "listen",
        "accept",
        "accept4",
        "connect",
        "write",
        "send",
        "sendto",
        "sendmsg",
        "writev",
        "read",
        "recv",
        "recvfrom",
        "recvmsg",
        "readv",
        "shutdown",
        "fcntl",
        "setsockopt",
        "getsockopt",
    ];
    calls.contains(&name)
}

/// Prepares a system call on the socket `on`, if [`supports_call`] accepts its name. `local` and `peer` are the
/// addresses for bind() and connect(). Returns `None` for a call without effect on TCP.
///
/// # Errors
///
/// Returns an error if the runner does not support the call or its arguments.
pub(super) fn prepare(
    call: &Call,
    on: Arc<OwnedFd>,
    local: SockaddrIn,
    peer: SockaddrIn,
) -> Result<Option<PreparedCall>, StackError> {
    let raw = on.as_raw_fd();
    let done = |result: nix::Result<()>| result.map(|()| (0, None));
    Ok(Some(match call.name.as_str() {
        "bind" => Box::new(move || done(socket::bind(on.as_raw_fd(), &local))),
        "listen" => {
            let most = call.argument_number(1).unwrap_or(1).clamp(0, 128) as i32;
            Box::new(move || done(socket::listen(&on, Backlog::new(most)?)))
        }
        "accept" | "accept4" => Box::new(move || {
            let listener = TcpListener::from(on.try_clone().map_err(errno)?);
            let (stream, _) = listener.accept().map_err(errno)?;
            Ok((0, Some(stream.into())))
        }),
        "connect" => Box::new(move || done(socket::connect(on.as_raw_fd(), &peer))),
        "write" | "send" | "sendto" | "sendmsg" | "writev" => {
            let (bytes, flags) = (vec![0; length(call)?], flags(call)? | MsgFlags::MSG_NOSIGNAL);
            Box::new(move || Ok((socket::send(on.as_raw_fd(), &bytes, flags)? as i64, None)))
        }
        "read" | "recv" | "recvfrom" | "recvmsg" | "readv" => {
            let (mut bytes, flags) = (vec![0; length(call)?], flags(call)?);
            Box::new(move || Ok((socket::recv(on.as_raw_fd(), &mut bytes, flags)? as i64, None)))
        }
        "shutdown" => {
            let how = match call.argument_words(1).next() {
                Some("SHUT_RD") => Shutdown::Read,
                Some("SHUT_WR") => Shutdown::Write,
                _ => Shutdown::Both,
            };
            Box::new(move || done(socket::shutdown(raw, how)))
        }
        "fcntl" if call.argument_words(1).any(|word| word == "F_SETFL") => {
            let is_blocking = !call.argument_words(2).any(|word| word == "O_NONBLOCK");
            let flags = if is_blocking { OFlag::empty() } else { OFlag::O_NONBLOCK };
            Box::new(move || Ok((fcntl(&on, FcntlArg::F_SETFL(flags))?.into(), None)))
        }
        "setsockopt" => set_option(call, on)?,
        _ => return Ok(None), // a reading fcntl(), or getsockopt()
    }))
}

fn set_option(call: &Call, on: Arc<OwnedFd>) -> Result<PreparedCall, StackError> {
    let name = call.argument_words(2).next().unwrap_or("");
    if name == "TCP_CONGESTION" {
        let control = OsString::from(call.argument_text(3).unwrap_or(""));
        return Ok(Box::new(move || setsockopt(&on, sockopt::TcpCongestion, &control).map(|()| (0, None))));
    }
    let found = INTEGER_OPTIONS.iter().find(|(known, ..)| *known == name);
    let unknown = || StackError::unmodelled(format!("the runner has no setsockopt of {name} of the kernel"));
    let (&(_, level, option), value) = found.zip(call.argument_number(3)).ok_or_else(unknown)?;
    let value = i32::try_from(value).map_err(|_| unknown())?;
    Ok(Box::new(move || sys::set_option(&on, level, option, value).map(|()| (0, None)).map_err(errno)))
}

/// Returns the number of bytes that a call reads or writes.
fn length(call: &Call) -> Result<usize, StackError> {
    let bytes = match call.arguments.get(1) {
        Some(Value::Members(message)) => {
            let vector = message.iter().find(|(name, _)| name == "msg_iov");
            match vector {
                Some((_, Value::List(pieces))) => pieces.iter().filter_map(piece).sum(),
                _ => 0,
            }
        }
        Some(Value::List(pieces)) => pieces.iter().filter_map(piece).sum(),
        _ => call.argument_number(2).unwrap_or(0),
    };
    usize::try_from(bytes)
        .ok()
        .filter(|bytes| *bytes < 1 << 28)
        .ok_or_else(|| StackError::unmodelled("such a length"))
}

/// Returns the length in a vector entry such as `{..., 1000}`.
fn piece(value: &Value) -> Option<i64> {
    match value {
        Value::Members(members) => members.iter().rev().find_map(|(_, value)| match value {
            Value::Number(bytes) => Some(*bytes),
            _ => None,
        }),
        _ => None,
    }
}

fn flags(call: &Call) -> Result<MsgFlags, StackError> {
    let mut bits = 0;
    let words = (2..call.arguments.len()).flat_map(|place| call.argument_words(place));
    for word in words.filter(|word| word.starts_with("MSG_")) {
        let known = MESSAGE_FLAGS.iter().find(|(name, _)| *name == word);
        bits |=
            known.ok_or_else(|| StackError::unmodelled(format!("the runner has no {word} of the kernel")))?.1;
    }
    Ok(MsgFlags::from_bits_retain(bits))
}

fn errno(error: io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}
