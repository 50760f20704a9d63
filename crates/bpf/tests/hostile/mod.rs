//! Properties that hold for any bytes parsed as an object: an error with a message, or programs whose calls
//! return or fail with a message.

use airhop_bpf::loading::LoadableObject;
use airhop_bpf::{Argument, Callback, CongestionControl, Object, Socket, StructImage, VirtualMachine};
use std::sync::Arc;

/// Parses an object, also for a kernel, and calls each of its programs once.
pub fn object(bytes: &[u8]) {
    if let Err(refusal) = LoadableObject::read(bytes, "hostile.bpf.o") {
        assert!(refusal.to_string().starts_with("hostile.bpf.o: "));
    }
    let object = match Object::read(bytes, "hostile.bpf.o") {
        Ok(object) => Arc::new(object),
        Err(refusal) => return assert!(refusal.to_string().starts_with("hostile.bpf.o: ")),
    };
    let Ok(layout) = object.socket_layout(&["snd_nxt", "icsk_ca_state", "rtt_min.s[0].v"]) else { return };
    let Ok(sample) = object.sample_layout("ack_sample", &["rtt_us", "pkts_acked"]) else { return };
    let mut machine = VirtualMachine::new(object.clone(), 1);
    let mut socket = Socket::new(&layout, 0, 1);
    for control in object.congestion_controls().iter().take(4) {
        calls(&mut machine, &mut socket, control, &StructImage::new(sample.clone()));
    }
    for filter in object.filters().iter().take(4) {
        if let Err(fault) = machine.run_filter(filter.program, &[0x45; 40], 0) {
            assert!(!fault.to_string().is_empty());
        }
    }
}

fn calls(
    machine: &mut VirtualMachine,
    socket: &mut Socket,
    control: &CongestionControl,
    sample: &StructImage,
) {
    for callback in Callback::ALL {
        let Some(program) = control.program(callback) else { continue };
        let arguments = match callback {
            Callback::PktsAcked | Callback::CongControl => [Argument::Sample(sample), Argument::Number(0)],
            _ => [Argument::Number(1), Argument::Number(2)],
        };
        if let Err(fault) = machine.call(program, socket, &arguments, 1_000_000) {
            assert!(!fault.location.function.is_empty() && !fault.to_string().is_empty());
        }
    }
}
