//! Options of the running kernel that BPF programs may read (`extern … __kconfig`).

use nix::sys::utsname::uname;
use nix::time::{ClockId, clock_getres};

/// Returns the value of a kernel option; `None` for an unknown option. The kernel's configuration file is not
/// needed.
pub(super) fn option_value(name: &str) -> Option<u64> {
    match name {
        "CONFIG_HZ" => ticks_per_second(),
        "LINUX_KERNEL_VERSION" => parse_version(&uname().ok()?.release().to_string_lossy()),
        _ => None,
    }
}

/// Returns the number of timer ticks per second. The coarse clocks advance once per tick (clock_getres(2)).
fn ticks_per_second() -> Option<u64> {
    let tick = clock_getres(ClockId::CLOCK_MONOTONIC_COARSE).ok()?;
    let nanos = u64::try_from(tick.tv_nsec()).ok().filter(|&nanos| nanos > 0)?;
    Some((1_000_000_000 + nanos / 2) / nanos)
}

/// Returns `KERNEL_VERSION(major, minor, patch)` for a release such as `6.18.44-rt`: eight bits each, with
/// the patch number limited to 255.
fn parse_version(release: &str) -> Option<u64> {
    let mut numbers =
        release.split(|c: char| !c.is_ascii_digit()).map(|word| word.parse::<u64>().unwrap_or(0));
    let (major, minor) = (numbers.next()?, numbers.next()?);
    Some((major << 16) + (minor << 8) + numbers.next().unwrap_or(0).min(255))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_version_is_read_as_a_number() {
        assert_eq!(parse_version("6.18.44-fc"), Some((6 << 16) + (18 << 8) + 44));
        assert_eq!(parse_version("6.1-rc3"), Some((6 << 16) + (1 << 8)));
        assert_eq!(parse_version("5.10.300"), Some((5 << 16) + (10 << 8) + 255));
        assert_eq!(parse_version("6"), None);
    }

    #[test]
    fn config_hz_is_a_tick_rate_of_linux() {
        let ticks = option_value("CONFIG_HZ").expect("a clock");
        assert!((24..=1200).contains(&ticks), "{ticks}");
        assert_eq!(option_value("CONFIG_SMP"), None);
    }
}
