//! `KernelStack`: this machine's kernel TCP as a stack under test. The stack runs in real time, in its own network
//! namespace.
//!
//! The addresses are those of packetdrill: 192.168.0.1 at the device `tun0`, and a peer at 192.0.2.1. Shell
//! commands of a script run in the namespace as the calling user. Run only scripts that you trust.

mod calls;
mod wire;

use crate::script::{Call, Script, ScriptPosition, Segment};
use crate::settings::Settings;
use crate::stack::{ComparedFields, SentSegment, Stack, StackError};
use crate::{Diagnostic, Verdict, run_script};
use airhop_base::NodeId;
use airhop_live::host::namespace::Namespace;
use airhop_live::host::sys::{self, SchedulingPolicy};
use airhop_live::host::tcp_info;
use airhop_live::host::tun::Tun;
use airhop_live::port::Port;
use calls::{CallResult, PreparedCall};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, setsockopt, socket, sockopt};
use nix::sys::time::{TimeSpec, TimeVal, TimeValLike};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use wire::ConnectionAddresses;

const LOCAL: [u8; 4] = [192, 168, 0, 1];
const PEER: [u8; 4] = [192, 0, 2, 1];
/// Port of the listener, as in packetdrill.
const LISTENER_PORT: u16 = 8080;
/// Port of the first connecting peer. Each further connection uses the next port.
const FIRST_PEER_PORT: u16 = 40_000;
/// Shell commands that rename the device `airhop0` to `tun0` and configure its addresses.
const SETUP_COMMANDS: &str = "ip link set airhop0 down && ip link set airhop0 name tun0 \
    && ip addr flush dev tun0 && ip addr add 192.168.0.1/16 dev tun0 && ip link set tun0 up \
    && ip route add 192.0.2.0/24 via 192.168.0.2 dev tun0";
/// Timeout of system calls (SO_RCVTIMEO, SO_SNDTIMEO). A non-blocking call must return within this time. A
/// blocking call must return within this time after the return time in the script.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Duration of a timer tick in nanoseconds. The value is that of CONFIG_HZ=250, the lowest rate in common
/// distributions.
const TIMER_TICK_NS: i64 = 4_000_000;
/// Ethernet's MTU.
const MTU: u16 = 1500;
/// Size of the buffer for `struct tcp_info` in bytes, with room for future kernels.
const INFO_BYTES: usize = 512;

/// Maximum number of attempts for a failing script. A stalled machine may also make a script fail.
const MAX_ATTEMPTS: usize = 3;

/// Checks the kernel against a script. Shell commands run in `folder`. If the script cannot run on this
/// machine, the verdict is "not applicable".
pub(crate) fn check_script(script: &Script, folder: &Path) -> Verdict {
    let mut verdict = check_script_once(script, folder);
    for _ in 1..MAX_ATTEMPTS {
        if !matches!(verdict, Verdict::Fail { .. }) {
            break;
        }
        verdict = check_script_once(script, folder);
    }
    verdict
}

/// Runs a script once in its own thread, with real-time priority if permitted.
fn check_script_once(script: &Script, folder: &Path) -> Verdict {
    let unable =
        |text: String| Verdict::NotApplicable(Diagnostic { position: ScriptPosition::default(), text });
    let work = || {
        // Real-time priority makes the times of segments precise. Without it, the script's tolerance must
        // suffice.
        let _ = sys::set_scheduling_policy(SchedulingPolicy::RealTime);
        KernelStack::open(folder).map(|mut kernel| run_script(script, &mut kernel))
    };
    let done = thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).unwrap_or_else(unable)
}

/// The TCP of this machine's kernel.
#[derive(Debug)]
pub struct KernelStack {
    namespace: Namespace,
    tun: Tun,
    folder: PathBuf,
    settings: Settings,
    start: Instant,
    ends: ConnectionAddresses,
    sent: VecDeque<SentSegment>,
    sockets: BTreeMap<i64, Arc<OwnedFd>>,
    /// Connected socket, from which `tcp_info` is read.
    connected: Option<Arc<OwnedFd>>,
    /// Channel to the thread that makes blocking calls one after the other.
    caller: Sender<(PreparedCall, SyncSender<CallResult>)>,
    blocked: Vec<(Call, Receiver<CallResult>)>,
    compared: usize,
    info: Vec<u8>,
}

impl KernelStack {
    /// Creates the network namespace. Shell commands of the script run in `folder`.
    ///
    /// # Errors
    ///
    /// Returns a sentence that names the failed step.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let (namespace, tun) =
            Namespace::open(NodeId(0), MTU).map_err(|(step, error)| format!("{step}: {error}"))?;
        // Real-time priority makes the times of segments precise. Without it, the script's tolerance must
        // suffice.
        let _ = namespace.run_job(|| sys::set_scheduling_policy(SchedulingPolicy::RealTime));
        let caller = start_call_thread().map_err(|error| format!("starting a thread: {error}"))?;
        let mut kernel = KernelStack {
            namespace,
            tun,
            folder: folder.to_owned(),
            settings: Settings::default(),
            start: Instant::now(),
            ends: ConnectionAddresses {
                local: (LOCAL, LISTENER_PORT),
                peer: (PEER, FIRST_PEER_PORT),
                initial_seq: 0,
            },
            sent: VecDeque::new(),
            sockets: BTreeMap::new(),
            connected: None,
            caller,
            blocked: Vec::new(),
            compared: 0,
            info: Vec::new(),
        };
        kernel.shell(SETUP_COMMANDS).map_err(|error| format!("setting up tun0: {error}"))?;
        kernel.start = Instant::now();
        Ok(kernel)
    }

    /// Runs a command in the namespace.
    fn shell(&self, text: &str) -> Result<(), String> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(text).current_dir(&self.folder);
        // Scripts that restore settings use this variable in names of files.
        command.env("PACKETDRILL_PID", std::process::id().to_string());
        let output = self.namespace.run_job(move || command.output()).and_then(|output| output);
        let output = output.map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("{}: {}", output.status, said.trim()))
    }

    fn elapsed(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX)
    }

    /// Waits for segments of the stack until `until`. If `stop`, returns at the first segment.
    fn wait_for_segments(&mut self, until: i64, stop: bool) -> Result<(), StackError> {
        loop {
            self.read()?;
            let left = until.saturating_sub(self.elapsed());
            if left <= 0 || (stop && !self.sent.is_empty()) {
                return Ok(());
            }
            let mut polled = [PollFd::new(self.tun.as_fd(), PollFlags::POLLIN)];
            let timeout = TimeSpec::from(Duration::from_nanos(left.unsigned_abs()));
            // A signal ends the wait early, and the loop restarts it.
            let _ = ppoll(&mut polled, Some(timeout), None);
        }
    }

    fn read(&mut self) -> Result<(), StackError> {
        let mut buffer = [0; 2048];
        loop {
            let read = self.tun.read(&mut buffer).map_err(|error| failed("reading from tun0", &error))?;
            let Some(length) = read else { return Ok(()) };
            let at = self.elapsed();
            if let Some(segment) = self.ends.decode(&buffer[..length]) {
                self.sent.push_back(SentSegment { time_ns: at, segment });
            }
        }
    }

    fn open_socket(&mut self, call: &Call) -> Result<(), StackError> {
        let is_stream = call.argument_words(1).any(|word| word == "SOCK_STREAM");
        let is_tcp =
            call.argument_number(2).is_some() || call.argument_words(2).any(|word| word == "IPPROTO_TCP");
        let Some(descriptor) = call.result.filter(|result| *result >= 0 && is_stream && is_tcp) else {
            return Err(StackError::unmodelled("a socket that is not of TCP"));
        };
        let open = || socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None);
        let opened = self.namespace.run_job(open).map_err(|error| failed("opening a socket", &error))?;
        let opened = opened.map_err(|error| failed("opening a socket", &error.into()))?;
        set_timeouts(&opened)?;
        self.set_congestion_control(&opened)?;
        self.sockets.insert(descriptor, Arc::new(opened));
        Ok(())
    }

    /// Sets the script's congestion control on the socket, or CUBIC if the script names none. The machine's
    /// own default has no effect. In a namespace, only root may select a congestion control that is not
    /// permitted for all users.
    fn set_congestion_control(&self, socket: &OwnedFd) -> Result<(), StackError> {
        let control = self.settings.word("tcp_congestion_control").unwrap_or("cubic");
        setsockopt(socket, sockopt::TcpCongestion, &control.into())
            .map_err(|error| failed(&format!("choosing {control}"), &error.into()))
    }

    /// Makes a system call. A call that blocks in the script runs in a separate thread.
    fn make_call(&mut self, call: &Call) -> Result<bool, StackError> {
        if !calls::supports_call(&call.name) {
            return Err(StackError::unmodelled(format!("the runner has no {}() of the kernel", call.name)));
        }
        let unknown = || StackError::unmodelled(format!("{}() of a socket that is not open", call.name));
        let descriptor = call.argument_number(0).ok_or_else(unknown)?;
        let on = Arc::clone(self.sockets.get(&descriptor).ok_or_else(unknown)?);
        if call.name == "connect" {
            (self.ends.peer.1, self.connected) = (LISTENER_PORT, Some(Arc::clone(&on)));
        }
        let local = address(LOCAL, LISTENER_PORT);
        let Some(job) = calls::prepare(call, on, local, address(PEER, LISTENER_PORT))? else {
            return Ok(false);
        };
        if call.blocking_ns.is_none() {
            self.compare_result(call, job())?;
            return Ok(is_compared(call));
        }
        let (told, result) = sync_channel(1);
        let gone = |_| StackError::unmodelled("the thread for calls that block is gone");
        self.caller.send((job, told)).map_err(gone)?;
        self.blocked.push((call.clone(), result));
        Ok(false)
    }

    /// Compares the result of a call.
    fn compare_result(&mut self, call: &Call, returned: CallResult) -> Result<(), StackError> {
        let expected = call.result;
        match returned {
            Ok((_, Some(accepted))) => {
                set_timeouts(&accepted)?;
                let accepted = Arc::new(accepted);
                self.connected = Some(Arc::clone(&accepted));
                match expected {
                    Some(descriptor) if descriptor >= 0 => {
                        self.sockets.insert(descriptor, accepted);
                        Ok(())
                    }
                    _ => Err(differs(call, "a connection")),
                }
            }
            Ok((number, None)) if expected.is_none_or(|expected| expected == number) => Ok(()),
            Ok((number, None)) => Err(differs(call, &number.to_string())),
            Err(errno) => {
                let name = format!("{errno:?}");
                let agrees = expected == Some(-1) && call.error.as_ref().is_none_or(|error| *error == name);
                if agrees { Ok(()) } else { Err(differs(call, &format!("-1 {name}"))) }
            }
        }
    }

    /// Collects the results of blocked calls that have returned.
    fn collect(&mut self, patience: Duration) -> Result<(), StackError> {
        for (call, result) in std::mem::take(&mut self.blocked) {
            match result.recv_timeout(patience) {
                Ok(returned) => {
                    self.compare_result(&call, returned)?;
                    self.compared += usize::from(is_compared(&call));
                }
                Err(_) if patience.is_zero() => self.blocked.push((call, result)),
                Err(_) => return Err(differs(&call, "no result")),
            }
        }
        Ok(())
    }
}

impl Stack for KernelStack {
    fn compared_fields(&self) -> ComparedFields {
        ComparedFields { window: true, syn_options: true }
    }

    fn timer_tolerance_ns(&self) -> i64 {
        TIMER_TICK_NS
    }

    fn now(&self) -> i64 {
        self.elapsed()
    }

    fn wait_until(&mut self, at: i64) -> Result<(), StackError> {
        self.wait_for_segments(at, false)?;
        self.collect(Duration::ZERO)
    }

    fn deliver(&mut self, segment: &Segment) -> Result<(), StackError> {
        if segment.flags.syn && !segment.flags.ack && segment.seq == 0 && self.ends.initial_seq != 0 {
            return Err(StackError::unmodelled("the runner has one connection at a time"));
        }
        let datagram = self.ends.encode(segment).map_err(StackError::NotApplicable)?;
        self.tun.write(&datagram).map_err(|error| failed("writing to tun0", &error))?;
        self.read()
    }

    fn next_sent(&mut self, by: i64) -> Result<Option<SentSegment>, StackError> {
        if self.sent.is_empty() {
            self.wait_for_segments(by, true)?;
        }
        Ok(self.sent.pop_front())
    }

    fn call(&mut self, call: &Call) -> Result<bool, StackError> {
        self.collect(Duration::ZERO)?;
        let compared = match call.name.as_str() {
            "socket" => self.open_socket(call).map(|()| false),
            "close" => {
                let closed = call.argument_number(0).and_then(|descriptor| self.sockets.remove(&descriptor));
                if let (Some(closed), Some(connected)) = (&closed, &self.connected)
                    && Arc::ptr_eq(closed, connected)
                {
                    self.connected = None;
                }
                Ok(false)
            }
            _ => self.make_call(call),
        };
        self.read()?;
        compared
    }

    fn run_command(&mut self, text: &str) -> Result<(), StackError> {
        if text.contains("/sys/module") || text.contains("modprobe") {
            return Err(StackError::unmodelled("a parameter of the whole machine"));
        }
        // Airhop's list of commands that it does not model does not apply to the kernel
        let _ = self.settings.apply_command(text, &self.folder);
        let done = self.shell(text).map_err(|error| format!("`{}`: {error}", text.trim()));
        if self.sockets.is_empty() {
            self.start = Instant::now(); // commands of the set-up do not count as time of the script
        }
        done.map_err(StackError::NotApplicable)
    }

    fn tcp_info_value(&self, name: &str) -> Option<f64> {
        tcp_info::member_value(&self.info, name.strip_prefix("tcpi_")?).map(|number| number as f64)
    }

    fn refresh_tcp_info(&mut self) -> Result<(), StackError> {
        self.info.resize(INFO_BYTES, 0);
        let length = match &self.connected {
            Some(socket) => sys::get_option(socket, libc::IPPROTO_TCP, libc::TCP_INFO, &mut self.info)
                .map_err(|error| failed("asking for TCP_INFO", &error))?,
            None => 0,
        };
        self.info.truncate(length);
        Ok(())
    }

    fn finish(&mut self) -> Result<usize, StackError> {
        self.collect(CALL_TIMEOUT)?;
        Ok(self.compared)
    }
}

/// Starts the thread for blocking calls. The thread ends when its queue is closed.
fn start_call_thread() -> io::Result<Sender<(PreparedCall, SyncSender<CallResult>)>> {
    let (calls, to_do) = channel::<(PreparedCall, SyncSender<CallResult>)>();
    let work = move || {
        // The thread has the priority of the thread that plays the script.
        let _ = sys::set_scheduling_policy(SchedulingPolicy::RealTime);
        for (job, told) in to_do {
            // The receiver no longer exists if the call took too long.
            let _ = told.send(job());
        }
    };
    thread::Builder::new().name("caller".into()).spawn(work)?;
    Ok(calls)
}

fn address(ip: [u8; 4], port: u16) -> SockaddrIn {
    SockaddrIn::new(ip[0], ip[1], ip[2], ip[3], port)
}

/// True if the result of the call is compared. Only byte counts of reads are compared.
fn is_compared(call: &Call) -> bool {
    call.is_read() && call.result > Some(0)
}

fn differs(call: &Call, seen: &str) -> StackError {
    let result = call.result.map_or("any".to_owned(), |result| result.to_string());
    let error = call.error.as_ref().map_or(String::new(), |error| format!(" {error}"));
    StackError::Differs { expected: format!("{}() = {result}{error}", call.name), seen: seen.to_owned() }
}

/// Sets timeouts on a socket, so that no call blocks forever.
fn set_timeouts(socket: &OwnedFd) -> Result<(), StackError> {
    let patience = TimeVal::seconds(CALL_TIMEOUT.as_secs() as i64);
    let set = setsockopt(socket, sockopt::ReceiveTimeout, &patience)
        .and_then(|()| setsockopt(socket, sockopt::SendTimeout, &patience));
    set.map_err(|error| failed("setting a timeout", &error.into()))
}

/// Converts an error of the machine, which does not concern TCP.
fn failed(step: &str, error: &io::Error) -> StackError {
    StackError::unmodelled(format!("{step}: {error}"))
}
