//! Settings for later connections, made by shell commands and socket options.

use crate::Variant;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Operating system for which a script was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OperatingSystem {
    /// Linux, the default.
    #[default]
    Linux,
    /// FreeBSD, whose `sysctl`s begin with `net.inet`.
    FreeBsd,
}

/// Settings by their Linux names (`tcp_sack`).
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Operating system for which the script was written.
    pub operating_system: OperatingSystem,
    /// Values of `net.ipv4` settings, by name without the prefix `net.ipv4`.
    values: BTreeMap<String, String>,
    /// True if the queueing discipline paces (`fq`).
    pub fair_queue: bool,
    /// Initial congestion window of the route in segments; `None` if no command sets it.
    pub initial_window: Option<u32>,
    /// Additional sender under test; `None` for the Linux sender.
    pub variant: Option<Variant>,
}

/// Maximum size of a file that a command names, bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Settings that do not affect a connection with data in one direction and a large buffer.
const IGNORED_SETTINGS: [&str; 33] = [
    "tcp_rmem",
    "tcp_wmem",
    "tcp_syn_retries",
    "tcp_synack_retries",
    "tcp_tso_win_divisor",
    "tcp_min_tso_segs",
    "tcp_pacing_ss_ratio",
    "tcp_pacing_ca_ratio",
    "tcp_notsent_lowat",
    "tcp_fastopen",
    "tcp_fastopen_key",
    "tcp_syncookies",
    "tcp_ecn_option",
    "tcp_fack",
    "tcp_no_metrics_save",
    "tcp_limit_output_bytes",
    "tcp_autocorking",
    "tcp_invalid_ratelimit",
    "tcp_moderate_rcvbuf",
    "tcp_adv_win_scale",
    "tcp_app_win",
    "tcp_max_orphans",
    "tcp_fin_timeout",
    "tcp_tw_reuse",
    "tcp_challenge_ack_limit",
    "tcp_comp_sack_nr",
    "tcp_comp_sack_delay_ns",
    "tcp_comp_sack_slack_ns",
    "tcp_thin_linear_timeouts",
    "tcp_ecn_fallback",
    "tcp_migrate_req",
    "tcp_max_reordering",
    "tcp_shrink_window",
];

/// Settings that the model of a connection uses.
const MODELLED_SETTINGS: [&str; 13] = [
    "tcp_syn_linear_timeouts",
    "tcp_timestamps",
    "tcp_sack",
    "tcp_dsack",
    "tcp_window_scaling",
    "tcp_frto",
    "tcp_recovery",
    "tcp_early_retrans",
    "tcp_reordering",
    "tcp_congestion_control",
    "tcp_ecn",
    "tcp_slow_start_after_idle",
    "tcp_rto_min_us",
];

impl Settings {
    /// Creates empty settings for the sender `variant`.
    pub(crate) fn with_variant(variant: Variant) -> Self {
        Settings { variant: Some(variant), ..Settings::default() }
    }

    /// Applies a shell command, and the scripts in `folder` that the command runs.
    ///
    /// # Errors
    ///
    /// Returns an error if the command contains an action that is not modelled.
    pub(crate) fn apply_command(&mut self, text: &str, folder: &Path) -> Result<(), String> {
        for word in text.split_whitespace().filter(|word| word.ends_with(".sh") && !word.starts_with('/')) {
            let file = folder.join(word);
            if fs::metadata(&file).is_ok_and(|about| about.len() <= MAX_FILE_BYTES)
                && let Ok(text) = fs::read_to_string(file)
            {
                // Defaults that all scripts of a suite load are Linux'. Settings among these defaults that
                // are not modelled affect other scripts only.
                let _ = self.apply_lines(&text);
            }
        }
        self.apply_lines(text)
    }

    fn apply_lines(&mut self, text: &str) -> Result<(), String> {
        if text.contains("net.inet.") || text.contains("kldload") {
            self.operating_system = OperatingSystem::FreeBsd;
        }
        let mut refused = Ok(());
        for line in text.lines() {
            let line = line.split(" #").next().unwrap_or("").trim();
            if line.starts_with('#') {
                continue;
            }
            let outcome = self.apply_line(line);
            refused = refused.and(outcome);
        }
        refused
    }

    fn apply_line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace().peekable();
        match words.peek().copied().unwrap_or("") {
            "tc" => return self.apply_tc(line),
            "ip" => return self.apply_ip_route(line),
            "iptables" | "nft" | "ip6tables" => return Err(format!("`{line}`")),
            _ => {}
        }
        let all: Vec<&str> = words.collect();
        for word in &all {
            if let Some((name, value)) = assignment(word) {
                self.set(&name, value)?;
            }
        }
        // Handles `echo 1 > /proc/sys/net/ipv4/tcp_…`.
        if let ["echo", value, ">", path, ..] = all.as_slice()
            && let Some(name) = short_name(path)
        {
            return self.set(&name, value);
        }
        if line.contains("/tcp_cubic/parameters/") && !enables_delay_detection(line) {
            return Err(format!("`{line}`"));
        }
        Ok(())
    }

    fn apply_tc(&mut self, line: &str) -> Result<(), String> {
        self.fair_queue = line.contains(" fq") || (self.fair_queue && !line.contains("fifo"));
        if line.contains("limit 0") || line.contains("netem") || line.contains("tbf") {
            return Err(format!("`{line}`"));
        }
        Ok(())
    }

    fn apply_ip_route(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        if words.clone().any(|word| word == "tcp_metrics" || word == "link" || word == "addr") {
            return Ok(());
        }
        while let Some(word) = words.next() {
            match word {
                "initcwnd" => self.initial_window = words.next().and_then(|count| count.parse().ok()),
                "mtu" | "rto_min" | "quickack" | "cc" | "congctl" | "ssthresh" | "features" => {
                    return Err(format!("a route with {word}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let value = value.trim_matches(['"', '\'']);
        if IGNORED_SETTINGS.contains(&name) || !name.starts_with("tcp_") {
            return Ok(());
        }
        if !MODELLED_SETTINGS.contains(&name) {
            return Err(format!("sysctl {name}={value}"));
        }
        if name == "tcp_ecn" && !matches!(value, "0" | "1" | "2") {
            return Err("AccECN".into());
        }
        self.values.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// Returns a setting as a word; `None` if no command sets it.
    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Returns a setting as a number; `None` if no command sets it to a number.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.word(name)?.parse().ok()
    }

    /// True if a setting is on; its default is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.number(name) != Some(0)
    }
}

/// Parses name and value: `net.ipv4.tcp_sack=1`, `/proc/sys/net/ipv4/tcp_sack=1`.
fn assignment(word: &str) -> Option<(String, &str)> {
    let (path, value) = word.split_once('=')?;
    Some((short_name(path)?, value))
}

/// Returns the name of a setting without the prefix `net.ipv4`; `None` if the prefix is missing.
fn short_name(path: &str) -> Option<String> {
    let dotted = path.trim_start_matches("/proc/sys/").replace('/', ".");
    dotted.strip_prefix("net.ipv4.").map(str::to_owned)
}

/// True if the command enables HyStart's delay detection. HyStart's ACK-train detection is not modelled.
fn enables_delay_detection(line: &str) -> bool {
    let value = line.split_whitespace().nth(1).and_then(|text| text.parse::<u32>().ok());
    line.ends_with("/hystart_detect") && value.is_some_and(|bits| bits & 2 != 0)
}
