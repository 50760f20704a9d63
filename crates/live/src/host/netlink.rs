//! Rtnetlink messages of a node: devices, routes and rules (rtnetlink(7)).

use super::netlink_socket::{NLMSG_ERROR, NetlinkSocket};
use nix::sys::socket::SockProtocol;
use std::io;
use std::net::IpAddr;

const NEW_LINK: u16 = 16;
const NEW_ADDRESS: u16 = 20;
const NEW_RULE: u16 = 32;
const DELETE_RULE: u16 = 33;
const NEW_ROUTE: u16 = 24;
const ACK: u16 = 0x04;
const CREATE: u16 = 0x400;
const REPLACE: u16 = 0x100;

const LINK_MTU: u16 = 4;
const LINK_QUEUE: u16 = 13;
const LINK_FAMILIES: u16 = 26;
const LINK_INET6_GENERATION: u16 = 8;
const GENERATE_NONE: u8 = 1;
const ADDRESS_ADDRESS: u16 = 1;
const ADDRESS_LOCAL: u16 = 2;
const ADDRESS_FLAGS: u16 = 8;
const NO_DUPLICATE_DETECTION: u32 = 0x02;
const RULE_INPUT: u16 = 3;
const RULE_PRIORITY: u16 = 6;
const RULE_PROTOCOL: u16 = 21;
/// Protocol number of Airhop's rules (rtnetlink(7), rtm_protocol). No other program uses this number. Airhop
/// removes only rules with this number.
const AIRHOP: u8 = 172;
const RULE_BLACKHOLE: u8 = 6;
const ROUTE_DESTINATION: u16 = 1;
const ROUTE_DEVICE: u16 = 4;
const ROUTE_PRIORITY: u16 = 6;
const ROUTE_SOURCE: u16 = 7;
const ROUTE_METRICS: u16 = 8;
/// Metric with the name of a congestion control: RTAX_CC_ALGO, `congctl` of ip-route(8).
const METRIC_CONTROL: u16 = 16;
/// Priority of the route that the kernel itself adds for an IPv6 address of a device (IP6_RT_PRIO_ADDRCONF).
const IPV6_PRIORITY: u32 = 256;
const UP: u32 = 1;
const INET: u8 = 2;
const INET6: u8 = 10;

/// Socket that configures the devices of a network namespace.
#[derive(Debug)]
pub struct Netlink {
    socket: NetlinkSocket,
}

impl Netlink {
    /// Opens a socket in this thread's namespace.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn open() -> io::Result<Self> {
        Ok(Netlink { socket: NetlinkSocket::open(SockProtocol::NetlinkRoute)? })
    }

    /// Brings a device up.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn bring_up(&self, device: u32) -> io::Result<()> {
        self.send_request(NEW_LINK, 0, &link(device, UP))
    }

    /// Sets the MTU of a device in bytes, and the capacity of the device's queue in datagrams.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel if the device cannot have this MTU.
    pub fn set_mtu_and_queue(&self, device: u32, mtu: u16, queue: u32) -> io::Result<()> {
        let mut message = link(device, 0);
        push_attribute(&mut message, LINK_MTU, &u32::from(mtu).to_ne_bytes());
        push_attribute(&mut message, LINK_QUEUE, &queue.to_ne_bytes());
        self.send_request(NEW_LINK, 0, &message)
    }

    /// Stops a device from generating an IPv6 address. For such an address the kernel would send packets to
    /// find routers and duplicate addresses.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel, for example of a kernel without IPv6.
    pub fn disable_address_generation(&self, device: u32) -> io::Result<()> {
        let (mut inet6, mut families, mut message) = (Vec::new(), Vec::new(), link(device, 0));
        push_attribute(&mut inet6, LINK_INET6_GENERATION, &[GENERATE_NONE]);
        push_attribute(&mut families, INET6.into(), &inet6);
        push_attribute(&mut message, LINK_FAMILIES, &families);
        self.send_request(NEW_LINK, 0, &message)
    }

    /// Adds an IPv4 address to a device.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn add_address(&self, device: u32, address: [u8; 4], prefix: u8) -> io::Result<()> {
        self.send_request(NEW_ADDRESS, CREATE, &address_message(INET, device, &address, prefix))
    }

    /// Adds an IPv6 address to a device. The address is valid at once, without duplicate address detection
    /// (RFC 4862 §5.4). No other host on the link can have the address.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn add_address6(&self, device: u32, address: [u8; 16], prefix: u8) -> io::Result<()> {
        let mut message = address_message(INET6, device, &address, prefix);
        push_attribute(&mut message, ADDRESS_FLAGS, &NO_DUPLICATE_DETECTION.to_ne_bytes());
        self.send_request(NEW_ADDRESS, CREATE, &message)
    }

    /// Makes the kernel silently discard packets that arrive at `device` for other machines, over IPv4 and
    /// IPv6.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel, for example if the kernel has no policy routing.
    pub fn add_blackhole(&self, device: &str) -> io::Result<()> {
        self.send_request(NEW_RULE, CREATE, &discard(INET, device, AIRHOP))?;
        match self.send_request(NEW_RULE, CREATE, &discard(INET6, device, AIRHOP)) {
            // A kernel without IPv6 does not forward IPv6 packets.
            Err(error) if error.raw_os_error() == Some(libc::EAFNOSUPPORT) => Ok(()),
            result => result,
        }
    }

    /// Removes the rule of [`Netlink::add_blackhole`].
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel, usually because the rule does not exist.
    pub fn remove_blackhole(&self, device: &str) -> io::Result<()> {
        let four = self.send_request(DELETE_RULE, 0, &discard(INET, device, AIRHOP));
        self.send_request(DELETE_RULE, 0, &discard(INET6, device, AIRHOP)).and(four)
    }

    /// Sets the congestion control of connections to the addresses behind a device. Replaces the route that
    /// the kernel has added for `address`.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel: `EINVAL` for an unknown congestion control.
    pub fn set_congestion_control(
        &self,
        device: u32,
        address: IpAddr,
        prefix: u8,
        control: &str,
    ) -> io::Result<()> {
        self.send_request(NEW_ROUTE, CREATE | REPLACE, &route(device, address, prefix, control))
    }

    pub(super) fn send_request(&self, kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
        self.socket.send(kind, flags | ACK, body)?;
        let mut answer = [0; 4096];
        let length = self.socket.receive(&mut answer)?;
        outcome(&answer[..length])
    }
}

/// Reads the response of the kernel. An error message with the number 0 is the acknowledgement.
fn outcome(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let error = answer.get(16..20).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
    match (kind, error) {
        (Some(NLMSG_ERROR), Some(0)) => Ok(()),
        (Some(NLMSG_ERROR), Some(error)) => Err(io::Error::from_raw_os_error(error.saturating_neg())),
        _ => Err(io::Error::other("rtnetlink did not answer with an acknowledgement")),
    }
}

/// Builds `struct ifinfomsg`. Only the flags in `flags` are changed.
fn link(device: u32, flags: u32) -> Vec<u8> {
    let mut message = vec![0; 4];
    message.extend_from_slice(&device.to_ne_bytes());
    message.extend_from_slice(&flags.to_ne_bytes());
    message.extend_from_slice(&flags.to_ne_bytes());
    message
}

/// Builds `struct ifaddrmsg`, with the address as attributes.
fn address_message(family: u8, device: u32, address: &[u8], prefix: u8) -> Vec<u8> {
    let mut message = vec![family, prefix, 0, 0];
    message.extend_from_slice(&device.to_ne_bytes());
    push_attribute(&mut message, ADDRESS_LOCAL, address);
    push_attribute(&mut message, ADDRESS_ADDRESS, address);
    message
}

/// Builds `struct rtmsg` of a route with a congestion control, to the addresses behind a device.
fn route(device: u32, address: IpAddr, prefix: u8, control: &str) -> Vec<u8> {
    const MAIN: u8 = 254;
    const BY_KERNEL: u8 = 2;
    const LINK: u8 = 253;
    const UNICAST: u8 = 1;
    let (family, scope) = if address.is_ipv4() { (INET, LINK) } else { (INET6, 0) };
    let mut message = vec![family, prefix, 0, 0, MAIN, BY_KERNEL, scope, UNICAST, 0, 0, 0, 0];
    let all: Vec<u8> = match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    };
    // The lengths of all prefixes here are multiples of eight bits.
    let network: Vec<u8> = all
        .iter()
        .enumerate()
        .map(|(at, byte)| if at < usize::from(prefix / 8) { *byte } else { 0 })
        .collect();
    push_attribute(&mut message, ROUTE_DESTINATION, &network);
    push_attribute(&mut message, ROUTE_DEVICE, &device.to_ne_bytes());
    match address {
        IpAddr::V4(_) => push_attribute(&mut message, ROUTE_SOURCE, &all),
        IpAddr::V6(_) => push_attribute(&mut message, ROUTE_PRIORITY, &IPV6_PRIORITY.to_ne_bytes()),
    }
    let mut metrics = Vec::new();
    push_attribute(&mut metrics, METRIC_CONTROL, &[control.as_bytes(), &[0]].concat());
    push_attribute(&mut message, ROUTE_METRICS, &metrics);
    message
}

/// Builds `struct fib_rule_hdr` of rule 1. Rule 0 is the rule for local addresses.
fn discard(family: u8, device: &str, protocol: u8) -> Vec<u8> {
    let mut message = vec![family, 0, 0, 0, 0, 0, 0, RULE_BLACKHOLE, 0, 0, 0, 0];
    let name: Vec<u8> = device.bytes().chain([0]).collect();
    push_attribute(&mut message, RULE_INPUT, &name);
    push_attribute(&mut message, RULE_PRIORITY, &1u32.to_ne_bytes());
    push_attribute(&mut message, RULE_PROTOCOL, &[protocol]);
    message
}

/// Appends an attribute: length, kind and value, padded with zeros to a multiple of four bytes (netlink(7)).
pub(super) fn push_attribute(message: &mut Vec<u8>, kind: u16, value: &[u8]) {
    message.extend_from_slice(&(4 + value.len() as u16).to_ne_bytes());
    message.extend_from_slice(&kind.to_ne_bytes());
    message.extend_from_slice(value);
    message.resize(message.len().next_multiple_of(4), 0);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Protocol number that `ip rule` displays as `boot`: a rule added by an administrator.
    const BOOT: u8 = 3;

    /// Adds the rule `pref 1 iif DEVICE blackhole` as `ip rule` would.
    pub fn add_users_rule(device: &str) -> io::Result<()> {
        Netlink::open()?.send_request(NEW_RULE, CREATE, &discard(INET, device, BOOT))
    }

    /// Removes the rule of [`add_users_rule`]. Returns an error if the rule does not exist.
    pub fn take_users_rule(device: &str) -> io::Result<()> {
        Netlink::open()?.send_request(DELETE_RULE, 0, &discard(INET, device, BOOT))
    }
}
