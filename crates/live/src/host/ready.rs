//! Readiness of nodes. Further commands start when the nodes are ready.

use super::command::{EndedCount, RunningCommand};
use super::{LoopSignals, Namespaces, listening};
use crate::emulation::{Command, Emulation, EmulationError, NodeReadiness, ReadyCondition};
use airhop_base::NodeId;
use std::io;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// Maximum time for a node to become ready.
const READY_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Readiness conditions that do not hold yet.
pub struct ReadinessWait<'a> {
    emulation: &'a Emulation,
    signs: Vec<&'a NodeReadiness>,
}

impl<'a> ReadinessWait<'a> {
    pub fn new(emulation: &'a Emulation) -> Self {
        ReadinessWait { emulation, signs: emulation.readiness.iter().collect() }
    }

    /// True if one of the remaining conditions concerns the node.
    pub fn has_condition_for(&self, node: NodeId) -> bool {
        self.signs.iter().any(|ready| ready.node == node)
    }

    /// Waits until all nodes with started commands are ready. `next` is the node of the next command.
    ///
    /// # Errors
    ///
    /// Returns the node that is not ready, and the reason why the emulator stopped waiting.
    pub fn wait_until_ready(
        &mut self,
        next: NodeId,
        started: &[RunningCommand],
        stage: &Namespaces,
        signals: &LoopSignals,
    ) -> Result<(), EmulationError> {
        let is_due =
            |ready: &NodeReadiness| ready.node != next && started.iter().any(|one| one.node() == ready.node);
        let (due, later): (Vec<&NodeReadiness>, _) = self.signs.drain(..).partition(|ready| is_due(ready));
        self.signs = later;
        for ready in due {
            wait_for_node(ready, started, stage, signals).map_err(|why| EmulationError::NotReady {
                name: self.emulation.node_name(ready.node).to_owned(),
                sign: ready.condition.clone(),
                why,
            })?;
        }
        Ok(())
    }
}

fn wait_for_node(
    ready: &NodeReadiness,
    started: &[RunningCommand],
    stage: &Namespaces,
    signals: &LoopSignals,
) -> Result<(), String> {
    let patience = Instant::now() + READY_TIMEOUT;
    loop {
        // The end of the commands is checked first, so that a server which becomes ready just as its last
        // command ends counts as ready.
        let has_ended = started.iter().filter(|one| one.node() == ready.node).all(RunningCommand::has_ended);
        let is_late = Instant::now() >= patience;
        let told = match describe_unready(ready, stage, signals, patience) {
            Ok(None) => return Ok(()),
            Ok(Some(told)) => told,
            Err(error) => return Err(error.to_string()),
        };
        if has_ended {
            return Err(format!("{told}, and the commands of the node have ended"));
        }
        if signals.over.load(Ordering::Acquire) {
            return Err(format!("{told} when the emulation ended"));
        }
        if is_late {
            return Err(format!("{told} within {} s", READY_TIMEOUT.as_secs()));
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Returns a description of the node's state; `None` if the node is ready.
fn describe_unready(
    ready: &NodeReadiness,
    stage: &Namespaces,
    signals: &LoopSignals,
    patience: Instant,
) -> io::Result<Option<String>> {
    let namespace = stage.namespace(ready.node)?;
    match &ready.condition {
        ReadyCondition::Port(port) => {
            let port = *port;
            let listens = namespace.run_job(move || listening::has_listening_socket(port))?;
            Ok((!listens).then(|| "nothing listens there".into()))
        }
        ReadyCondition::Command(line) => {
            let command = Command { node: ready.node, command_line: line.clone(), capture_stderr: true };
            let running = RunningCommand::start(namespace, &command, &EndedCount::default(), &signals.alarm)?;
            while !running.has_ended() && Instant::now() < patience && !signals.over.load(Ordering::Acquire) {
                thread::sleep(POLL_INTERVAL);
            }
            let ended = RunningCommand::stop_all(vec![running]);
            Ok(ended.iter().find(|one| one.killed || one.exit_code != 0).map(|one| match one.killed {
                true => "it had not ended".into(),
                false => format!("it ended with {}", one.exit_code),
            }))
        }
    }
}
