//! The kernel's own CUBIC (`cubictcp_*`), callable by other congestion controls.

use super::helpers::HelperContext;
use super::kfuncs::Kfunc;
use crate::memory::AddressSpace;
use airhop_tcp::kernel_ops::CubicTcp;

/// `CA_EVENT_TX_START`.
const CA_EVENT_TX_START: u64 = 0;
const CA_EVENT_LOSS: u64 = 4;

impl HelperContext<'_> {
    /// Calls a CUBIC function for the socket of this callback. CUBIC starts in the state after
    /// `cubictcp_init()`.
    pub(crate) fn call_cubic(&mut self, kfunc: Kfunc, [second, third]: [u64; 2]) -> Result<u64, String> {
        let rtt = match (kfunc, self.memory.sample) {
            (Kfunc::CubicAcked, Some(sample)) if second == AddressSpace::Sample.address(0) => {
                sample.layout().find_field("rtt_us").map_or(-1, |field| sample.get(field) as i32)
            }
            (Kfunc::CubicAcked, _) => return Err(format!("{second:#x} is not the sample of this call")),
            _ => -1,
        };
        let Some(socket) = &mut self.memory.socket else { return Err("there is no socket".into()) };
        let (at, window) = (socket.snapshot, socket.window_fields);
        let cubic = socket.cubic.get_or_insert_with(|| Box::new(CubicTcp::new(&at)));
        match kfunc {
            Kfunc::CubicInit => **cubic = CubicTcp::new(&at),
            Kfunc::CubicAcked => cubic.acked(&at, rtt),
            Kfunc::CubicSsthresh => return Ok(cubic.ssthresh(&at, window.cwnd(&socket.image)).into()),
            Kfunc::CubicState if second == CA_EVENT_LOSS => cubic.on_timeout(&at),
            Kfunc::CubicCwndEvent if second == CA_EVENT_TX_START => cubic.on_tx_start(&at),
            Kfunc::CubicCongAvoid if window.is_cwnd_limited(&socket.image) => {
                let [cwnd, ssthresh] =
                    cubic.cong_avoid(&at, window.cwnd_and_ssthresh(&socket.image), third as u32);
                window.set_cwnd_and_ssthresh(&mut socket.image, cwnd, ssthresh);
            }
            _ => {}
        }
        Ok(0)
    }
}
