//! Programs at a node: start, output, and end.

use super::namespace::Namespace;
use super::sleep::Alarm;
use crate::emulation::{Command, CommandOutput, CommandResult};
use airhop_base::NodeId;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{self, Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Number of bytes kept at the beginning and at the end of a command's output.
const MAX_KEPT_BYTES: usize = 1 << 20;
/// Time for a command to exit after SIGTERM, at the end of the emulation.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Number of commands that have ended.
pub type EndedCount = Arc<AtomicUsize>;

/// Command that was started.
#[derive(Debug)]
pub struct RunningCommand {
    command: Command,
    child: Child,
    /// True if the command has ended. Set before `EndedCount` counts the command. The command's thread may still
    /// run.
    ended: Arc<AtomicBool>,
    waiter: Option<JoinHandle<()>>,
    stdout: Option<JoinHandle<CommandOutput>>,
    stderr: Option<JoinHandle<CommandOutput>>,
}

impl RunningCommand {
    /// Starts `command`. When the command ends, `ends` is increased by one, and the alarm rings.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    pub fn start(
        namespace: &Namespace,
        command: &Command,
        ends: &EndedCount,
        alarm: &Alarm,
    ) -> io::Result<Self> {
        let mut shell = process::Command::new("/bin/sh");
        shell.arg("-c").arg(&command.command_line).stdin(Stdio::null()).stdout(Stdio::piped());
        if command.capture_stderr {
            shell.stderr(Stdio::piped());
        }
        let (ends, alarm, ended) = (ends.clone(), alarm.clone(), Arc::<AtomicBool>::default());
        let has_ended = ended.clone();
        let when_ended = move || {
            has_ended.store(true, Ordering::Release);
            ends.fetch_add(1, Ordering::Release);
            alarm.ring();
        };
        let (mut child, waiter) = namespace.spawn(shell, when_ended)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (command, waiter) = (command.clone(), Some(waiter));
        let mut running = RunningCommand { command, child, ended, waiter, stdout: None, stderr: None };
        running.stdout = stdout.map(capture_output).transpose()?;
        running.stderr = stderr.map(capture_output).transpose()?;
        Ok(running)
    }

    /// Returns the node of the command.
    pub fn node(&self) -> NodeId {
        self.command.node
    }

    /// True if the command has ended.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Ends the commands that still run, and collects the results of all commands.
    pub fn stop_all(all: Vec<RunningCommand>) -> Vec<CommandResult> {
        let killed: Vec<bool> = all.iter().map(|running| !running.has_ended()).collect();
        all.iter().filter(|running| !running.has_ended()).for_each(RunningCommand::terminate);
        let patience = Instant::now() + TERMINATION_TIMEOUT;
        while all.iter().any(|running| !running.has_ended()) && Instant::now() < patience {
            thread::sleep(POLL_INTERVAL);
        }
        all.into_iter().zip(killed).map(|(running, killed)| running.collect_result(killed)).collect()
    }

    fn pid(&self) -> Pid {
        // The cast is safe: a pid is positive and far below 2³¹ (PID_MAX_LIMIT is 2²²).
        Pid::from_raw(self.child.id() as i32)
    }

    /// Sends SIGTERM to the program and the other processes of its session. The first process of the
    /// namespace ignores the signal.
    fn terminate(&self) {
        // The process may already have ended. Its number cannot belong to another process, because the kernel
        // does not reuse the number before the process is reaped.
        let _ = killpg(self.pid(), Signal::SIGTERM);
    }

    /// Kills all processes in the process namespace of the command.
    fn kill(&mut self) {
        if !self.has_ended() {
            let _ = kill(self.pid(), Signal::SIGKILL);
        }
        let _ = self.waiter.take().map(JoinHandle::join);
    }

    fn collect_result(mut self, killed: bool) -> CommandResult {
        self.kill();
        let exit = self.child.wait().ok();
        let exit = exit.and_then(|status| status.code().or(status.signal().map(|signal| 128 + signal)));
        CommandResult {
            node: self.command.node,
            command_line: self.command.command_line.clone(),
            // The first process of the namespace exits with the code of the program. The code is missing only
            // if the machine itself fails.
            exit_code: exit.unwrap_or(255),
            killed,
            stdout: join_output(self.stdout.take()).unwrap_or_default(),
            stderr: join_output(self.stderr.take()),
        }
    }
}

impl Drop for RunningCommand {
    /// Ends a command whose result was not collected.
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}

fn join_output(reader: Option<JoinHandle<CommandOutput>>) -> Option<CommandOutput> {
    reader.map(|reader| reader.join().unwrap_or_default())
}

fn capture_output(from: impl Read + Send + 'static) -> io::Result<JoinHandle<CommandOutput>> {
    thread::Builder::new().name("output".into()).spawn(move || read_all(from, MAX_KEPT_BYTES))
}

/// Reads up to the end of the file, and keeps the first and the last `kept` bytes.
fn read_all(mut from: impl Read, kept: usize) -> CommandOutput {
    let mut output = CommandOutput::default();
    let mut buffer = vec![0; 1 << 16];
    let trim = |output: &mut CommandOutput, at_most: usize| {
        if output.last_bytes.len() > at_most {
            let surplus = output.last_bytes.len() - kept;
            output.last_bytes.drain(..surplus);
            output.omitted_bytes += surplus as u64;
        }
    };
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => &buffer[..length],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let (first, last) = read.split_at(read.len().min(kept - output.first_bytes.len()));
        output.first_bytes.extend_from_slice(first);
        output.last_bytes.extend_from_slice(last);
        // Trimming moves all stored bytes, and is therefore done rarely.
        trim(&mut output, 2 * kept);
    }
    trim(&mut output, kept);
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of a command that prints for hours does not fill the memory. Only the beginning and the end
    /// of the output are stored.
    #[test]
    fn beginning_and_end_of_a_long_output_are_stored() {
        let printed: Vec<u8> = (0..=255).cycle().take(1_000_003).collect();
        let output = read_all(&printed[..], 1000);
        assert_eq!((&output.first_bytes[..], output.omitted_bytes), (&printed[..1000], 998_003));
        assert_eq!(output.last_bytes, &printed[printed.len() - 1000..]);
        for length in [0, 1, 1000, 1001, 2000] {
            let output = read_all(&printed[..length], 1000);
            assert_eq!((output.bytes(), output.omitted_bytes), (printed[..length].to_vec(), 0));
        }
    }
}
