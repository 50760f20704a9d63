//! Privileges of this process on this machine, each with the reason if missing. `airhop doctor` prints the
//! privileges.
//!
//! Most privileges are determined by an attempt in a separate thread.

/// Availability of a privilege. `Ok` describes the source of the privilege. The error describes the missing
/// part and a remedy.
pub type Availability = Result<String, String>;

/// Privileges that an emulation may need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privileges {
    /// Network namespaces for the programs of nodes, needed by every emulation.
    pub namespaces: Availability,
    /// TUN devices between the namespaces and the emulator, needed by every emulation.
    pub tun: Availability,
    /// Real-time priority. Without real-time priority, packets are later by milliseconds at the 99th
    /// percentile.
    pub real_time: Availability,
    /// BPF struct_ops, needed to load a congestion control into the kernel.
    pub struct_ops: Availability,
    /// TCP_INFO: reports by the kernel on the connections of a namespace.
    pub tcp_info: Availability,
}

impl Privileges {
    /// Determines the privileges of this process.
    pub fn detect() -> Self {
        linux::detect()
    }

    /// Checks that this machine can emulate a network. The error is the reason.
    pub fn check_emulation(&self) -> Result<(), String> {
        [&self.namespaces, &self.tun].into_iter().try_for_each(|ability| ability.clone().map(drop))
    }

    /// Checks that this process itself can emulate a network, without a restart. The error is the reason.
    pub fn check_emulation_here(&self) -> Result<(), String> {
        self.check_emulation()?;
        if needs_user_namespace() {
            return Err("not root: see `unshare --user --map-root-user`".into());
        }
        Ok(())
    }
}

/// Prints that a live test is skipped, with the line of `airhop doctor` on the missing privilege.
///
/// # Panics
///
/// If the environment contains `AIRHOP_LIVE=required`.
pub fn skip_test(missing: &str) {
    assert!(std::env::var("AIRHOP_LIVE").as_deref() != Ok("required"), "{missing}");
    eprintln!("skipped: {missing}");
}

/// True if this process must restart as root of a user namespace before it can create network namespaces:
/// `unshare --user --map-root-user --net --fork --kill-child …` (util-linux). A process with several threads
/// cannot enter a user namespace.
pub fn needs_user_namespace() -> bool {
    linux::needs_user_namespace()
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Availability, Privileges};
    use crate::host::diag::{MISSING_TCP_DIAG, SockDiag};
    use crate::host::sys::{self, SchedulingPolicy};
    use nix::sched::{CloneFlags, unshare};
    use nix::sys::utsname::uname;
    use std::fs::{self, OpenOptions};
    use std::io;
    use std::process::{Command, Stdio};
    use std::thread;

    /// Number of the capability `CAP_NET_ADMIN` (capabilities(7)).
    const CAP_NET_ADMIN: u32 = 12;
    const CAP_SYS_ADMIN: u32 = 21;
    const CAP_BPF: u32 = 39;

    pub(super) fn detect() -> Privileges {
        Privileges {
            namespaces: namespaces(),
            tun: tun(),
            real_time: real_time(),
            struct_ops: struct_ops(),
            tcp_info: tcp_info(),
        }
    }

    pub(super) fn needs_user_namespace() -> bool {
        !(has_capability(CAP_SYS_ADMIN) && has_capability(CAP_NET_ADMIN))
    }

    /// True if this process has a capability.
    fn has_capability(capability: u32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let effective = effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
        effective.is_some_and(|set| set >> capability & 1 == 1)
    }

    /// True if this process is in a user namespace. Root of a user namespace may not use resources outside of
    /// namespaces.
    fn is_in_user_namespace() -> bool {
        let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        map.split_whitespace().collect::<Vec<_>>() != ["0", "0", "4294967295"]
    }

    fn namespaces() -> Availability {
        if needs_user_namespace() {
            return user_namespaces();
        }
        let all = CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID;
        match run_in_thread(move || unshare(all).map_err(io::Error::from)) {
            Ok(()) => Ok("network namespaces: as root".into()),
            Err(error) => {
                Err(format!("no network namespaces, though root: {error} (a container needs CAP_SYS_ADMIN)"))
            }
        }
    }

    fn user_namespaces() -> Availability {
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-root-user", "--net", "--fork", "--kill-child", "true"]);
        let missing = "no network namespaces: not root, and";
        match unshare.stdin(Stdio::null()).stderr(Stdio::piped()).output() {
            Ok(output) if output.status.success() => Ok("network namespaces: in a user namespace".into()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let said = said.trim().trim_start_matches("unshare: ");
                Err(format!(
                    "{missing} user namespaces are refused ({said}): sysctl user.max_user_namespaces, or AppArmor's"
                ))
            }
            Err(error) => Err(format!("{missing} `unshare` of util-linux cannot be started: {error}")),
        }
    }

    fn tcp_info() -> Availability {
        match SockDiag::open().and_then(|diag| diag.connections()) {
            Ok(_) => Ok("TCP_INFO of connections: sock_diag answers".into()),
            Err(error) => Err(format!("{MISSING_TCP_DIAG}: {error}")),
        }
    }

    fn tun() -> Availability {
        match OpenOptions::new().read(true).write(true).open("/dev/net/tun") {
            Ok(_) => Ok("TUN devices: /dev/net/tun opens".into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err("no TUN devices: /dev/net/tun is not there (modprobe tun; in a container --device /dev/net/tun)".into())
            }
            Err(error) => Err(format!("no TUN devices: /dev/net/tun: {error}")),
        }
    }

    fn real_time() -> Availability {
        match run_in_thread(|| sys::set_scheduling_policy(SchedulingPolicy::RealTime)) {
            Ok(()) => Ok("real-time priority: SCHED_FIFO is allowed".into()),
            Err(error) => Err(format!("no real-time priority: {error} (needs root, or ulimit -r 10)")),
        }
    }

    fn struct_ops() -> Availability {
        let missing = |what: &str| Err(format!("no BPF struct_ops: {what}"));
        let release = uname().map(|name| name.release().to_string_lossy().into_owned()).unwrap_or_default();
        if parse_version(&release) < (5, 6) {
            return missing(&format!("Linux {release} is older than 5.6"));
        }
        if fs::metadata("/sys/kernel/btf/vmlinux").is_err() {
            return missing("/sys/kernel/btf/vmlinux is not there (the kernel needs CONFIG_DEBUG_INFO_BTF)");
        }
        let config = fs::read_to_string(format!("/boot/config-{release}")).unwrap_or_default();
        for option in ["CONFIG_BPF_SYSCALL", "CONFIG_BPF_JIT"] {
            if !config.is_empty() && !config.lines().any(|line| line == format!("{option}=y")) {
                return missing(&format!("the kernel was built without {option}"));
            }
        }
        if is_in_user_namespace() {
            return missing(
                "the kernel refuses bpf() in a user namespace: it needs root outside of user namespaces",
            );
        }
        if !(has_capability(CAP_SYS_ADMIN) || has_capability(CAP_BPF) && has_capability(CAP_NET_ADMIN)) {
            return missing("needs root, or CAP_BPF and CAP_NET_ADMIN");
        }
        Ok(format!("BPF struct_ops: Linux {release} with BTF, and the right to load"))
    }

    /// Returns the first two numbers of a kernel release, such as 6 and 18.
    fn parse_version(release: &str) -> (u32, u32) {
        let mut numbers =
            release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    }

    /// Runs `what` in a new thread, and returns its result.
    fn run_in_thread(what: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
        let thread = thread::Builder::new().name("privileges".into()).spawn(what)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the attempt failed")))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn kernel_versions_are_compared_as_numbers() {
            assert!(parse_version("6.18.44-generic") > parse_version("5.15"));
            assert!(parse_version("5.15.0") > parse_version("5.6.1"));
            assert_eq!(parse_version(""), (0, 0));
        }

        /// Each line names the subject of its privilege, whatever privileges this machine has.
        #[test]
        fn every_privilege_is_reported_with_its_subject() {
            let Privileges { namespaces, tun, real_time, struct_ops, tcp_info } = Privileges::detect();
            let expected =
                ["network namespaces", "TUN devices", "real-time priority", "BPF struct_ops", "TCP_INFO"];
            for (ability, about) in
                [namespaces, tun, real_time, struct_ops, tcp_info].into_iter().zip(expected)
            {
                let (Ok(sentence) | Err(sentence)) = ability;
                assert!(sentence.contains(about), "{sentence}");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    use super::{Availability, Privileges};

    pub(super) fn look() -> Privileges {
        let no = |what: &str| -> Availability { Err(format!("no {what}: only Linux has them")) };
        Privileges {
            namespaces: no("network namespaces"),
            tun: no("TUN devices"),
            real_time: Err("no real-time priority: only on Linux".into()),
            struct_ops: Err("no BPF struct_ops: only on Linux".into()),
            tcp_info: Err("no TCP_INFO of connections: only on Linux".into()),
        }
    }

    pub(super) fn needs_user_namespace() -> bool {
        false
    }
}
