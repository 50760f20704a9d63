//! Packaged objects in the interpreter and natively compiled: the same calls write the same bytes.
//!
//! The calls are those of a simulated connection, recorded with all members of its socket. Receiver events,
//! notices and callbacks that no simulated sender calls are added. After each call every byte of the
//! program's `struct tcp_sock`, its private state included, must be equal. `bpf/laws/calls.c` performs the
//! calls of the native program, with the kernel's functions in C; the interpreter has these functions in
//! Rust.

mod recorded;

use airhop_bpf::{
    Argument, Callback, Field, Layout, Object, Socket, StructImage, Verdict, VirtualMachine,
    simulated_members,
};
use recorded::{Call, Event, recorded};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const BPF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf");
const HEADERS: &str = "/usr/include/bpf/bpf_helpers.h";
const SEED: u64 = 1;
/// Fewest calls of an object; docs/objects-four-ways.md states this number.
const FEWEST_CALLS: usize = 10_000;
/// Size of a sample, and of a packet, in `struct call` of `calls.c`.
const PADDED: usize = 64;

/// Returns the packaged objects, each with its path.
fn packaged() -> Vec<(PathBuf, Arc<Object>)> {
    let folder = Path::new(BPF).join("../python/airhop/bpf");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "o"));
    files.sort();
    let read = |path: &PathBuf| Object::read(&fs::read(path).unwrap(), &path.to_string_lossy()).unwrap();
    files.into_iter().map(|path| (path.clone(), Arc::new(read(&path)))).collect()
}

/// Returns the names of the simulated members of a structure.
fn members(structure: &str) -> Vec<&'static str> {
    let all = simulated_members().into_iter().filter(|member| member.structure == structure);
    all.map(|member| member.name).collect()
}

/// Simulated members of a structure, in the order of a call's values. The list avoids searches by name, which
/// would take longer than the program.
type Fields = Vec<(&'static str, Field)>;

fn fields(structure: &str, layout: &Layout) -> Fields {
    let field = |member| layout.find_field(member).expect("the layout has all simulated members");
    members(structure).into_iter().map(|member| (member, field(member))).collect()
}

fn set(image: &mut StructImage, fields: &Fields, values: &[(&'static str, u64)]) {
    for (&(name, value), &(member, field)) in values.iter().zip(fields) {
        assert_eq!(name, member);
        image.set(field, value);
    }
    for (name, value) in values.iter().skip(fields.len()) {
        let again = fields.iter().find(|(member, _)| member == name).expect("a simulated member");
        image.set(again.1, *value);
    }
}

fn padded(bytes: &[u8]) -> [u8; PADDED] {
    let mut all = [0; PADDED];
    all[..bytes.len()].copy_from_slice(bytes);
    all
}

/// An object in the interpreter.
struct Interpreted {
    machine: VirtualMachine,
    socket: Socket,
    fields: Fields,
    /// `ack_sample` and `rate_sample`.
    samples: [(StructImage, Fields); 2],
}

impl Interpreted {
    fn new(object: &Arc<Object>) -> Interpreted {
        let socket = object.socket_layout(&members("tcp_sock")).unwrap();
        let sample = |structure: &'static str| {
            let layout = object.sample_layout(structure, &members(structure)).unwrap();
            let fields = fields(structure, &layout);
            (StructImage::new(layout), fields)
        };
        Interpreted {
            machine: VirtualMachine::new(object.clone(), SEED),
            socket: Socket::new(&socket, 0, SEED),
            fields: fields("tcp_sock", &socket),
            samples: ["ack_sample", "rate_sample"].map(sample),
        }
    }

    /// Returns the input of the native program for a call: the call, and the socket before it.
    fn input(&mut self, call: &Call) -> Vec<u8> {
        set(&mut self.socket.image, &self.fields, &call.socket);
        let (number, packet) = match &call.event {
            Event::Callback(callback) => (*callback as u64, &[][..]),
            Event::Packet(packet) => (Callback::ALL.len() as u64, &packet[..]),
        };
        let mut sample = &[][..];
        if let Some((which, values)) = &call.sample {
            let (image, fields) = &mut self.samples[*which];
            set(image, fields, values);
            sample = image.declared_bytes();
        }
        let words = [number, call.arguments[0], call.arguments[1]].map(u64::to_le_bytes).concat();
        [&words, &padded(sample)[..], &padded(packet), self.socket.image.declared_bytes()].concat()
    }

    /// Performs a call. Returns the output that the native program should have: result, requested ACK, and
    /// the socket after the call.
    fn output(&mut self, call: &Call) -> Vec<u8> {
        let now_ns = call.now_ns();
        let result = match &call.event {
            Event::Callback(callback) => {
                let program = self.machine.object().congestion_controls()[0].program(*callback);
                let numbers = call.arguments[..call.numbers].iter().map(|number| Argument::Number(*number));
                let sample = call.sample.as_ref().map(|(which, _)| Argument::Sample(&self.samples[*which].0));
                let arguments: Vec<_> = numbers.chain(sample).collect();
                let program = program.expect("only implemented callbacks are called");
                let result = self.machine.call(program, &mut self.socket, &arguments, now_ns).unwrap();
                let has_result =
                    [Callback::Ssthresh, Callback::MinTsoSegs, Callback::UndoCwnd, Callback::SndbufExpand];
                if has_result.contains(callback) { u64::from(result as u32) } else { 0 }
            }
            Event::Packet(packet) => {
                let program = self.machine.object().filters()[0].program;
                u64::from(self.machine.run_filter(program, packet, now_ns).unwrap() == Verdict::Drop)
            }
        };
        let request = self.socket.take_ack_request().map_or(0, |number| 1 << 32 | u64::from(number));
        [&[result, request].map(u64::to_le_bytes).concat(), self.socket.image.declared_bytes()].concat()
    }
}

/// Compiles the native program of an object, whose sockets have `bytes` bytes.
fn compiled(path: &Path, object: &Object, bytes: usize) -> PathBuf {
    let source = path.file_stem().expect("a file").to_string_lossy().into_owned();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("calls-{source}"));
    let listener = object.filters().first().map(|filter| format!("-DLISTENER={}", filter.name));
    let done = Command::new("cc")
        .args(["-DAIRHOP_NATIVE", "-O2", "-Wall", "-Wextra", "-Werror"])
        .args(["-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-parameter"])
        .args([&format!("-DSOURCE=\"../{source}.c\"")])
        .args([
            format!("-DCONTROL={}", object.congestion_controls()[0].variable),
            format!("-DSOCKET_BYTES={bytes}"),
            format!("-DSEED={SEED}"),
        ])
        .args(listener)
        .args([&Path::new(BPF).join("laws/calls.c"), Path::new("-o"), &program])
        .status();
    assert!(done.expect("cc").success(), "{}", path.display());
    program
}

// The law of each program's paper is tested in bpf/laws. Here both executions of a program must agree in
// every bit, on at least `FEWEST_CALLS` calls, and in every callback that the object implements.
#[test]
fn natively_compiled_objects_write_the_same_bytes_as_interpreted_objects() {
    if !Path::new(HEADERS).exists() {
        eprintln!("skipped: libbpf's headers are not installed (Debian: libbpf-dev)");
        return;
    }
    for (path, object) in packaged() {
        let control = &object.congestion_controls()[0];
        let calls = recorded(&object, control);
        assert!(calls.len() >= FEWEST_CALLS, "{}: {} calls", control.name, calls.len());
        for callback in Callback::ALL {
            let is_called =
                calls.iter().any(|call| matches!(call.event, Event::Callback(c) if c == callback));
            assert_eq!(control.program(callback).is_some(), is_called, "{}: {callback:?}", control.name);
        }

        let mut interpreted = Interpreted::new(&object);
        let bytes = interpreted.socket.image.declared_bytes().len();
        let pairs: Vec<_> =
            calls.iter().map(|call| (interpreted.input(call), interpreted.output(call))).collect();

        let program = compiled(&path, &object, bytes);
        let input = program.with_extension("input");
        fs::write(&input, pairs.iter().map(|(input, _)| &input[..]).collect::<Vec<_>>().concat()).unwrap();
        let done = Command::new(&program).stdin(File::open(&input).unwrap()).output().unwrap();
        assert!(done.status.success(), "{}: {}", control.name, done.status);
        let outputs: Vec<_> = done.stdout.chunks(16 + bytes).collect();
        assert_eq!(outputs.len(), calls.len(), "{}", control.name);
        for (number, ((call, (_, expected)), output)) in calls.iter().zip(&pairs).zip(outputs).enumerate() {
            if expected != output {
                let at = expected.iter().zip(output).position(|(a, b)| a != b).expect("a byte differs");
                let place =
                    at.checked_sub(16).map_or("its result".into(), |at| format!("byte {at} of the socket"));
                panic!("{}, call {number}, {:?}: {place} differs", control.name, call.event);
            }
        }
    }
}
