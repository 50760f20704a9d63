//! Rtnetlink messages of a node: devices, routes and rules (rtnetlink(7)).

use super::netlink_socket::{NLMSG_ERROR, NetlinkSocket};
use nix::sys::socket::SockProtocol;
use std::io;
use std::net::IpAddr;

const RTM_NEWLINK: u16 = 16;
const RTM_NEWADDR: u16 = 20;
const RTM_NEWRULE: u16 = 32;
const RTM_DELRULE: u16 = 33;
const RTM_NEWROUTE: u16 = 24;
const NLM_F_ACK: u16 = 0x04;
const NLM_F_CREATE: u16 = 0x400;
const NLM_F_REPLACE: u16 = 0x100;

const IFLA_MTU: u16 = 4;
const IFLA_TXQLEN: u16 = 13;
const IFLA_AF_SPEC: u16 = 26;
const IFLA_INET6_ADDR_GEN_MODE: u16 = 8;
const IN6_ADDR_GEN_MODE_NONE: u8 = 1;
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;
const IFA_FLAGS: u16 = 8;
const IFA_F_NODAD: u32 = 0x02;
const FRA_IIFNAME: u16 = 3;
const FRA_PRIORITY: u16 = 6;
const FRA_PROTOCOL: u16 = 21;
/// Protocol number of Airhop's rules (rtnetlink(7), rtm_protocol). No other program uses this number. Airhop
/// removes only rules with this number.
const AIRHOP_PROTOCOL: u8 = 172;
const FR_ACT_BLACKHOLE: u8 = 6;
const RTA_DST: u16 = 1;
const RTA_OIF: u16 = 4;
const RTA_PRIORITY: u16 = 6;
const RTA_PREFSRC: u16 = 7;
const RTA_METRICS: u16 = 8;
/// Metric with the name of a congestion control: RTAX_CC_ALGO, `congctl` of ip-route(8).
const RTAX_CC_ALGO: u16 = 16;
/// Priority of the route that the kernel itself adds for an IPv6 address of a device (IP6_RT_PRIO_ADDRCONF).
const IPV6_ROUTE_PRIORITY: u32 = 256;
const IFF_UP: u32 = 1;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;

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
        self.send_request(RTM_NEWLINK, 0, &link_message(device, IFF_UP))
    }

    /// Sets the MTU of a device in bytes, and the capacity of the device's queue in datagrams.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel if the device cannot have this MTU.
    pub fn set_mtu_and_queue(&self, device: u32, mtu: u16, queue: u32) -> io::Result<()> {
        let mut message = link_message(device, 0);
        push_attribute(&mut message, IFLA_MTU, &u32::from(mtu).to_ne_bytes());
        push_attribute(&mut message, IFLA_TXQLEN, &queue.to_ne_bytes());
        self.send_request(RTM_NEWLINK, 0, &message)
    }

    /// Stops a device from generating an IPv6 address. For such an address the kernel would send packets to
    /// find routers and duplicate addresses.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel, for example of a kernel without IPv6.
    pub fn disable_address_generation(&self, device: u32) -> io::Result<()> {
        let (mut inet6, mut families, mut message) = (Vec::new(), Vec::new(), link_message(device, 0));
        push_attribute(&mut inet6, IFLA_INET6_ADDR_GEN_MODE, &[IN6_ADDR_GEN_MODE_NONE]);
        push_attribute(&mut families, AF_INET6.into(), &inet6);
        push_attribute(&mut message, IFLA_AF_SPEC, &families);
        self.send_request(RTM_NEWLINK, 0, &message)
    }

    /// Adds an IPv4 address to a device.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn add_address(&self, device: u32, address: [u8; 4], prefix: u8) -> io::Result<()> {
        self.send_request(RTM_NEWADDR, NLM_F_CREATE, &address_message(AF_INET, device, &address, prefix))
    }

    /// Adds an IPv6 address to a device. The address is valid at once, without duplicate address detection
    /// (RFC 4862 §5.4). No other host on the link can have the address.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn add_address6(&self, device: u32, address: [u8; 16], prefix: u8) -> io::Result<()> {
        let mut message = address_message(AF_INET6, device, &address, prefix);
        push_attribute(&mut message, IFA_FLAGS, &IFA_F_NODAD.to_ne_bytes());
        self.send_request(RTM_NEWADDR, NLM_F_CREATE, &message)
    }

    /// Makes the kernel silently discard packets that arrive at `device` for other machines, over IPv4 and
    /// IPv6.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel, for example if the kernel has no policy routing.
    pub fn add_blackhole(&self, device: &str) -> io::Result<()> {
        self.send_request(
            RTM_NEWRULE,
            NLM_F_CREATE,
            &blackhole_rule_message(AF_INET, device, AIRHOP_PROTOCOL),
        )?;
        match self.send_request(
            RTM_NEWRULE,
            NLM_F_CREATE,
            &blackhole_rule_message(AF_INET6, device, AIRHOP_PROTOCOL),
        ) {
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
        let four =
            self.send_request(RTM_DELRULE, 0, &blackhole_rule_message(AF_INET, device, AIRHOP_PROTOCOL));
        self.send_request(RTM_DELRULE, 0, &blackhole_rule_message(AF_INET6, device, AIRHOP_PROTOCOL))
            .and(four)
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
        self.send_request(
            RTM_NEWROUTE,
            NLM_F_CREATE | NLM_F_REPLACE,
            &route_message(device, address, prefix, control),
        )
    }

    pub(super) fn send_request(&self, kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
        self.socket.send(kind, flags | NLM_F_ACK, body)?;
        let mut answer = [0; 4096];
        let length = self.socket.receive(&mut answer)?;
        parse_ack(&answer[..length])
    }
}

/// Reads the response of the kernel. An error message with the number 0 is the acknowledgement.
fn parse_ack(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let error = answer.get(16..20).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
    match (kind, error) {
        (Some(NLMSG_ERROR), Some(0)) => Ok(()),
        (Some(NLMSG_ERROR), Some(error)) => Err(io::Error::from_raw_os_error(error.saturating_neg())),
        _ => Err(io::Error::other("rtnetlink did not answer with an acknowledgement")),
    }
}

/// Builds `struct ifinfomsg`. Only the flags in `flags` are changed.
fn link_message(device: u32, flags: u32) -> Vec<u8> {
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
    push_attribute(&mut message, IFA_LOCAL, address);
    push_attribute(&mut message, IFA_ADDRESS, address);
    message
}

/// Builds `struct rtmsg` of a route with a congestion control, to the addresses behind a device.
fn route_message(device: u32, address: IpAddr, prefix: u8, control: &str) -> Vec<u8> {
    const RT_TABLE_MAIN: u8 = 254;
    const RTPROT_KERNEL: u8 = 2;
    const RT_SCOPE_LINK: u8 = 253;
    const RTN_UNICAST: u8 = 1;
    let (family, scope) = if address.is_ipv4() { (AF_INET, RT_SCOPE_LINK) } else { (AF_INET6, 0) };
    let mut message =
        vec![family, prefix, 0, 0, RT_TABLE_MAIN, RTPROT_KERNEL, scope, RTN_UNICAST, 0, 0, 0, 0];
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
    push_attribute(&mut message, RTA_DST, &network);
    push_attribute(&mut message, RTA_OIF, &device.to_ne_bytes());
    match address {
        IpAddr::V4(_) => push_attribute(&mut message, RTA_PREFSRC, &all),
        IpAddr::V6(_) => push_attribute(&mut message, RTA_PRIORITY, &IPV6_ROUTE_PRIORITY.to_ne_bytes()),
    }
    let mut metrics = Vec::new();
    push_attribute(&mut metrics, RTAX_CC_ALGO, &[control.as_bytes(), &[0]].concat());
    push_attribute(&mut message, RTA_METRICS, &metrics);
    message
}

/// Builds `struct fib_rule_hdr` of rule 1. Rule 0 is the rule for local addresses.
fn blackhole_rule_message(family: u8, device: &str, protocol: u8) -> Vec<u8> {
    let mut message = vec![family, 0, 0, 0, 0, 0, 0, FR_ACT_BLACKHOLE, 0, 0, 0, 0];
    let name: Vec<u8> = device.bytes().chain([0]).collect();
    push_attribute(&mut message, FRA_IIFNAME, &name);
    push_attribute(&mut message, FRA_PRIORITY, &1u32.to_ne_bytes());
    push_attribute(&mut message, FRA_PROTOCOL, &[protocol]);
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
        Netlink::open()?.send_request(
            RTM_NEWRULE,
            NLM_F_CREATE,
            &blackhole_rule_message(AF_INET, device, BOOT),
        )
    }

    /// Removes the rule of [`add_users_rule`]. Returns an error if the rule does not exist.
    pub fn take_users_rule(device: &str) -> io::Result<()> {
        Netlink::open()?.send_request(RTM_DELRULE, 0, &blackhole_rule_message(AF_INET, device, BOOT))
    }
}
