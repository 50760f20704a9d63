//! Slot model of EDCA: saturated functions without losses, at stations that all receive each other. It
//! implements the rules of IEEE 802.11-2020 §10.23.2.4 without frames. Times are in microseconds.
use airhop_base::AccessCategory;
use airhop_engine::{RandomStream, RandomStreams};

const SIFS: f64 = 16.0;
const SLOT: f64 = 9.0;
/// Time from the end of a frame without a response to the end of the timeout: SIFS, a slot and 20 µs.
const TIMEOUT: f64 = SIFS + SLOT + 20.0;
/// Duration of a CF-End: 20 bytes at 24 Mbit/s.
const CF_END: f64 = 28.0;

/// EDCA function of a station, and the durations of its frames.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub station: u16,
    pub category: AccessCategory,
    /// Duration of a successful exchange, from its first bit to the end of the response.
    pub exchange: f64,
    /// Duration of a frame that collides.
    pub frame: f64,
    /// Payload that an exchange delivers, bits.
    pub bits: f64,
    /// Time that a successful exchange reserves, from its first bit on; 0 if only its own duration.
    pub reserved: f64,
    /// Number of attempts after which the contention window is reset; `None` with Block Ack.
    pub attempts: Option<u32>,
}

struct State {
    of: Function,
    aifsn: u32,
    cw: [u32; 2],
    window: u32,
    backoff: u32,
    /// Time for which the function waits after the last busy period before its AIFS begins: a timeout, or the
    /// rest of a reservation.
    late: f64,
    tries: u32,
    delivered: f64,
}

impl State {
    fn new(of: Function, stream: &mut RandomStream) -> State {
        let (aifsn, cw) = match of.category {
            AccessCategory::Bk => (7, [15, 1023]),
            AccessCategory::Be => (3, [15, 1023]),
            AccessCategory::Vi => (2, [7, 15]),
            AccessCategory::Vo => (2, [3, 7]),
        };
        let (window, backoff) = (cw[0], stream.uniform_below(cw[0] + 1));
        State { of, aifsn, cw, window, backoff, late: 0.0, tries: 0, delivered: 0.0 }
    }

    /// Returns the first slot boundary after SIFS at which the function counts down.
    fn begin(&self) -> f64 {
        self.late + f64::from(self.aifsn) * SLOT
    }

    /// Returns the slot boundary after SIFS at which the function transmits.
    fn access(&self) -> f64 {
        self.begin() + f64::from(self.backoff) * SLOT
    }

    fn succeed(&mut self, stream: &mut RandomStream) {
        self.delivered += self.of.bits;
        (self.window, self.tries) = (self.cw[0], 0);
        self.backoff = stream.uniform_below(self.window + 1);
    }

    fn fail(&mut self, stream: &mut RandomStream) {
        self.tries += 1;
        self.window = (2 * self.window + 1).min(self.cw[1]);
        if self.of.attempts.is_some_and(|most| self.tries >= most) {
            (self.window, self.tries) = (self.cw[0], 0);
        }
        self.backoff = stream.uniform_below(self.window + 1);
    }
}

/// Returns the goodput of each function over `seconds`, Mbit/s.
pub fn goodput(functions: &[Function], seconds: u64, seed: u64) -> Vec<f64> {
    let mut stream = RandomStreams::new(seed, 0).stream("slot model");
    let mut all: Vec<State> = functions.iter().map(|of| State::new(*of, &mut stream)).collect();
    let (mut time, end) = (0.0, seconds as f64 * 1e6);
    while time < end {
        let first = all.iter().map(State::access).fold(f64::MAX, f64::min);
        let (mut due, mut on_air): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for (i, state) in all.iter_mut().enumerate() {
            if state.access() == first {
                due.push(i);
            } else if first >= state.begin() {
                state.backoff -= ((first - state.begin()) / SLOT) as u32 + 1; // with the boundary at `first`
            }
            state.late = 0.0;
        }
        for &i in &due {
            let of = |i: usize| (all[i].of.station, all[i].of.category);
            let wins = due.iter().all(|&j| of(j).0 != of(i).0 || of(j).1 <= of(i).1);
            if wins { on_air.push(i) } else { all[i].fail(&mut stream) }
        }
        time += SIFS + first;
        if let [alone] = on_air[..] {
            let Function { station, exchange, reserved, .. } = all[alone].of;
            time += exchange;
            all[alone].succeed(&mut stream);
            let rest = reserved - exchange;
            if rest > SIFS + CF_END {
                time += SIFS + CF_END;
            } else if rest > 0.0 {
                all.iter_mut().filter(|state| state.of.station != station).for_each(|s| s.late = rest);
            }
            continue;
        }
        let longest = on_air.iter().map(|&i| all[i].of.frame).fold(0.0, f64::max);
        time += longest;
        for &i in &on_air {
            all[i].fail(&mut stream);
            if all[i].of.frame < longest {
                continue; // its timeout ends during the longest frame
            }
            let station = all[i].of.station;
            all.iter_mut().filter(|state| state.of.station == station).for_each(|s| s.late = TIMEOUT);
        }
    }
    all.iter().map(|state| state.delivered / time).collect()
}
