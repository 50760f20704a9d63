//! Namespaces of a node: network, process and mount namespaces without names. The namespaces disappear with
//! their last process.

use super::sys;
use super::tun::{SetupFailure, Tun};
use airhop_base::NodeId;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use std::io;
use std::process::{Child, Command};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

type NamespaceJob = Box<dyn FnOnce() + Send>;

/// Thread in namespaces of its own. All processes of the node are children of this thread, and end with the
/// thread.
#[derive(Debug)]
pub struct Namespace {
    /// Channel for jobs of the thread; `None` at the end.
    jobs: Option<Sender<NamespaceJob>>,
    thread: Option<JoinHandle<()>>,
}

impl Namespace {
    /// Creates the namespaces of `node` and its TUN device.
    ///
    /// # Errors
    ///
    /// Returns the step that failed.
    pub fn open(node: NodeId, mtu: u16) -> Result<(Self, Tun), SetupFailure> {
        let (jobs, to_do) = mpsc::channel::<NamespaceJob>();
        let thread =
            thread::Builder::new().name("node".into()).spawn(move || to_do.iter().for_each(|job| job()));
        let thread = thread.map_err(|error| ("starting a thread".into(), error))?;
        let namespace = Namespace { jobs: Some(jobs), thread: Some(thread) };
        let opened = namespace.run_job(move || enter_new_namespaces().and_then(|()| Tun::open(node, mtu)));
        let device = opened.map_err(|error| ("waiting for a thread".into(), error))??;
        Ok((namespace, device))
    }

    /// Runs a job on the thread in the namespaces, and returns its result.
    ///
    /// # Errors
    ///
    /// Returns an error if the thread has ended.
    pub fn run_job<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        let (result, done) = mpsc::sync_channel(1);
        let job: NamespaceJob = Box::new(move || {
            // The caller waits for the result, or has ended together with the emulator.
            let _ = result.send(job());
        });
        let gone = || io::Error::other("the thread of the node has ended");
        self.jobs.as_ref().ok_or_else(gone)?.send(job).map_err(|_| gone())?;
        done.recv().map_err(|_| gone())
    }

    /// Starts a program as the second process of a new process namespace. Returns the first process, and a
    /// thread that calls `ended` when the first process ends. The first process is not yet reaped during this
    /// call, so its number is not reused.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn spawn(
        &self,
        mut command: Command,
        ended: impl FnOnce() + Send + 'static,
    ) -> io::Result<(Child, JoinHandle<()>)> {
        let (started, child) = mpsc::sync_channel(1);
        let attend = move || {
            let spawned = spawn(&mut command);
            let pid = spawned.as_ref().ok().map(Child::id);
            // The caller waits for the result.
            let _ = started.send(spawned);
            if let Some(pid) = pid {
                wait_for(pid);
                ended();
            }
        };
        // A thread that the node's thread starts is in the same namespaces.
        let thread = self.run_job(|| thread::Builder::new().name("command".into()).spawn(attend))??;
        let child = child.recv().map_err(|_| io::Error::other("the thread of the command has ended"))??;
        Ok((child, thread))
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        self.jobs = None;
        // If the thread has panicked, the caller whose response was missing has already reported it.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Starts a program in a new process namespace. Each thread starts only one program, because a thread in a
/// user namespace cannot return to the emulator's process namespace.
fn spawn(command: &mut Command) -> io::Result<Child> {
    sys::use_pid_namespace(command, sys::own_pidfd()?);
    unshare(CloneFlags::CLONE_NEWPID)?;
    command.spawn()
}

/// Waits for the end of a process without reaping it.
fn wait_for(pid: u32) {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    // The cast is safe: a pid is far below 2³¹ (PID_MAX_LIMIT is 2²²).
    while waitid(Id::Pid(Pid::from_raw(pid as i32)), flags) == Err(nix::Error::EINTR) {}
}

/// Moves this thread into new namespaces.
fn enter_new_namespaces() -> Result<(), SetupFailure> {
    let step = |what: &'static str| move |error: nix::Error| (what.to_owned(), error.into());
    unshare(CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWNS).map_err(step("making namespaces"))?;
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, private, None::<&str>).map_err(step("keeping mounts private"))
}
