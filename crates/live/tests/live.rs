//! Tests with real packets of real programs. A test that this machine or user cannot run is skipped: it
//! prints the line of `airhop doctor` about the reason. With `AIRHOP_LIVE=required` it fails.

use crate::log::Folder;
use crate::wire::{ENDS, Wire};
use airhop_base::Span;
use airhop_live::log::LogReader;
use airhop_live::privileges::{Privileges, skip_test};
use airhop_live::{
    Command, CommandOutput, CommandResult, Emulation, EmulationResult, EndReason, Endpoint, EndpointKind,
    LogDestination, NodeReadiness, ReadyCondition, replay,
};
use std::io::{BufRead, BufReader};
use std::process::{self, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const DELAY: Span = Span::from_millis(5);
/// Environment variable that makes this program an emulator; a test starts it as its child and kills it.
const ROLE: &str = "AIRHOP_LIVE_EMULATOR";

/// True if this process can emulate real packets here.
fn possible() -> bool {
    Privileges::detect().check_emulation_here().map_err(|missing| skip_test(&missing)).is_ok()
}

fn emulation(commands: &[(usize, &str)], seconds: u64) -> Emulation {
    let end = |i: usize, name: &str| Endpoint {
        node: ENDS[i],
        node_name: name.into(),
        kind: EndpointKind::Namespace { mtu: 1500 },
    };
    let command = |(node, line): &(usize, &str)| Command {
        node: ENDS[*node],
        command_line: (*line).into(),
        capture_stderr: true,
    };
    Emulation {
        endpoints: vec![end(0, "s"), end(1, "d")],
        commands: commands.iter().map(command).collect(),
        duration: Span::from_secs(seconds),
        readiness: Vec::new(),
        congestion_controls: Vec::new(),
        log: None,
        busy_wait: None,
        oversleep: Span::ZERO,
        namespace_threads: None,
    }
}

fn run(emulation: &Emulation) -> (EmulationResult, Wire) {
    let mut wire = Wire::new(DELAY);
    let live = emulation.run(&mut wire, &AtomicBool::new(false), &mut |_, _| {});
    (live.unwrap_or_else(|error| panic!("{error}")), wire)
}

fn printed(ended: &CommandResult) -> String {
    let text = |output: &CommandOutput| String::from_utf8_lossy(&output.bytes()).trim().to_owned();
    let stderr = ended.stderr.as_ref().map(text).unwrap_or_default();
    assert!(stderr.is_empty(), "`{}` exit {}: {stderr}", ended.command_line, ended.exit_code);
    text(&ended.stdout)
}

/// Shell command of a server that accepts two connections, one per address family, and prints the number of
/// bytes received on each.
const SERVER: &str = r#"python3 -c '
import socket
server = socket.create_server(("::", 5001), family=socket.AF_INET6, dualstack_ipv6=True)
for family in (4, 6):
    peer = server.accept()[0]
    print(sum(map(len, iter(lambda: peer.recv(65536), b""))))
'"#;

/// Shell command of a client that connects over IPv4 and over IPv6, prints the duration of each connect in
/// ms, and sends data.
const CLIENT: &str = r#"python3 -c '
import socket, time
for family, host in ((socket.AF_INET, "10.0.0.1"), (socket.AF_INET6, "fd00:a1b0::1")):
    peer = socket.socket(family)
    start = time.monotonic()
    peer.connect((host, 5001))
    print(1000 * (time.monotonic() - start))
    peer.sendall(bytes(300000))
    peer.close()
'"#;

/// Returns the condition for the start of the client: the server's port is open. On a busy machine Python
/// needs seconds to start.
fn listening() -> Vec<NodeReadiness> {
    vec![NodeReadiness { node: ENDS[0], condition: ReadyCondition::Port(5001) }]
}

/// A handshake takes at least a round trip of the simulated network (RFC 9293 §3.5). All sent data arrive,
/// over both address families. Every datagram that the kernel delivers has a correct checksum (RFC 1071), and
/// none is longer than the MTU.
#[test]
fn real_tcp_crosses_the_network_over_ipv4_and_ipv6() {
    if !possible() {
        return;
    }
    let (live, wire) =
        run(&Emulation { readiness: listening(), ..emulation(&[(0, SERVER), (1, CLIENT)], 20) });
    assert_eq!(live.end_reason, EndReason::Commands);
    assert_eq!(printed(&live.command_results[0]), "300000\n300000");
    let connects = printed(&live.command_results[1]);
    assert!(connects.lines().all(|ms| ms.parse::<f64>().unwrap() >= 10.0), "{connects}");
    assert!(live.command_results.iter().all(|command| command.exit_code == 0 && !command.killed));
    for version in [4, 6] {
        let mut datagrams =
            wire.entered.iter().map(|(.., bytes)| bytes).filter(|bytes| bytes[0] >> 4 == version);
        assert!(datagrams.clone().count() > 200);
        assert!(datagrams.all(|bytes| bytes.len() <= 1500 && tcp_checksum_holds(bytes)));
    }
    assert_eq!((live.lost_to_emulator, live.ignored_datagrams), (0, 0));
    let answers = live.turnaround[0].1;
    assert!(answers.count > 50 && answers.p50_us > 0.0 && answers.p50_us <= answers.p90_us, "{answers:?}");
}

/// The sum of all 16-bit words, with the checksum and the pseudo-header, is all ones (RFC 1071; RFC 9293
/// §3.1, RFC 8200 §8.1).
fn tcp_checksum_holds(bytes: &[u8]) -> bool {
    let (header, addresses) = if bytes[0] >> 4 == 4 { (20, 12..20) } else { (40, 8..40) };
    let words = |bytes: &[u8]| -> u32 {
        bytes.chunks(2).map(|word| u32::from(word[0]) << 8 | u32::from(*word.get(1).unwrap_or(&0))).sum()
    };
    let tcp = &bytes[header..];
    let mut sum = words(&bytes[addresses]) + 6 + tcp.len() as u32 + words(tcp);
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum == 0xFFFF
}

/// The client starts as soon as the server is ready, however long that takes: an earlier attempt to connect
/// would fail.
#[test]
fn a_client_waits_until_its_server_is_ready() {
    if !possible() {
        return;
    }
    let slow = format!("sleep 0.6; {SERVER}");
    let folder = Folder::new("ready");
    let mark = folder.file("mark");
    let marks = format!("sleep 0.6; touch {}; sleep 0.5", mark.display());
    let asks = format!("test -e {}", mark.display());
    for (server, sign, client) in [
        (&slow, ReadyCondition::Port(5001), CLIENT),
        (&marks, ReadyCondition::Command(asks.clone()), asks.as_str()),
    ] {
        let ready = vec![NodeReadiness { node: ENDS[0], condition: sign }];
        let (live, _) = run(&Emulation { readiness: ready, ..emulation(&[(0, server), (1, client)], 20) });
        assert_eq!(live.end_reason, EndReason::Commands);
        assert!(
            live.command_results.iter().all(|command| command.exit_code == 0),
            "{:?}",
            live.command_results
        );
        let nodes: Vec<_> =
            live.congestion_control_by_node.iter().map(|(node, word)| (*node, word.is_empty())).collect();
        assert_eq!(nodes, ENDS.map(|node| (node, false)));
    }
}

/// If a server ends before it is ready, or is not ready in time, the error names the server, and the client
/// does not start.
#[test]
fn an_error_names_a_server_that_does_not_become_ready() {
    if !possible() {
        return;
    }
    let refused = |server: &str, sign, seconds| {
        let ready = vec![NodeReadiness { node: ENDS[0], condition: sign }];
        let wrong = Emulation { readiness: ready, ..emulation(&[(0, server), (1, "echo started")], seconds) };
        wrong.run(&mut Wire::new(DELAY), &AtomicBool::new(false), &mut |_, _| {}).unwrap_err().to_string()
    };
    assert_eq!(
        refused("exit 3", ReadyCondition::Port(80), 20),
        "node s is not ready, port 80: nothing listens there, and the commands of the node have ended"
    );
    let late = refused("sleep 60", ReadyCondition::Command("exit 7".into()), 1);
    assert!(late.starts_with("node s is not ready, `exit 7`: it "), "{late}");
    assert!(late.ends_with(" when the emulation ended"), "{late}");
}

/// If a program deletes the device of its node, the error names the node.
#[test]
fn an_error_names_the_node_of_a_deleted_device() {
    if !possible() || process::Command::new("ip").arg("-V").stdout(Stdio::null()).status().is_err() {
        return;
    }
    let vanishing = emulation(&[(1, "ip link delete airhop0; sleep 5")], 5);
    let error = vanishing
        .run(&mut Wire::new(DELAY), &AtomicBool::new(false), &mut |_, _| {})
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("node d: its device was removed or is down: "), "{error}");
}

/// A command sees only the processes of its own process namespace, and only the devices of its own network
/// namespace.
#[test]
fn a_command_runs_in_its_own_namespaces() {
    if !possible() {
        return;
    }
    let see = "ls -d /proc/[0-9]* | wc -l; cat /proc/sys/kernel/random/boot_id > /dev/null && cat /proc/net/dev | grep -c :";
    let (live, _) = run(&emulation(&[(0, see), (1, "echo $$; kill -TERM $$")], 5));
    let [first, second] = &live.command_results[..] else { panic!("two commands") };
    // Processes: the first process of the namespace, the shell, ls and wc. Devices: the loopback and the TUN
    // device.
    let seen: Vec<u32> = printed(first).lines().map(|line| line.parse().unwrap()).collect();
    assert!((3..=5).contains(&seen[0]) && seen[1] == 2, "{seen:?}");
    // The program is process 2: process 1 of a namespace ignores signals for which it has no handler
    // (pid_namespaces(7)).
    assert_eq!((printed(second).as_str(), second.exit_code), ("2", 128 + 15));
}

/// When a command ends, the processes that it left in the background are ended too. Processes that still run
/// at the end of the run receive SIGTERM, and SIGKILL if they do not end.
#[test]
fn ending_a_command_ends_its_background_processes() {
    if !possible() {
        return;
    }
    let mark = format!("99{}", process::id());
    let leaves = format!("setsid sh -c 'trap \"\" TERM HUP; sleep {mark}1; :' & echo left");
    let obeys = format!("trap 'echo asked; exit 3' TERM; sleep {mark}2 & wait");
    let refuses = format!("trap '' TERM; sleep {mark}3; :");
    // 4 s: on a busy machine the shells need time to start and to set their traps.
    let emulation = emulation(&[(0, &leaves), (0, &obeys), (1, &refuses)], 4);
    let (live, _) = run(&emulation);
    assert_eq!(live.end_reason, EndReason::Duration);
    let told: Vec<_> =
        live.command_results.iter().map(|ended| (printed(ended), ended.exit_code, ended.killed)).collect();
    assert_eq!(told, [("left".into(), 0, false), ("asked".into(), 3, true), (String::new(), 137, true)]);
    assert_eq!(processes(&mark), Vec::<u32>::new());
}

/// Returns the processes that have `mark` in their arguments.
fn processes(mark: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let has_mark = |pid: &u32| {
        let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&arguments).contains(mark)
    };
    all.filter(has_mark).collect()
}

/// Not a test of its own: the emulator process that the next test starts and kills.
#[test]
fn a_child_process_runs_an_emulator() {
    let Ok(mark) = std::env::var(ROLE) else { return };
    if mark == "router" {
        return;
    }
    let sleeps =
        format!("(setsid sh -c 'trap \"\" TERM HUP; sleep {mark}1; :' &) ; echo up >&2; sleep {mark}2; :");
    let mut emulation = emulation(&[(0, &sleeps), (1, &sleeps)], 60);
    emulation.commands.iter_mut().for_each(|command| command.capture_stderr = false);
    run(&emulation);
}

/// When an emulator is killed, its processes end too. A namespace without a name disappears with its last
/// process.
#[test]
fn a_killed_emulator_leaves_no_process() {
    if !possible() {
        return;
    }
    let mark = format!("98{}", process::id());
    let mut emulator = process::Command::new(std::env::current_exe().unwrap());
    emulator.args(["--exact", "live::a_child_process_runs_an_emulator", "--nocapture"]).env(ROLE, &mark);
    let mut emulator = emulator.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(emulator.stderr.take().unwrap()).lines();
    for _ in 0..2 {
        assert_eq!(lines.next().unwrap().unwrap(), "up");
    }
    let sleeping = processes(&mark);
    assert!(sleeping.len() >= 4, "{sleeping:?}");
    emulator.kill().unwrap();
    emulator.wait().unwrap();
    // The kernel ends the processes, for which it needs some time.
    let patience = Instant::now() + Duration::from_secs(60);
    while !processes(&mark).is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(processes(&mark), Vec::<u32>::new());
}

/// A replay of the log repeats a live run of real programs.
#[test]
fn a_live_run_is_replayed_exactly() {
    if !possible() {
        return;
    }
    let folder = Folder::new("live");
    let path = folder.file("run.log");
    let log = Some(LogDestination { path: path.clone(), header: "{}".into(), headers_only: false });
    let (live, wire) =
        run(&Emulation { log, readiness: listening(), ..emulation(&[(0, SERVER), (1, CLIENT)], 20) });
    let mut again = Wire::new(DELAY);
    let replayed = replay(&mut again, &mut LogReader::open(&path).unwrap()).unwrap();
    assert_eq!((replayed.end_time, replayed.admitted_datagrams), (live.ended_at, live.admitted.packets));
    assert!(again.entered == wire.entered);
}

/// If a command cannot start, or a device cannot be created, the emulation ends with an error that names it,
/// and no process remains.
#[test]
fn a_failed_setup_names_its_command_or_device() {
    if !possible() {
        return;
    }
    let mut wrong = emulation(&[], 1);
    wrong.endpoints[1].kind = EndpointKind::Namespace { mtu: 10 };
    let error =
        wrong.run(&mut Wire::new(DELAY), &AtomicBool::new(false), &mut |_, _| {}).unwrap_err().to_string();
    assert!(error.starts_with("node d: setting an MTU of 10 bytes: "), "{error}");
    let nul = emulation(&[(0, "true\0false")], 1);
    let error =
        nul.run(&mut Wire::new(DELAY), &AtomicBool::new(false), &mut |_, _| {}).unwrap_err().to_string();
    assert!(error.starts_with("node s: starting `true"), "{error}");
}

/// Shell commands that create a router between two hosts. All three are network namespaces inside one process
/// namespace, and disappear when the shell ends. The kernel of the router forwards packets at first. The
/// client starts when the kernel has stopped forwarding and the server listens (port 5001 in state LISTEN).
/// The emulator receives the client's output, and ends with the client.
const ROUTER: &str = r#"
set -e
unshare -n sleep 60 & A=$!
unshare -n sleep 60 & B=$!
until [ "$(readlink /proc/$A/ns/net)" != "$(readlink /proc/self/ns/net)" ] && [ "$(readlink /proc/$B/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
ip link set lo up
for end in "ra $A 1" "rb $B 2"; do
    set -- $end
    ip link add $1 type veth peer name host netns $2
    ip addr add 192.168.$3.1/24 dev $1
    ip addr add fd0$3::1/64 dev $1 nodad
    ip link set $1 up
    nsenter -t $2 -n sh -e -c "
        ip link set lo up
        ip addr add 192.168.$3.2/24 dev host
        ip addr add fd0$3::2/64 dev host nodad
        ip link set host up
        ip route add default via 192.168.$3.1
        ip route add default via fd0$3::1"
done
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
nsenter -t $A -n sh -c "$SERVER" > received &
for glance in $(seq 1000); do grep -q ":1389 .* 0A " /proc/$A/net/tcp6 && break || sleep 0.02; done
{
    for glance in $(seq 250); do ip -6 rule | grep -q "iif rb blackhole" && break || sleep 0.02; done
    sleep 0.1
    nsenter -t $B -n sh -c "$CLIENT"
    for glance in $(seq 250); do [ "$(wc -l < received)" = 2 ] && break || sleep 0.02; done
    ip rule | grep -c blackhole
    ip -6 rule | grep -c blackhole
} | "$EMULATOR" --exact live::a_child_process_runs_a_router --nocapture
cat received
ip rule | grep -c blackhole || true
ip -6 rule | grep -c blackhole || true
"#;

/// Not a test of its own: the emulator process inside the router of the next test.
#[test]
fn a_child_process_runs_a_router() {
    if std::env::var(ROLE).as_deref() != Ok("router") {
        return;
    }
    let mut router = emulation(&[], 30);
    router.endpoints[0].kind = EndpointKind::Device("ra".into());
    router.endpoints[1].kind = EndpointKind::Device("rb".into());
    let stop = AtomicBool::new(false);
    let mut wire = Wire::new(DELAY);
    let (live, client) = std::thread::scope(|scope| {
        let client = scope.spawn(|| {
            let printed = std::io::read_to_string(std::io::stdin());
            stop.store(true, Ordering::Release);
            printed.unwrap()
        });
        let live = router.run(&mut wire, &stop, &mut |_, _| {});
        (live.unwrap(), client.join().unwrap())
    });
    let lines: Vec<f64> = client.lines().map(|line| line.parse().unwrap()).collect();
    assert!(
        lines.len() == 4 && lines[0] >= 10.0 && lines[1] >= 10.0,
        "connects in ms, then rules: {lines:?}"
    );
    assert_eq!(lines[2..], [2.0, 2.0]);
    assert_eq!(
        (live.end_reason, live.lost_to_emulator),
        (EndReason::Asked, 0),
        "{:?}",
        live.invalidity_reasons
    );
    for version in [4, 6] {
        let mut datagrams =
            wire.entered.iter().map(|(.., bytes)| bytes).filter(|bytes| bytes[0] >> 4 == version);
        assert!(datagrams.clone().count() > 200);
        assert!(datagrams.all(|bytes| bytes.len() <= 1500 && tcp_checksum_holds(bytes)));
    }
}

/// In a router, all packets between two interfaces pass through the simulated network, over both address
/// families, although the kernel could forward them itself. Some packets arrive unsegmented and without a
/// checksum, because the kernel left both to a network card (here: a veth); they enter the network as
/// complete segments. After the run, all settings of the router are as before.
#[test]
fn packets_between_two_router_interfaces_cross_the_network() {
    if !possible() {
        return;
    }
    if process::Command::new("ip").arg("-V").stdout(Stdio::null()).status().is_err() {
        return skip_test("no `ip` of iproute2");
    }
    let folder = Folder::new("router");
    let mut shell = process::Command::new("unshare");
    shell.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", ROUTER]);
    shell
        .env("SERVER", SERVER)
        .env("CLIENT", CLIENT.replace("10.0.0.1", "192.168.1.2").replace("fd00:a1b0::1", "fd01::2"));
    shell.env("EMULATOR", std::env::current_exe().unwrap()).env(ROLE, "router").current_dir(folder.file(""));
    let output = shell.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.ends_with("300000\n300000\n0\n0\n"), "{stdout}\n{stderr}");
}
