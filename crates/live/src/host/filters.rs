//! Packet programs at the ingress of a device as clsact filters, for kernels without tcx links (tc-bpf(8)).

use super::netlink::{Netlink, push_attribute};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

const RTM_NEWQDISC: u16 = 36;
const RTM_NEWTFILTER: u16 = 44;
const NLM_F_CREATE: u16 = 0x400;
const NLM_F_EXCL: u16 = 0x200;
/// Qdisc `TC_H_CLSACT`.
const TC_H_CLSACT: u32 = 0xffff_fff1;
const CLSACT_HANDLE: u32 = 0xffff_0000;
const INGRESS_PARENT: u32 = 0xffff_fff2;
/// Protocol of the filters: ETH_P_ALL, in network byte order.
const ALL_PROTOCOLS: u16 = 0x0003;
const TCA_KIND: u16 = 1;
const TCA_OPTIONS: u16 = 2;
const TCA_BPF_FD: u16 = 6;
const TCA_BPF_NAME: u16 = 7;
const TCA_BPF_FLAGS: u16 = 8;
/// Flag for programs that determine the action on a packet themselves (direct action).
const TCA_BPF_FLAG_ACT_DIRECT: u32 = 1;

impl Netlink {
    /// Attaches programs to the ingress of a device, in this order. The programs stay attached as long as the
    /// device exists.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel, for example if the kernel lacks clsact, or if the device already has
    /// such filters.
    pub fn add_filters(&self, device: u32, programs: &[OwnedFd]) -> io::Result<()> {
        let mut clsact = build_tcmsg(device, CLSACT_HANDLE, TC_H_CLSACT, 0);
        push_attribute(&mut clsact, TCA_KIND, b"clsact\0");
        match self.send_request(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, &clsact) {
            Err(error) if error.raw_os_error() != Some(libc::EEXIST) => return Err(error),
            _ => {}
        }
        (1..).zip(programs).try_for_each(|(priority, program)| {
            self.send_request(
                RTM_NEWTFILTER,
                NLM_F_CREATE | NLM_F_EXCL,
                &build_filter(device, priority, program.as_raw_fd() as u32),
            )
        })
    }
}

/// Builds a filter that runs a program. Filters with lower priority numbers run first.
fn build_filter(device: u32, priority: u16, program: u32) -> Vec<u8> {
    let info = u32::from(priority) << 16 | u32::from(ALL_PROTOCOLS.to_be());
    let (mut message, mut options) = (build_tcmsg(device, 0, INGRESS_PARENT, info), Vec::new());
    push_attribute(&mut options, TCA_BPF_FD, &program.to_ne_bytes());
    push_attribute(&mut options, TCA_BPF_NAME, b"airhop\0");
    push_attribute(&mut options, TCA_BPF_FLAGS, &TCA_BPF_FLAG_ACT_DIRECT.to_ne_bytes());
    push_attribute(&mut message, TCA_KIND, b"bpf\0");
    push_attribute(&mut message, TCA_OPTIONS, &options);
    message
}

/// Builds `struct tcmsg`.
fn build_tcmsg(device: u32, handle: u32, parent: u32, info: u32) -> Vec<u8> {
    [0, device, handle, parent, info].into_iter().flat_map(u32::to_ne_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::bpf::RegisteredObject;
    use crate::privileges::{Privileges, skip_test};
    use airhop_bpf::loading::LoadableObject;
    use nix::sched::{CloneFlags, unshare};
    use nix::sys::socket::{
        AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, sendto, setsockopt, socket,
        sockopt::TcpCongestion,
    };
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::thread;

    const ELN: &[u8] = include_bytes!("../../../../python/airhop/bpf/eln.bpf.o");
    const LOOPBACK: u32 = 1;

    /// Returns an ELN (Yun 2009 §3.1) about a segment from one end of a connection to the other, without
    /// checksums.
    fn notice(from: SocketAddr, to: SocketAddr) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1];
        packet.extend([from.port().to_be_bytes(), to.port().to_be_bytes()].concat());
        packet.extend([0; 4]);
        packet.extend(4711_u32.to_be_bytes());
        packet.extend([5 << 4 | 0x08, 0x10, 0, 0, 0, 0, 0, 0]);
        packet
    }

    /// A notice that arrives at a device with these filters reaches the program, as with tcx.
    #[test]
    fn a_tc_filter_receives_notices() {
        let able = Privileges::detect().struct_ops;
        if able.map_err(|missing| skip_test(&missing)).is_err() {
            return;
        }
        let heard = thread::spawn(|| {
            unshare(CloneFlags::CLONE_NEWNET).unwrap();
            let netlink = Netlink::open().unwrap();
            netlink.bring_up(LOOPBACK).unwrap();
            let object = LoadableObject::read(ELN, "eln.bpf.o").unwrap();
            let registered = RegisteredObject::new(object, "bpf_eln").unwrap();
            registered.attach_clsact_filters(LOOPBACK).unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            setsockopt(&sender, TcpCongestion, &registered.name().to_owned().into()).unwrap();
            let raw =
                socket(AddressFamily::Inet, SockType::Raw, SockFlag::empty(), SockProtocol::Raw).unwrap();
            let packet = notice(sender.peer_addr().unwrap(), sender.local_addr().unwrap());
            let to = SockaddrIn::new(127, 0, 0, 1, 0);
            sendto(raw.as_raw_fd(), &packet, &to, MsgFlags::empty()).unwrap();
            registered.read_counter("notices_heard")
        });
        assert_eq!(heard.join().unwrap(), Some(1));
    }
}
