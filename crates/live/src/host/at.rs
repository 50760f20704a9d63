//! Existing interface as an end of the network, so that Airhop can run inside a real router.
//!
//! Packets with the link address of this machine and the IP address of another host enter the network.
//! Departures leave through the interface. The kernel determines the next hop and the link address. During
//! the emulation a policy rule prevents the kernel from forwarding the packets itself (ip-rule(8): `pref 1
//! iif DEV blackhole`). The rule comes after the rule for local addresses, so this machine stays reachable.
//!
//! If an emulator is killed, its rule remains until the next emulator on the interface removes the rule.
//! Airhop's rules have their own protocol number. Only one emulator at a time can use an interface.

use super::Device;
use super::netlink::Netlink;
use super::sys::{self, CapturedPacket, Offload};
use super::tun::SetupFailure;
use crate::port::Port;
use airhop_wire::addressing::is_unicast;
use airhop_wire::real::{self, HeaderFields};
use nix::ifaddrs::getifaddrs;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::sockopt::BindToDevice;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, SockaddrIn6, UnixAddr, bind,
    sendto, setsockopt, socket,
};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

const VIRTIO_NET_HDR_F_NEEDS_CSUM: u8 = 1;

/// Interface of this machine as an end of the network.
#[derive(Debug)]
pub struct Interface {
    incoming: OwnedFd,
    outgoing4: OwnedFd,
    outgoing6: OwnedFd,
    /// Addresses of this machine. Datagrams for these addresses do not enter the network.
    own: BTreeSet<IpAddr>,
    /// Remaining segments of a captured packet that is longer than the link's MTU.
    segments: VecDeque<Vec<u8>>,
    _rule: PolicyRule,
    _owner: OwnedFd,
}

impl Interface {
    /// Captures packets that arrive at the interface `name` for other hosts. The kernel does not forward
    /// these packets until the value is dropped.
    ///
    /// # Errors
    ///
    /// Returns the step that failed.
    pub fn open(name: &str) -> Result<Self, SetupFailure> {
        let step = |what: &str| {
            let what = format!("{what} {name}");
            move |error: io::Error| (what, error)
        };
        let index = if_nametoindex(name).map_err(io::Error::from).map_err(step("finding interface"))?;
        let owner = reserve_interface(name).map_err(step("taking over"))?;
        let outgoing = |family| open_raw_socket(family, name).map_err(step("opening raw sockets at"));
        let (outgoing4, outgoing6) = (outgoing(AddressFamily::Inet)?, outgoing(AddressFamily::Inet6)?);
        let own = own_addresses().map_err(step("asking for the addresses beside"))?;
        let rule = PolicyRule::add(name)
            .map_err(step("preventing the kernel from forwarding packets received at"))?;
        let incoming = sys::open_capture(index).map_err(step("capturing at"))?;
        let segments = VecDeque::new();
        Ok(Interface { incoming, outgoing4, outgoing6, own, segments, _rule: rule, _owner: owner })
    }

    /// True if a captured packet enters the network: unicast, and not for this machine.
    fn is_for_others(&self, seen: &HeaderFields) -> bool {
        is_unicast(seen.destination) && !self.own.contains(&seen.destination)
    }

    /// Converts a captured packet into datagrams as on a wire, with complete checksums and without offloaded
    /// segmentation. Writes the first datagram to `buffer`, and returns its length.
    fn convert_captured_packet(&mut self, captured: CapturedPacket, buffer: &mut [u8]) -> Option<usize> {
        let CapturedPacket { length, link_header_bytes: link_header, is_for_this_host, offload } = captured;
        if !is_for_this_host {
            return None;
        }
        // An Ethernet frame has at least 60 bytes, so bytes after a short datagram are padding.
        let captured = buffer.get(link_header..length)?;
        let seen = real::read_headers(captured).ok().filter(|seen| self.is_for_others(seen))?;
        let length = seen.datagram_bytes as usize;
        if length > captured.len() {
            return None;
        }
        buffer.copy_within(link_header..link_header + length, 0);
        let datagram = &mut buffer[..length];
        let Offload {
            flags,
            gso_type: kind,
            gso_segment_bytes: segment,
            checksum_start: start,
            checksum_offset: offset,
            ..
        } = offload;
        if kind != 0 {
            self.segments = real::segment_datagram(datagram, segment).ok()?.collect();
            return self.next_segment(buffer);
        }
        if flags & VIRTIO_NET_HDR_F_NEEDS_CSUM != 0 {
            real::complete_checksum(datagram, start.checked_sub(link_header as u16)?, offset).ok()?;
        }
        Some(length)
    }

    fn next_segment(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let segment = self.segments.pop_front()?;
        buffer.get_mut(..segment.len())?.copy_from_slice(&segment);
        Some(segment.len())
    }
}

/// Returns a socket that sends whole datagrams out of `device`. The kernel only determines the next hop.
fn open_raw_socket(family: AddressFamily, device: &str) -> io::Result<OwnedFd> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    // With the protocol IPPROTO_RAW the program provides the headers (raw(7)). For IPv6 an option is also
    // needed (RFC 3542 §3).
    let socket = socket(family, SockType::Raw, flags, SockProtocol::Raw)?;
    if family == AddressFamily::Inet6 {
        sys::set_option(&socket, libc::IPPROTO_IPV6, libc::IPV6_HDRINCL, 1)?;
    }
    setsockopt(&socket, BindToDevice, &OsString::from(device))?;
    Ok(socket)
}

/// Reserves `device` for this emulator until the returned descriptor is closed. The reservation is the name
/// of an abstract Unix socket (unix(7)). Only one process in the network namespace can have this name, and
/// the name disappears with the process.
fn reserve_interface(device: &str) -> io::Result<OwnedFd> {
    let socket = socket(AddressFamily::Unix, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    let name = UnixAddr::new_abstract(format!("airhop-at-{device}").as_bytes())?;
    match bind(socket.as_raw_fd(), &name) {
        Err(nix::Error::EADDRINUSE) => Err(io::Error::other("another airhop emulate has this interface")),
        result => Ok(result.map(|()| socket)?),
    }
}

fn own_addresses() -> io::Result<BTreeSet<IpAddr>> {
    let address = |interface: nix::ifaddrs::InterfaceAddress| {
        let address = interface.address?;
        let four = address.as_sockaddr_in().map(|address| IpAddr::from(address.ip()));
        four.or_else(|| address.as_sockaddr_in6().map(|address| IpAddr::from(address.ip())))
    };
    Ok(getifaddrs()?.filter_map(address).collect())
}

impl AsFd for Interface {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.incoming.as_fd()
    }
}

impl Device for Interface {
    fn lost_datagrams(&mut self) -> u64 {
        sys::take_capture_drops(&self.incoming).unwrap_or(0)
    }
}

impl Port for Interface {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            if let Some(length) = self.next_segment(buffer) {
                return Ok(Some(length));
            }
            let Some(captured) = sys::read_captured(&self.incoming, buffer)? else { return Ok(None) };
            if let Some(length) = self.convert_captured_packet(captured, buffer) {
                return Ok(Some(length));
            }
        }
    }

    fn write(&mut self, datagram: &[u8]) -> io::Result<()> {
        let none = MsgFlags::empty();
        match real::read_headers(datagram).ok().map(|seen| seen.destination) {
            Some(IpAddr::V4(to)) => {
                let to = SockaddrIn::from(SocketAddrV4::new(to, 0));
                sendto(self.outgoing4.as_raw_fd(), datagram, &to, none)?;
            }
            Some(IpAddr::V6(to)) => {
                let to = SockaddrIn6::from(SocketAddrV6::new(to, 0, 0, 0));
                sendto(self.outgoing6.as_raw_fd(), datagram, &to, none)?;
            }
            None => return Err(io::ErrorKind::InvalidData.into()),
        }
        Ok(())
    }
}

/// Policy rule against forwarding by the kernel. Dropping the value removes the rule.
#[derive(Debug)]
struct PolicyRule {
    netlink: Netlink,
    device: String,
}

impl PolicyRule {
    fn add(device: &str) -> io::Result<Self> {
        let rule = PolicyRule { netlink: Netlink::open()?, device: device.to_owned() };
        // An emulator that was killed may have left its rule.
        rule.remove();
        rule.netlink.add_blackhole(&rule.device)?;
        Ok(rule)
    }

    fn remove(&self) {
        let _ = self.netlink.remove_blackhole(&self.device);
    }
}

impl Drop for PolicyRule {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::super::netlink::tests::{add_users_rule, take_users_rule};
    use super::*;
    use nix::sched::{CloneFlags, unshare};

    /// Runs a test in a new network namespace. The test is skipped if the user may not create network
    /// namespaces.
    fn in_a_namespace(test: impl FnOnce() + Send) {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                if unshare(CloneFlags::CLONE_NEWNET).is_ok() {
                    test();
                } else {
                    crate::privileges::skip_test("no new namespaces");
                }
            });
            thread.join().expect("a condition that is true");
        });
    }

    /// An emulator that ends removes only its own rule, not the rule of another emulator or of a user.
    #[test]
    fn an_emulator_removes_only_its_own_rule_of_an_interface() {
        in_a_namespace(|| {
            add_users_rule("lo").unwrap();
            let first = Interface::open("lo").unwrap();
            let (step, error) = Interface::open("lo").unwrap_err();
            assert_eq!(step, "taking over lo");
            assert_eq!(error.to_string(), "another airhop emulate has this interface");
            let netlink = Netlink::open().unwrap();
            netlink.remove_blackhole("lo").expect("the rule of the first is still there");
            netlink.add_blackhole("lo").unwrap();
            drop(first);
            netlink.remove_blackhole("lo").expect_err("the rule was removed with its emulator");
            Interface::open("lo").expect("the interface is free again");
            take_users_rule("lo").expect("the administrator's rule is unchanged");
        });
    }
}
