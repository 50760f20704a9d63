//! Addresses, ports and initial sequence numbers. Simulated packets do not contain these fields.

use crate::WireError;
use airhop_base::{Body, FlowId, NodeId, Packet};
use std::net::IpAddr;

/// Source port of flow 0: the first dynamic port (RFC 6335 §6). Later flows have the following ports.
pub const FIRST_SENDER_PORT: u16 = 49152;
/// Port of all TCP receivers, without an assigned protocol. With one port per flow, analysers would decode
/// some flows as SIP, DNS or other protocols with assigned ports.
pub const TCP_RECEIVER_PORT: u16 = 5001;
/// Port of all UDP receivers.
pub const UDP_RECEIVER_PORT: u16 = 6001;
/// UDP port of AODV routers (RFC 3561 §5).
pub const AODV_PORT: u16 = 654;
/// Maximum number of flows. Equals the number of dynamic ports.
pub const MAX_FLOWS: u16 = u16::MAX - FIRST_SENDER_PORT + 1;

/// Private network 10.0.0.0/8 (RFC 1918 §3).
const NETWORK: u32 = 10 << 24;

/// Direction of a packet of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowDirection {
    /// Direction from the sender of the data.
    Forward,
    /// Direction from the receiver: acknowledgements and notices.
    Reverse,
}

impl FlowDirection {
    pub fn opposite(self) -> FlowDirection {
        match self {
            FlowDirection::Forward => FlowDirection::Reverse,
            FlowDirection::Reverse => FlowDirection::Forward,
        }
    }
}

/// Returns the IPv4 address of a node. Node 0 has 10.0.0.1. The broadcast node has the limited broadcast
/// address (RFC 919 §7).
pub fn ipv4_address(node: NodeId) -> [u8; 4] {
    if node == NodeId::BROADCAST {
        return [255; 4];
    }
    (NETWORK + u32::from(node.0) + 1).to_be_bytes()
}

/// Airhop's private network in fd00::/8 (RFC 4193 §3.1).
const NETWORK6: [u8; 14] = [0xfd, 0, 0xa1, 0xb0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Returns the IPv6 address of a node. Node 0 has fd00:a1b0::1.
pub fn ipv6_address(node: NodeId) -> [u8; 16] {
    let mut address = [0; 16];
    address[..14].copy_from_slice(&NETWORK6);
    address[14..].copy_from_slice(&(node.0 + 1).to_be_bytes());
    address
}

/// Returns the locally administered MAC address of a node in a cell (IEEE 802 §8.2). The last two bytes equal
/// the end of the node's IPv4 address, for the first 65,535 nodes. The broadcast node has the broadcast
/// address.
pub fn mac_address(cell: u16, node: NodeId) -> [u8; 6] {
    if node == NodeId::BROADCAST {
        return [0xFF; 6];
    }
    in_cell(cell, node.0 + 1)
}

/// Returns the BSSID of a cell. No node has this address.
pub fn bssid(cell: u16) -> [u8; 6] {
    in_cell(cell, 0)
}

fn in_cell(cell: u16, number: u16) -> [u8; 6] {
    let ([c0, c1], [n0, n1]) = (cell.to_be_bytes(), number.to_be_bytes());
    [0x02, 0xA1, c0, c1, n0, n1]
}

/// True if this is the address of a single host. A simulated network routes only to hosts. A kernel's packets
/// to all neighbours (RFC 1112 §4, RFC 4291 §2.7: group membership, router solicitations) stay on the local
/// link.
pub fn is_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(to) => {
            let everybody = u32::from_be_bytes(to.octets()) == NETWORK | 0x00FF_FFFF;
            !to.is_multicast() && !to.is_broadcast() && !everybody
        }
        IpAddr::V6(to) => !to.is_multicast(),
    }
}

/// Returns the node of the host with this IPv4 or IPv6 address; `None` without such a node.
pub fn node_of_ip(address: IpAddr) -> Option<NodeId> {
    match address {
        IpAddr::V4(address) => node_of_ipv4(address.octets()).filter(|node| *node != NodeId::BROADCAST),
        IpAddr::V6(address) => {
            let number =
                address.octets().strip_prefix(&NETWORK6[..]).map(|n| u16::from_be_bytes([n[0], n[1]]))?;
            number.checked_sub(1).map(NodeId)
        }
    }
}

/// Returns the node with this address; `None` without such a node.
pub fn node_of_ipv4(address: [u8; 4]) -> Option<NodeId> {
    if address == [255; 4] {
        return Some(NodeId::BROADCAST);
    }
    let index = u32::from_be_bytes(address).checked_sub(NETWORK + 1)?;
    u16::try_from(index).ok().map(NodeId).filter(|node| *node != NodeId::BROADCAST)
}

/// Returns source and destination port of a packet. `receiver` is the port of the receiver.
pub(crate) fn ports(flow: FlowId, way: FlowDirection, receiver: u16) -> (u16, u16) {
    let sender = FIRST_SENDER_PORT + flow.0;
    match way {
        FlowDirection::Forward => (sender, receiver),
        FlowDirection::Reverse => (receiver, sender),
    }
}

/// Returns flow and direction of a packet with these ports. `receiver` is the port of the receiver.
pub(crate) fn flow_from_ports(
    source: u16,
    destination: u16,
    receiver: u16,
) -> Result<(FlowId, FlowDirection), WireError> {
    let (sender, way) = match (source, destination) {
        (port, listening) if listening == receiver => (port, FlowDirection::Forward),
        (listening, port) if listening == receiver => (port, FlowDirection::Reverse),
        _ => return Err(WireError::Foreign("ports")),
    };
    let number = sender.checked_sub(FIRST_SENDER_PORT).ok_or(WireError::Foreign("ports"))?;
    Ok((FlowId(number), way))
}

/// Returns the initial sequence number of the stream in this direction.
///
/// RFC 9293 §3.4.1 requires an unpredictable number, but a simulation must produce the same bytes in every
/// run. Multiplication by an odd number makes the numbers of all streams distinct.
pub(crate) fn isn(flow: FlowId, way: FlowDirection) -> u32 {
    (2 * u32::from(flow.0) + way as u32 + 1).wrapping_mul(0x9E37_79B1)
}

/// Returns the initial sequence numbers of sender and receiver of a TCP flow.
pub fn initial_seqs(flow: FlowId) -> [u32; 2] {
    [FlowDirection::Forward, FlowDirection::Reverse].map(|way| isn(flow, way))
}

/// Returns the ports of the sender and of the receiver of a TCP flow. There are [`MAX_FLOWS`] sender ports.
pub fn tcp_ports(flow: FlowId) -> [u16; 2] {
    [FIRST_SENDER_PORT.wrapping_add(flow.0), TCP_RECEIVER_PORT]
}

/// State of a flow's connection that the packet headers depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversation {
    pub(crate) sender: NodeId,
    pub(crate) receiver: NodeId,
    /// Window scale of each endpoint. Zero until the endpoint has sent a SYN (RFC 7323 §2.2).
    shift: [u8; 2],
}

impl Conversation {
    /// Creates the state of a flow from `sender` to `receiver` before its first packet.
    pub fn new(sender: NodeId, receiver: NodeId) -> Self {
        Conversation { sender, receiver, shift: [0; 2] }
    }

    /// Records the window scale of a SYN. Must be called with every packet, before it is encoded.
    pub fn record_window_scale(&mut self, packet: &Packet) {
        match &packet.body {
            Body::Tcp(segment) if segment.flags.syn => {
                self.shift[self.way(packet) as usize] = crate::window_shift(segment.window);
            }
            _ => {}
        }
    }

    pub(crate) fn way(&self, packet: &Packet) -> FlowDirection {
        if packet.src == self.sender { FlowDirection::Forward } else { FlowDirection::Reverse }
    }

    pub(crate) fn window_shift(&self, way: FlowDirection) -> u8 {
        self.shift[way as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1918 §3: every node has a distinct address in 10.0.0.0/8.
    #[test]
    fn every_node_has_a_private_address() {
        assert_eq!(ipv4_address(NodeId(0)), [10, 0, 0, 1]);
        assert_eq!(ipv4_address(NodeId(255)), [10, 0, 1, 0]);
        for id in 0..=u16::MAX {
            assert_eq!(node_of_ipv4(ipv4_address(NodeId(id))), Some(NodeId(id)));
        }
        assert_eq!(ipv4_address(NodeId::BROADCAST), [255, 255, 255, 255]);
        assert_eq!(node_of_ipv4([10, 0, 0, 0]), None);
        for id in (0..u16::MAX).map(NodeId) {
            assert_eq!(node_of_ip(ipv4_address(id).into()), Some(id));
            assert_eq!(node_of_ip(ipv6_address(id).into()), Some(id));
        }
        assert_eq!(
            ipv6_address(NodeId(0x1233)),
            [0xfd, 0, 0xa1, 0xb0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34]
        );
        assert_eq!([[255; 16], [0; 16]].map(|address| node_of_ip(address.into())), [None; 2]);
        assert_eq!(node_of_ip([255; 4].into()), None, "all are no host");
        // The broadcast address is not the address of a node.
        assert_eq!([[10, 1, 0, 0], [10, 1, 0, 1]].map(node_of_ipv4), [None; 2]);
        assert_eq!(node_of_ipv4([192, 168, 0, 1]), None);
    }

    /// RFC 919 §7, RFC 1112 §4, RFC 4291 §2.7: broadcast and group addresses are not hosts.
    #[test]
    fn broadcast_and_group_addresses_are_not_unicast() {
        let unicast = |address: &str| is_unicast(address.parse().unwrap());
        assert!(["10.0.0.1", "192.168.0.255", "fd00:a1b0::1", "::1"].into_iter().all(unicast));
        assert!(!["10.255.255.255", "255.255.255.255", "224.0.0.22", "ff02::2"].into_iter().any(unicast));
    }

    /// RFC 6335 §6: every flow has its own dynamic port, and all other ports belong to no flow.
    #[test]
    fn a_port_identifies_flow_and_direction() {
        for id in [0, 1, 59, MAX_FLOWS - 1] {
            for way in [FlowDirection::Forward, FlowDirection::Reverse] {
                let (source, destination) = ports(FlowId(id), way, TCP_RECEIVER_PORT);
                assert_eq!(flow_from_ports(source, destination, TCP_RECEIVER_PORT), Ok((FlowId(id), way)));
            }
        }
        assert!(flow_from_ports(49152, 6001, TCP_RECEIVER_PORT).is_err());
        assert!(flow_from_ports(80, 5001, TCP_RECEIVER_PORT).is_err());
        assert!(flow_from_ports(65535, 65535, TCP_RECEIVER_PORT).is_err());
    }
}
