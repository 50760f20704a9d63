/// Number of round trips in one direction after which the velocity doubles (§2.1 step 4). In steady state the
/// direction changes every two and a half round trips.
const ROUNDS_BEFORE_DOUBLING: u32 = 3;

/// Velocity v. The window changes by v/delta segments per round trip (§2.1).
#[derive(Clone, Copy, Debug)]
pub struct Velocity {
    v: f64,
    direction: Direction,
    /// Number of round trips in the present direction, not counting the first.
    lasted: u32,
    /// cwnd at the start of the present round trip, in segments.
    cwnd: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// No direction before the first round trip.
    Unknown,
    Up,
    Down,
}

impl Velocity {
    /// Creates the state for a window of `cwnd` that has not changed yet.
    pub fn new(cwnd: f64) -> Self {
        Velocity { v: 1.0, direction: Direction::Unknown, lasted: 0, cwnd }
    }

    /// Handles the end of a round trip with a window of `cwnd`.
    pub fn on_round(&mut self, cwnd: f64) {
        let direction = if cwnd > self.cwnd { Direction::Up } else { Direction::Down };
        self.cwnd = cwnd;
        if direction != self.direction {
            *self = Velocity { direction, ..Velocity::new(cwnd) };
            return;
        }
        self.lasted += 1;
        if self.lasted >= ROUNDS_BEFORE_DOUBLING {
            self.v *= 2.0;
        }
    }

    /// True while v is 1.
    pub fn is_at_minimum(&self) -> bool {
        self.v == 1.0
    }

    /// Returns the velocity v. First halves v until the window at most doubles in a round trip.
    pub fn limit_velocity(&mut self, cwnd: f64, delta: f64) -> f64 {
        while self.v > 1.0 && self.v > cwnd * delta {
            self.v /= 2.0;
        }
        self.v
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // §2.1 step 4: "if direction is the same as in the previous window, then double v. If not, then reset v to 1. However, start doubling
    // v only after the direction has remained the same for three RTTs."
    #[test]
    fn velocity_doubles_after_three_rtts_and_resets_on_reversal() {
        let mut velocity = Velocity::new(10.0);
        let windows = [12.0, 14.0, 16.0, 18.0, 22.0, 30.0, 29.0, 27.0, 28.0];
        let seen = windows.map(|cwnd| {
            velocity.on_round(cwnd);
            velocity.limit_velocity(1e9, 0.5)
        });
        assert_eq!(seen, [1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 1.0, 1.0, 1.0]);
    }

    // Figure 1: the window grows for two and a half round trips and shrinks for two and a half. In this
    // steady state v is 1, for any phase of the round trips.
    #[test]
    fn copa_velocity_is_one_in_steady_state() {
        for phase in 0..20 {
            let wave = |t: f64| 10.0 + 2.0 * (t.rem_euclid(5.0) - 2.5).abs();
            let at = |round: u32| wave(f64::from(round) + f64::from(phase) / 20.0 + 0.025);
            let mut velocity = Velocity::new(at(0));
            for round in 1..40 {
                velocity.on_round(at(round));
                assert_eq!(velocity.limit_velocity(1e9, 0.5), 1.0, "phase {phase}, round {round}");
            }
        }
    }

    // The authors' sender: the window grows by v/delta = 2, 4, 8, 16 segments per round trip, but at most
    // doubles.
    #[test]
    fn the_copa_window_at_most_doubles_in_a_round_trip() {
        let mut velocity = Velocity { v: 16.0, ..Velocity::new(10.0) };
        assert_eq!(velocity.limit_velocity(40.0, 0.5), 16.0);
        assert_eq!(velocity.limit_velocity(10.0, 0.5), 4.0);
        assert_eq!(velocity.limit_velocity(40.0, 0.5), 4.0);
        assert_eq!(velocity.limit_velocity(1.0, 0.5), 1.0);
    }
}
