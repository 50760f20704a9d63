//! TCP_INFO of the connections in a network namespace, by sock_diag (sock_diag(7)).

use super::netlink_socket::{NLMSG_ERROR, NLMSG_HEADER_BYTES, NetlinkSocket};
use super::tcp_info;
use crate::sockets::SocketInfo;
use nix::sys::socket::SockProtocol;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const SOCK_DESTROY: u16 = 21;
const NLM_F_ACK: u16 = 0x04;
const NLM_F_DUMP: u16 = 0x300;
const NLMSG_DONE: u16 = 3;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const IPPROTO_TCP: u8 = 6;
/// Bit mask of the connection states in which data may be in flight: ESTABLISHED, FIN_WAIT1, FIN_WAIT2,
/// CLOSE_WAIT, LAST_ACK, CLOSING (numbers of the `enum` in include/net/tcp_states.h).
const DATA_STATES: u32 = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;
/// Bit mask of all states in which a connection has a congestion control: [`DATA_STATES`], SYN_SENT and SYN_RECV.
const CONTROLLED_STATES: u32 = DATA_STATES | 1 << 2 | 1 << 3;
/// Attribute with `struct tcp_info` in a response.
const INET_DIAG_INFO: u16 = 2;
const INET_DIAG_CONG: u16 = 4;
/// Size of `struct inet_diag_msg` in bytes.
const DIAG_MESSAGE_BYTES: usize = 72;
/// TCP_INFINITE_SSTHRESH.
const TCP_INFINITE_SSTHRESH: u32 = 0x7FFF_FFFF;

/// Message if the kernel does not have tcp_diag.
pub const MISSING_TCP_DIAG: &str =
    "no TCP_INFO of connections: sock_diag does not answer (modprobe tcp_diag)";

/// Socket that lists the connections of a network namespace.
#[derive(Debug)]
pub struct SockDiag {
    socket: NetlinkSocket,
}

impl SockDiag {
    /// Opens a socket in this thread's namespace.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn open() -> io::Result<Self> {
        Ok(SockDiag { socket: NetlinkSocket::open(SockProtocol::NetlinkSockDiag)? })
    }

    /// Returns all TCP connections that may have data in flight, of both address families.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel rejects the request, or does not have tcp_diag.
    pub fn connections(&self) -> io::Result<Vec<SocketInfo>> {
        let mut found = Vec::new();
        self.dump(AF_INET, &mut found)?;
        self.dump(AF_INET6, &mut found)?;
        Ok(found)
    }

    /// Ends all TCP connections of all processes in the namespace immediately, with a RST to each peer. No
    /// state remains in the kernel.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel rejects the request, or was built without INET_DIAG_DESTROY. The
    /// connections then end on their own.
    pub fn abort_all(&self) -> io::Result<()> {
        for family in [AF_INET, AF_INET6] {
            let mut found = Vec::new();
            self.for_each_connection(family, CONTROLLED_STATES, |message| {
                found.extend(message.get(4..DIAG_MESSAGE_BYTES - 20).map(<[u8]>::to_vec))
            })?;
            for id in found {
                self.socket.send(SOCK_DESTROY, NLM_F_ACK, &build_destroy_request(family, &id))?;
                let mut answer = [0; 4096];
                let length = self.socket.receive(&mut answer)?;
                match read_response(&answer[..length], &mut |_| {}) {
                    // The error means that the connection has ended in the meantime.
                    Err(error) if error.raw_os_error() != Some(libc::ENOENT) => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn dump(&self, family: u8, found: &mut Vec<SocketInfo>) -> io::Result<()> {
        self.for_each_connection(family, DATA_STATES, |message| found.extend(parse_connection(message)))
    }

    /// Calls `each` with the kernel's record of each connection in one of `states`.
    fn for_each_connection(&self, family: u8, states: u32, mut each: impl FnMut(&[u8])) -> io::Result<()> {
        self.socket.send(SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &build_request(family, states))?;
        let mut answer = [0; 32 * 1024];
        loop {
            let length = self.socket.receive(&mut answer)?;
            if !read_response(&answer[..length], &mut each)? {
                return Ok(());
            }
        }
    }
}

/// Builds `struct inet_diag_req_v2` for the connections in these states, with the attributes in use.
fn build_request(family: u8, states: u32) -> Vec<u8> {
    let mut body = vec![family, IPPROTO_TCP, 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_CONG - 1), 0];
    body.extend_from_slice(&states.to_ne_bytes());
    body.extend_from_slice(&[0; 48]);
    body
}

/// Builds the request to end the connection with this `struct inet_diag_sockid`.
fn build_destroy_request(family: u8, id: &[u8]) -> Vec<u8> {
    let mut body = vec![family, IPPROTO_TCP, 0, 0];
    body.extend_from_slice(&CONTROLLED_STATES.to_ne_bytes());
    body.extend_from_slice(id);
    body
}

/// Reads one part of a response. Returns true if further parts follow.
fn read_response(mut answer: &[u8], each: &mut impl FnMut(&[u8])) -> io::Result<bool> {
    while answer.len() >= NLMSG_HEADER_BYTES {
        let length = u32_at(answer, 0).unwrap_or(0) as usize;
        let Some(message) = answer.get(..length).filter(|_| length >= NLMSG_HEADER_BYTES) else { break };
        match u16_at(message, 4) {
            Some(NLMSG_DONE) => return Ok(false),
            Some(NLMSG_ERROR) => {
                // An error message with the number 0 is an acknowledgement.
                let error = u32_at(message, NLMSG_HEADER_BYTES).unwrap_or(0) as i32;
                return if error == 0 {
                    Ok(false)
                } else {
                    Err(io::Error::from_raw_os_error(error.saturating_neg()))
                };
            }
            _ => each(&message[NLMSG_HEADER_BYTES..]),
        }
        answer = answer.get(length.next_multiple_of(4)..).unwrap_or(&[]);
    }
    Ok(true)
}

/// Reads `struct inet_diag_msg` and its attributes; `None` if the message is incomplete.
fn parse_connection(message: &[u8]) -> Option<SocketInfo> {
    let family = *message.first()?;
    let port = |at| message.get(at..at + 2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
    let local = SocketAddr::new(parse_address(family, message.get(8..24)?)?, port(4)?);
    let peer = SocketAddr::new(parse_address(family, message.get(24..40)?)?, port(6)?);
    let (mut info, mut control): (&[u8], String) = (&[], String::new());
    let mut rest = message.get(DIAG_MESSAGE_BYTES..)?;
    while let Some(length) = u16_at(rest, 0).map(usize::from).filter(|&length| length >= 4) {
        let value = rest.get(4..length)?;
        match u16_at(rest, 2)? {
            INET_DIAG_INFO => info = value,
            INET_DIAG_CONG => {
                let name = value.split(|&byte| byte == 0).next().unwrap_or(value);
                control = String::from_utf8_lossy(name).into_owned();
            }
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or(&[]);
    }
    let member = |name| tcp_info::member_value(info, name).and_then(|number| u32::try_from(number).ok());
    Some(SocketInfo {
        local,
        peer,
        congestion_control: control,
        ca_state: member("ca_state")? as u8,
        cwnd: member("snd_cwnd")?,
        ssthresh: member("snd_ssthresh").filter(|&segments| segments != TCP_INFINITE_SSTHRESH),
        srtt_us: member("rtt")?,
        retransmits: member("total_retrans")?,
    })
}

/// Reads an address in the kernel's format. An IPv4-mapped address is converted to an IPv4 address.
fn parse_address(family: u8, bytes: &[u8]) -> Option<IpAddr> {
    match family {
        AF_INET => <[u8; 4]>::try_from(&bytes[..4]).ok().map(|bytes| Ipv4Addr::from(bytes).into()),
        AF_INET6 => <[u8; 16]>::try_from(bytes).ok().map(|bytes| Ipv6Addr::from(bytes).to_canonical()),
        _ => None,
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    fn pair(address: &str) -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (client, listener.accept().unwrap().0)
    }

    /// tcp(7), RFC 6928 §2: a connection that has not sent data has the kernel's initial window of ten
    /// segments, no ssthresh and no retransmission. TCP_CONGESTION is the name of the congestion control.
    #[test]
    fn sock_diag_reports_a_new_connection() {
        for loopback in ["127.0.0.1", "::1"] {
            let (client, server) = pair(loopback);
            let found = match SockDiag::open().and_then(|diag| diag.connections()) {
                Ok(found) => found,
                Err(error) => return eprintln!("skipped: {error}"),
            };
            let ends = [&client, &server].map(|socket| socket.local_addr().unwrap());
            let of = |local, peer| found.iter().find(|one| (one.local, one.peer) == (local, peer)).unwrap();
            let one = of(ends[0], ends[1]);
            let control =
                nix::sys::socket::getsockopt(&client, nix::sys::socket::sockopt::TcpCongestion).unwrap();
            assert_eq!(one.congestion_control, control.to_string_lossy());
            assert_eq!((one.cwnd, one.ssthresh, one.retransmits, one.ca_state), (10, None, 0, 0));
            assert!((1..5_000_000).contains(&one.srtt_us), "the handshake is an RTT sample: {one:?}");
            of(ends[1], ends[0]);
            assert_eq!(one.flow_name(), format!("tcp {} > {}", ends[0], ends[1]));
        }
    }

    /// A response of the kernel is never read beyond its end.
    #[test]
    fn a_truncated_sock_diag_response_is_ignored() {
        let (_client, _server) = pair("127.0.0.1");
        let Ok(diag) = SockDiag::open() else { return };
        diag.socket.send(SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &build_request(AF_INET, DATA_STATES)).unwrap();
        let mut answer = [0; 32 * 1024];
        let length = diag.socket.receive(&mut answer).unwrap();
        for cut in 0..length.min(2000) {
            let _ = read_response(&answer[..cut], &mut |_| {});
            let _ = parse_connection(&answer[..cut]);
        }
    }

    /// sock_diag(7): an aborted connection ends at once for both peers.
    #[test]
    fn sock_diag_aborts_a_connection_for_both_peers() {
        let namespace = crate::host::namespace::Namespace::open(airhop_base::NodeId(0), 1500);
        let Ok((namespace, _device)) = namespace else { return eprintln!("skipped: no namespace") };
        let aborted = namespace.run_job(|| {
            let ((_client, mut server), diag) = (pair("127.0.0.1"), SockDiag::open().unwrap());
            let before = diag.connections().unwrap().len();
            diag.abort_all().map(|()| {
                (before, diag.connections().unwrap().len(), std::io::Read::read(&mut server, &mut [0; 9]))
            })
        });
        match aborted.unwrap() {
            Ok((before, after, read)) => {
                assert_eq!((before, after), (2, 0));
                assert!(read.is_err(), "{read:?}");
            }
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EOPNOTSUPP)),
        }
    }

    /// netlink(7): an error message ends the response, as from a kernel without tcp_diag.
    #[test]
    fn a_netlink_error_message_is_an_error() {
        let mut message = vec![36, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        message[..4].copy_from_slice(&36u32.to_ne_bytes());
        message.extend_from_slice(&(-2i32).to_ne_bytes());
        message.extend_from_slice(&[0; 16]);
        assert_eq!(read_response(&message, &mut |_| {}).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
