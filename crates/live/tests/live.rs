//! Real packets of real programs, on this machine.

#[path = "live/wire.rs"]
mod wire;

use airhop_base::Span;
use airhop_live::{Command, Emulation, End, EndKind, Live};
use std::sync::atomic::AtomicBool;
use wire::{ENDS, Wire};

fn emulation(commands: &[(usize, &str)], seconds: u64) -> Emulation {
    let end = |node, name: &str| End { node, name: name.into(), kind: EndKind::Namespace { mtu: 1500 } };
    let command = |(node, line): &(usize, &str)| Command {
        node: ENDS[*node],
        line: (*line).into(),
        capture_stderr: true,
    };
    Emulation {
        ends: vec![end(ENDS[0], "s"), end(ENDS[1], "d")],
        commands: commands.iter().map(command).collect(),
        duration: Span::from_secs(seconds),
        log: None,
        spin: None,
    }
}

fn run(commands: &[(usize, &str)]) -> (Live, Wire) {
    let mut wire = Wire::new(Span::from_millis(5));
    let live = emulation(commands, 5).run(&mut wire, &AtomicBool::new(false), &mut |_| {});
    (live.unwrap_or_else(|error| panic!("{error}")), wire)
}

#[test]
fn x() {
    let (live, wire) = run(&[
        (
            0,
            "ps ax; ip a; ip route; ip -6 route; cat /proc/net/dev; python3 -c 'import socket\ns=socket.create_server((\"::\",5001),family=socket.AF_INET6,dualstack_ipv6=True)\nfor i in range(2):\n c,a=s.accept(); print(a,len(b\"\".join(iter(lambda:c.recv(65536),b\"\"))))\n'",
        ),
        (
            1,
            "python3 -c 'import socket,time\nfor h in (\"10.0.0.1\",\"fd00:a1b0::1\"):\n t=time.time(); c=socket.create_connection((h,5001)); print(time.time()-t); c.sendall(bytes(1000000)); c.close()'; kill -9 $$",
        ),
    ]);
    for c in &live.commands {
        println!(
            "{} {} {}\n{}",
            c.line,
            c.exit,
            String::from_utf8_lossy(&c.stdout.bytes),
            String::from_utf8_lossy(&c.stderr.as_ref().unwrap().bytes)
        );
    }
    println!("{:?}", Live { commands: vec![], ..live });
    println!("{}", wire.entered.len());
}
