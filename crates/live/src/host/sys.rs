//! System calls without a safe wrapper. All other unsafe code of the crate is in `host::bpf`.
#![allow(unsafe_code)]

use libc::{c_char, c_int, c_ulong};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::{mem, ptr};

fn check_errno(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Creates the TUN device `name` in this thread's network namespace. `clone` is an open /dev/net/tun. The
/// device exists as long as `clone` is open.
///
/// # Errors
///
/// Returns the error of the kernel.
///
/// # Panics
///
/// If `name` is longer than 15 bytes.
pub fn attach_tun(clone: &File, name: &str) -> io::Result<()> {
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_flags: (libc::IFF_TUN | libc::IFF_NO_PI) as i16 },
    };
    assert!(name.len() < libc::IFNAMSIZ, "{name} is longer than the maximum length of a device name");
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as c_char;
    }
    // SAFETY: TUNSETIFF reads and writes one ifreq, which lives until the call returns.
    check_errno(unsafe { libc::ioctl(clone.as_raw_fd(), libc::TUNSETIFF, &mut request) })?;
    Ok(())
}

/// Scheduling policy of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulingPolicy {
    /// Real-time priority over ordinary threads. Child threads and processes do not inherit the priority.
    RealTime,
    /// Scheduling of ordinary threads.
    Usual,
}

/// Sets the scheduling policy of this thread.
///
/// # Errors
///
/// Returns an error if the user may not set this policy.
pub fn set_scheduling_policy(how: SchedulingPolicy) -> io::Result<()> {
    let (policy, priority) = match how {
        // A low real-time priority, below that of the kernel's own threads (50 and more).
        SchedulingPolicy::RealTime => (libc::SCHED_FIFO, 10),
        SchedulingPolicy::Usual => (libc::SCHED_OTHER, 0),
    };
    // SAFETY: sched_param consists of numbers, for which zeros are valid.
    let mut parameters: libc::sched_param = unsafe { mem::zeroed() };
    parameters.sched_priority = priority;
    // A thread without CAP_SYS_NICE cannot clear the flag, so the flag is set for both policies. SAFETY: the
    // kernel reads one sched_param, which lives until the call returns; 0 means this thread.
    check_errno(unsafe { libc::sched_setscheduler(0, policy | libc::SCHED_RESET_ON_FORK, &parameters) })?;
    Ok(())
}

/// Returns a descriptor of this process that becomes readable when the process has ended.
///
/// # Errors
///
/// Returns an error if the kernel is older than Linux 5.3.
pub fn own_pidfd() -> io::Result<OwnedFd> {
    // SAFETY: pidfd_open takes two numbers, and returns a descriptor that has no other owner.
    unsafe {
        let descriptor = libc::syscall(libc::SYS_pidfd_open, libc::getpid(), 0);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(descriptor as RawFd))
    }
}

/// Makes `command` start the first process of a process namespace and of a session. The program itself is a
/// child of the first process. The first process ends with the thread that starts it, and all processes of
/// the namespace end with the first process. A first process ignores signals without a handler
/// (pid_namespaces(7)), and few programs expect that.
///
/// The calling thread must have unshared its process namespace. `emulator` is the result of [`own_pidfd`].
pub fn use_pid_namespace(command: &mut Command, emulator: OwnedFd) {
    let become_first = move || {
        prepare_init_process(emulator.as_raw_fd())?;
        // SAFETY: this process has one thread. Without CLONE_VM the new process has memory of its own, and
        // both processes return from here. The code calls clone directly, because handlers of pthread_atfork
        // must not run between fork and exec.
        let child = unsafe { libc::syscall(libc::SYS_clone, libc::c_long::from(libc::SIGCHLD), 0, 0, 0, 0) };
        match child {
            0 => Ok(()),
            1.. => reap_until_exit(child as libc::pid_t),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: only async-signal-safe calls are made between fork and exec, and no memory is allocated; see
    // the functions called.
    unsafe { command.pre_exec(become_first) };
}

/// Prepares the first process of the namespace before the program starts. The process will end with the
/// emulator, and gets its own /proc.
fn prepare_init_process(emulator: RawFd) -> io::Result<()> {
    let (none, proc) = (ptr::null::<c_char>(), c"proc".as_ptr());
    let hidden: c_ulong = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    // SAFETY: these are system calls; every pointer is null or a constant zero-terminated string, and
    // `watched` lives on the stack.
    unsafe {
        check_errno(libc::setsid())?;
        check_errno(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong))?;
        // If the emulator ended before the previous line, no signal is sent.
        let mut watched = libc::pollfd { fd: emulator, events: libc::POLLIN, revents: 0 };
        if libc::poll(&mut watched, 1, 0) != 0 {
            libc::_exit(128 + libc::SIGKILL);
        }
        check_errno(libc::unshare(libc::CLONE_NEWNS))?;
        check_errno(libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, ptr::null()))?;
        // A container that hides parts of /proc does not permit another mount. Programs then see the
        // processes of the container.
        libc::mount(proc, c"/proc".as_ptr(), proc, hidden, ptr::null());
    }
    Ok(())
}

/// Reaps all processes that end in the namespace, until the program ends. Then exits with the program's
/// status.
fn reap_until_exit(program: libc::pid_t) -> ! {
    // SAFETY: these are system calls; `status` lives on the stack. Closing all descriptors is harmless,
    // because this process uses none.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, c"airhop-init".as_ptr());
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        close_all();
        let mut status = 0;
        loop {
            match libc::waitpid(-1, &mut status, 0) {
                pid if pid == program => break,
                -1 if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) => libc::_exit(255),
                _ => {}
            }
        }
        let signalled = libc::WIFSIGNALED(status);
        libc::_exit(if signalled { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) })
    }
}

/// Closes all descriptors. Otherwise readers of the program's output would also wait for the end of this
/// process.
fn close_all() {
    // SAFETY: no code of this process uses a descriptor from here on.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 0, u32::MAX, 0) != 0 {
            (0..65_536).for_each(|descriptor| {
                libc::close(descriptor);
            });
        }
    }
}

/// Properties of a captured packet, without its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapturedPacket {
    /// Length of the packet with its link header in bytes. Larger than the buffer if the packet was
    /// truncated.
    pub length: usize,
    /// Length of the link header in bytes.
    pub link_header_bytes: usize,
    /// True if the link-layer destination of the packet is this machine, and not another host or a group.
    pub is_for_this_host: bool,
    /// Checksum or segmentation that is left to the network card (`struct virtio_net_hdr`).
    pub offload: Offload,
}

/// Offloaded work that remains to be done for a captured packet (virtio 1.2 §5.1.6).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offload {
    /// Flags; 1 means that the checksum is incomplete.
    pub flags: u8,
    /// Type of segmentation; nonzero if the datagram must be split into segments.
    pub gso_type: u8,
    /// Length of the headers in bytes.
    pub header_bytes: u16,
    /// Payload of a segment in bytes.
    pub gso_segment_bytes: u16,
    /// Offset in bytes of the first byte that the checksum covers.
    pub checksum_start: u16,
    /// Offset of the checksum relative to `checksum_start`, in bytes.
    pub checksum_offset: u16,
}

/// Returns a socket that captures the packets that a device receives, with their link headers. Without link
/// headers the kernel would not report offloads (packet(7): PACKET_VNET_HDR is for SOCK_RAW).
///
/// # Errors
///
/// Returns an error if the user may not capture packets.
pub fn open_capture(device: u32) -> io::Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // With protocol 0 the socket captures no packets before it is bound. SAFETY: socket takes numbers, and
    // returns a descriptor that has no other owner.
    let socket = unsafe { OwnedFd::from_raw_fd(check_errno(libc::socket(libc::AF_PACKET, kind, 0))?) };
    set_option(&socket, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1)?;
    set_option(&socket, libc::SOL_PACKET, libc::PACKET_VNET_HDR, 1)?;
    // Buffer for the packets of a stall of some tens of milliseconds; the kernel may reduce it.
    set_option(&socket, libc::SOL_SOCKET, libc::SO_RCVBUF, 16 << 20)?;
    // SAFETY: sockaddr_ll consists of numbers, for which zeros are valid.
    let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = device as c_int;
    let length = mem::size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the kernel reads `length` bytes of an address that lives until the call returns.
    check_errno(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) })?;
    Ok(socket)
}

/// Reads the next packet from the socket of [`open_capture`] into `buffer`; `None` if no packet is available.
///
/// # Errors
///
/// Returns an error if the device is gone or down.
pub fn read_captured(socket: &OwnedFd, buffer: &mut [u8]) -> io::Result<Option<CapturedPacket>> {
    let mut offload = Offload::default();
    // SAFETY: sockaddr_ll and msghdr consist of numbers and pointers, for which zeros are valid values.
    let (mut from, mut message): (libc::sockaddr_ll, libc::msghdr) = unsafe { mem::zeroed() };
    let mut parts = [
        libc::iovec { iov_base: (&raw mut offload).cast(), iov_len: mem::size_of::<Offload>() },
        libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() },
    ];
    message.msg_name = (&raw mut from).cast();
    message.msg_namelen = mem::size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    message.msg_iov = parts.as_mut_ptr();
    message.msg_iovlen = parts.len() as _;
    // SAFETY: the kernel writes to `from`, to `offload`, for which every value is valid, and to `buffer`,
    // within their lengths.
    let read = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, libc::MSG_TRUNC) };
    if read < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::WouldBlock { Ok(None) } else { Err(error) };
    }
    let length = (read as usize).saturating_sub(mem::size_of::<Offload>());
    let is_for_this_host = from.sll_pkttype == libc::PACKET_HOST;
    Ok(Some(CapturedPacket {
        length,
        link_header_bytes: link_header(from.sll_hatype),
        is_for_this_host,
        offload,
    }))
}

/// Returns the length of the link header for a type of device, in bytes. VLAN tags do not count, because the
/// kernel removes them.
fn link_header(kind: u16) -> usize {
    match kind {
        // Ethernet, and devices with Ethernet headers: Wi-Fi, bridges, veth (IEEE 802.3 §3.1.1).
        libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK => 14,
        // Tunnels, PPP and modems have no link header.
        _ => 0,
    }
}

/// Returns the number of packets that the socket of [`open_capture`] has lost since the previous call. Packets are
/// lost if they are not read in time.
///
/// # Errors
///
/// Returns an error if the kernel does not report the number.
pub fn take_capture_drops(socket: &OwnedFd) -> io::Result<u64> {
    let mut statistics = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
    let mut length = mem::size_of::<libc::tpacket_stats>() as libc::socklen_t;
    let into = (&raw mut statistics).cast();
    // SAFETY: the kernel writes at most `length` bytes to `statistics`, which lives until the call returns.
    check_errno(unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_PACKET, libc::PACKET_STATISTICS, into, &mut length)
    })?;
    Ok(statistics.tp_drops.into())
}

/// Sets an integer option of a socket.
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn set_option(socket: &OwnedFd, level: c_int, name: c_int, value: c_int) -> io::Result<()> {
    let length = mem::size_of::<c_int>() as libc::socklen_t;
    // SAFETY: the kernel reads one number, which lives until the call returns.
    check_errno(unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, name, (&raw const value).cast(), length)
    })?;
    Ok(())
}

/// Reads an option of a socket into `value`, and returns the number of bytes.
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn get_option(socket: &OwnedFd, level: c_int, name: c_int, value: &mut [u8]) -> io::Result<usize> {
    let mut length = value.len() as libc::socklen_t;
    let into = value.as_mut_ptr().cast();
    // SAFETY: the kernel writes at most `length` bytes to `value`, which lives until the call returns.
    check_errno(unsafe { libc::getsockopt(socket.as_raw_fd(), level, name, into, &mut length) })?;
    Ok(length as usize)
}
