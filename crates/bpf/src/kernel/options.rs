//! Socket options of `bpf_setsockopt` and `bpf_getsockopt` (bpf-helpers(7)). Each option acts as in Linux
//! 6.18 (net/core/filter.c, sol_socket_sockopt() and sol_tcp_sockopt()).

use super::helpers::{EINVAL, Helper, HelperContext};
use crate::fault::FaultCause;

const SOL_SOCKET: u32 = 1;
const SOL_TCP: u32 = 6;
/// Option for the length of a full segment in bytes.
const TCP_MAXSEG: u32 = 2;
/// Option for the maximum receive window in bytes.
const TCP_WINDOW_CLAMP: u32 = 10;
/// Option for the maximum pacing rate in bytes per second.
const SO_MAX_PACING_RATE: u32 = 47;
/// Option for the maximum congestion window in segments.
const TCP_BPF_SNDCWND_CLAMP: u32 = 1002;
/// `SK_PACING_NONE`: the host does not pace the socket.
const PACING_NONE: u64 = 0;
const PACING_NEEDED: u64 = 1;
/// Size of each settable option's value in bytes.
const VALUE_BYTES: usize = 4;

impl HelperContext<'_> {
    /// `bpf_setsockopt`: sets an option of the socket. Returns 0, or an error code for the program.
    pub(super) fn set_option(
        &mut self,
        helper: Helper,
        socket: u64,
        option: [u64; 4],
    ) -> Result<u64, FaultCause> {
        self.expect_socket(helper, socket)?;
        let [level, name, value, length] = option;
        let which = (level as u32, name as u32);
        if !matches!(
            which,
            (SOL_TCP, TCP_BPF_SNDCWND_CLAMP | TCP_WINDOW_CLAMP) | (SOL_SOCKET, SO_MAX_PACING_RATE)
        ) {
            let (level, name) = which;
            return Err(helper.call_error(format!(
                "option {name} of level {level} is not simulated, expected TCP_BPF_SNDCWND_CLAMP \
                 ({TCP_BPF_SNDCWND_CLAMP}) or TCP_WINDOW_CLAMP ({TCP_WINDOW_CLAMP}) of SOL_TCP ({SOL_TCP}), or \
                 SO_MAX_PACING_RATE ({SO_MAX_PACING_RATE}) of SOL_SOCKET ({SOL_SOCKET})"
            )));
        }
        let bytes = self.readable_bytes(value, u64::from(length as u32), helper)?;
        let Some(value) = bytes.first_chunk().filter(|_| bytes.len() == VALUE_BYTES) else {
            return Ok(EINVAL as u64);
        };
        let value = i32::from_le_bytes(*value);
        Ok(match which {
            (_, TCP_BPF_SNDCWND_CLAMP) if value > 0 => self.clamp_cwnd(value as u32),
            // The option has no effect, because the peer sends no data.
            (_, TCP_WINDOW_CLAMP) if value != 0 => 0,
            (_, SO_MAX_PACING_RATE) => self.set_max_pacing_rate(value as u32),
            _ => EINVAL as u64,
        })
    }

    /// Sets the maximum window and ssthresh to `most` segments.
    fn clamp_cwnd(&mut self, most: u32) -> u64 {
        if let Some(socket) = &mut self.memory.socket {
            let window = socket.window_fields;
            window.clamp_cwnd(&mut socket.image, most);
        }
        0
    }

    /// Sets the maximum pacing rate in bytes per second, and turns pacing on. The largest 32-bit number
    /// removes the maximum.
    fn set_max_pacing_rate(&mut self, most: u32) -> u64 {
        let most = if most == u32::MAX { u64::MAX } else { most.into() };
        let Some(socket) = &mut self.memory.socket else { return 0 };
        let image = &mut socket.image;
        let fields = ["sk_max_pacing_rate", "sk_pacing_rate", "sk_pacing_status"];
        let [Some(limit), Some(rate), Some(status)] = fields.map(|name| image.layout().find_field(name))
        else {
            return 0;
        };
        image.set(limit, most);
        image.set(rate, image.get(rate).min(most));
        if most < u64::MAX && image.get(status) == PACING_NONE {
            image.set(status, PACING_NEEDED);
        }
        socket.has_pacing_limit = true;
        0
    }

    /// `bpf_getsockopt`: returns the length of a full segment. A buffer of the wrong size is zero-filled.
    pub(super) fn get_option(
        &mut self,
        helper: Helper,
        socket: u64,
        option: [u64; 4],
    ) -> Result<u64, FaultCause> {
        self.expect_socket(helper, socket)?;
        let [level, name, value, length] = option;
        let (level, name, length) = (level as u32, name as u32, u64::from(length as u32));
        if (level, name) != (SOL_TCP, TCP_MAXSEG) {
            return Err(helper.call_error(format!(
                "option {name} of level {level} is not simulated, expected TCP_MAXSEG ({TCP_MAXSEG}) of SOL_TCP \
                 ({SOL_TCP})"
            )));
        }
        self.readable_bytes(value, length, helper)?;
        let image = self.memory.socket.as_ref().map(|socket| &socket.image);
        let full = image.and_then(|image| Some(image.get(image.layout().find_field("mss_cache")?)));
        let full = full.ok_or_else(|| helper.call_error("the size of a segment is unknown"))?;
        self.scratch.clear();
        self.scratch.extend_from_slice(&(full as u32).to_le_bytes());
        if length != VALUE_BYTES as u64 {
            self.scratch.fill(0);
            self.scratch.resize(length as usize, 0);
        }
        self.write_scratch(value)?;
        Ok(if length == VALUE_BYTES as u64 { 0 } else { EINVAL as u64 })
    }
}
