//! TUN device of a node.

use super::Device;
use super::netlink::Netlink;
use super::sys;
use crate::port::Port;
use airhop_base::NodeId;
use airhop_wire::addressing;
use nix::net::if_::if_nametoindex;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// Name of the device in every node's namespace.
pub const DEVICE_NAME: &str = "airhop0";
/// Capacity of the device's queue in datagrams: 60 000 packets per second for a stall of 60 ms. Further
/// datagrams are lost and counted.
const QUEUE_DATAGRAMS: u32 = 4096;
/// Minimum MTU of a link with IPv6 (RFC 8200 §5).
const IPV6_MTU: u16 = 1280;

/// Failed step in the set-up of a node, with the error.
pub type SetupFailure = (String, io::Error);

/// TUN device from the side of the emulator. A read returns a packet that the kernel has sent to the device.
/// The kernel receives the packets that are written.
///
/// Offloads stay off, because TUNSETOFFLOAD is not called. The kernel therefore splits segments to the MTU
/// and completes every checksum before the emulator reads a datagram.
#[derive(Debug)]
pub struct Tun {
    file: File,
    /// File with the namespace's table of devices.
    devices: File,
}

impl Tun {
    /// Creates the device of `node` in this thread's network namespace, with the node's addresses. Then
    /// brings up the device and the loopback device.
    ///
    /// # Errors
    ///
    /// Returns the step that failed.
    pub fn open(node: NodeId, mtu: u16) -> Result<Self, SetupFailure> {
        let step = |what: &'static str| move |error: io::Error| (what.to_owned(), error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
        let file = options.open("/dev/net/tun").map_err(step("opening /dev/net/tun"))?;
        sys::attach_tun(&file, DEVICE_NAME).map_err(step("making a TUN device"))?;
        let index = |name| if_nametoindex(name).map_err(io::Error::from);
        let device = index(DEVICE_NAME).map_err(step("finding the TUN device"))?;
        let netlink = Netlink::open().map_err(step("opening rtnetlink"))?;
        let ipv6 = mtu >= IPV6_MTU && prepare_ipv6(&netlink, device);
        netlink
            .set_mtu_and_queue(device, mtu, QUEUE_DATAGRAMS)
            .map_err(|error| (format!("setting an MTU of {mtu} bytes"), error))?;
        index("lo")
            .and_then(|loopback| netlink.bring_up(loopback))
            .map_err(step("bringing the loopback up"))?;
        netlink.bring_up(device).map_err(step("bringing the TUN device up"))?;
        netlink
            .add_address(device, addressing::ipv4_address(node), 8)
            .map_err(step("adding the IPv4 address"))?;
        if ipv6 {
            let address = addressing::ipv6_address(node);
            netlink.add_address6(device, address, 64).map_err(step("adding the IPv6 address"))?;
        }
        let devices =
            File::open("/proc/thread-self/net/dev").map_err(step("opening the table of devices"))?;
        Ok(Tun { file, devices })
    }
}

/// Prepares a device for IPv6. Returns false if the kernel has no IPv6.
fn prepare_ipv6(netlink: &Netlink, device: u32) -> bool {
    let disabled = format!("/proc/sys/net/ipv6/conf/{DEVICE_NAME}/disable_ipv6");
    // A machine may disable IPv6 for new devices. In a container the setting is read-only and stays.
    let _ = fs::write(&disabled, "0");
    let enabled = fs::read_to_string(&disabled).is_ok_and(|value| value.trim() == "0");
    enabled && netlink.disable_address_generation(device).is_ok()
}

/// Returns the number of datagrams that the device has dropped; `None` if the kernel's table of devices
/// cannot be parsed (proc_pid_net(5)).
fn parse_dropped(devices: &str) -> Option<u64> {
    let line =
        devices.lines().find_map(|line| line.trim_start().strip_prefix(DEVICE_NAME)?.strip_prefix(':'))?;
    // First come eight numbers about received packets, then the packets, errors and drops of sent packets.
    line.split_whitespace().nth(11)?.parse().ok()
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Device for Tun {
    fn lost_datagrams(&mut self) -> u64 {
        let mut text = String::new();
        let read = self.devices.rewind().and_then(|()| self.devices.read_to_string(&mut text));
        // A program may have deleted its device, and with it the device's counters.
        read.ok().and_then(|_| parse_dropped(&text)).unwrap_or(0)
    }
}

impl Port for Tun {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.file.read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write(&mut self, datagram: &[u8]) -> io::Result<()> {
        // A device accepts a datagram as a whole or not at all.
        self.file.write(datagram).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table in the format of Linux 6.18: 3 errors and 7 drops of packets that were sent to the device.
    #[test]
    fn device_drops_are_read_from_proc_net_dev() {
        let table = "Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    9    0     0          0         0        0       0    0    9    0     0       0          0
airhop0:    100       1    0    2    0     0          0         0      200       4    3    7    0     0       0          0
";
        assert_eq!(parse_dropped(table), Some(7));
        assert_eq!(parse_dropped(""), None);
    }
}
