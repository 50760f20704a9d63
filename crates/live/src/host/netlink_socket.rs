//! Netlink requests to the kernel, one at a time (netlink(7)).

use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// Type of a message with an error number: NLMSG_ERROR.
pub const NLMSG_ERROR: u16 = 2;
/// Size of `struct nlmsghdr` in bytes.
pub const NLMSG_HEADER_BYTES: usize = 16;
const NLM_F_REQUEST: u16 = 0x01;

/// Netlink socket of one network namespace.
#[derive(Debug)]
pub struct NetlinkSocket {
    socket: OwnedFd,
}

impl NetlinkSocket {
    /// Opens a socket of a netlink protocol in this thread's namespace.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn open(protocol: SockProtocol) -> io::Result<Self> {
        let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, protocol)?;
        Ok(NetlinkSocket { socket })
    }

    /// Sends a request of this type with these flags. Sequence number and port are 0.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn send(&self, kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
        let mut message = Vec::with_capacity(NLMSG_HEADER_BYTES + body.len());
        message.extend_from_slice(&((NLMSG_HEADER_BYTES + body.len()) as u32).to_ne_bytes());
        message.extend_from_slice(&kind.to_ne_bytes());
        message.extend_from_slice(&(flags | NLM_F_REQUEST).to_ne_bytes());
        message.extend_from_slice(&[0; 8]);
        message.extend_from_slice(body);
        send(self.socket.as_raw_fd(), &message, MsgFlags::empty())?;
        Ok(())
    }

    /// Receives messages of the response into `answer`. Returns the total length in bytes.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn receive(&self, answer: &mut [u8]) -> io::Result<usize> {
        Ok(recv(self.socket.as_raw_fd(), answer, MsgFlags::empty())?)
    }
}
