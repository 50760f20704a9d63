use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::cubic::{CubicConstants, Cubic, CubicVersion};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::SenderPolicies;
use crate::slow_start::SlowStartMethod;
use crate::{Config, Preset};

pub(super) static SCHEME: Scheme = Scheme {
    name: "cubic",
    title: "CUBIC",
    family: "loss-based",
    preset: Some(crate::Preset::Linux),
    about: "After a loss the window falls to 0.7 and returns to the size at the loss along a cubic of time: fast at first, slowly near \
            that size, then faster again, and never slower than Reno. Slow start ends when delays grow. CUBIC is the default of Linux, \
            Windows and Apple's systems.",
    applicability: "On paths with a large bandwidth-delay product, where Reno needs minutes to regain its window. A random loss reduces the window \
    to 0.7 of its size, where Reno halves it; windows of some dozens of segments grow as those of Reno.",
    citation: "RFC 9438, CUBIC for Fast and Long-Distance Networks, 2023; RFC 9406, HyStart++: Modified Slow Start for TCP, 2023; S. Ha and \
           I. Rhee, Taming the Elephants: New TCP Slow Start, Computer Networks 55(9), 2011",
    network_requirements: &[],
    params: &[
        Param::with_range("beta", 0.7, (0.1, 0.95), "window after a loss, as a share of the window before it (RFC 9438 §4.6)"),
        Param::with_range("C", 0.4, (0.001, 100.0), "steepness of the cubic, segments per second cubed (RFC 9438 §5.1)"),
        Param::with_choices(
            "form",
            &["auto", "rfc", "linux"],
            "rfc = RFC 9438; linux = Linux 6, which grows by a twentieth of the window per round trip until the first \
             loss sets W_max; auto = linux with preset linux, else rfc",
        ),
        Param::with_choices(
            "slow_start",
            &["auto", "hystart++", "hystart", "standard"],
            "end of slow start before a loss: hystart++ = RFC 9406; hystart = Ha and Rhee 2011, as in Linux; standard = none; auto = \
             hystart in the form of Linux, else hystart++, as RFC 9438 §4.10 recommends",
        ),
        Param::with_choices(
            "fast_convergence",
            &["on", "off"],
            "a loss below the last W_max reduces W_max further, for flows that come later (RFC 9438 §4.7)",
        ),
    ],
    verified_rules: &[
        "the cubic, its time to the plateau, the Reno-friendly growth, fast convergence, the window after a loss, a \
         mark and a timeout, and undoing: RFC 9438, by hand; conservative slow start: RFC 9406, by hand",
        "with preset linux within 4 % of a Linux 6.18 kernel from 0.01 to 5 % loss (+0.6, -1.2, -0.6, -3.4 %); \
         without loss, within 1 % of its goodput and of the smallest and the largest window of its cycle; slow start \
         ends at 156 segments (kernel: 154), with 56 retransmissions in a minute (kernel: 54)",
        "the form of Linux: Linux' source, by hand, in whole segments and ticks of 4 ms (CONFIG_HZ=250). Fractions of \
         segments would give 3 to 7 % less goodput at small windows, where the kernel rounds its target window up",
        "HyStart's rounds and ACK trains: Linux' source (from 6.14 on), and a 6.18 kernel over a link of 10 Mbit/s \
         and 60 ms without jitter. With pacing an ACK train ends slow start at 154 segments (156 without a small \
         first segment); without pacing (tcp.pacing = false) at 78 or 118 segments, depending on the start of the \
         connection. Without pacing, jitter of some tenths of a millisecond lengthens gaps between ACKs beyond the \
         kernel's limit of 2 ms and breaks trains; slow start then ends at any point up to the first loss",
        "goodput within 5 % of ns-3.44 at 0.01 and 1 % loss (+3.6 and -2.7 %, mean of 20)",
    ],
    reconstructed_rules: &[
        "round-trip times are exact; Linux also checks for the end of slow start while a recovery reduces the window to ssthresh",
    ],
    features: ReceiverFeatures::SACK,
    build: &|p, c| SenderPolicies { control: Box::new(build_control(p, c)), recovery: recovery::sack(c), notices: Box::new(IgnoreNotices) },
};

pub(super) fn build_control(p: &Params, c: &Config) -> Cubic {
    let form = match p.choice("form") {
        0 if c.stack == Preset::Linux => CubicVersion::Linux,
        2 => CubicVersion::Linux,
        _ => CubicVersion::Rfc,
    };
    let slow_start = match (p.choice("slow_start"), form) {
        (0, CubicVersion::Linux) | (2, _) => SlowStartMethod::hystart(c.pacing),
        (3, _) => SlowStartMethod::Standard,
        _ => SlowStartMethod::hystart_plus_plus(c.pacing),
    };
    let constants = CubicConstants {
        beta: p.get("beta"),
        c: p.get("C"),
        fast_convergence: p.choice("fast_convergence") == 0,
    };
    Cubic::new(form, constants, slow_start)
}
