//! Configuration of the simulated kernel (`extern … __kconfig`).

use super::HZ;

/// Value of `LINUX_KERNEL_VERSION`: 6.12, encoded as (major << 16) + (minor << 8).
const LINUX_KERNEL_VERSION: u64 = (6 << 16) + (12 << 8);

/// Names of the supported options.
pub(crate) const KCONFIG_OPTIONS: [&str; 2] = ["CONFIG_HZ", "LINUX_KERNEL_VERSION"];

/// Returns the value of an option; `None` if the simulated kernel has no such option.
pub(crate) fn option_value(name: &str) -> Option<u64> {
    match name {
        "CONFIG_HZ" => Some(HZ),
        "LINUX_KERNEL_VERSION" => Some(LINUX_KERNEL_VERSION),
        _ => None,
    }
}
