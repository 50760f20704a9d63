//! Build script that sets constants of the extension: AIRHOP_MODEL, a hash of all sources that can change the
//! result of a run; and the commit, the compiler and the target, which are only reported. Studies store
//! results by AIRHOP_MODEL, so results of different models are never mixed.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates whose code can change results. `trace` and `wire` are not among them, because they only observe.
const CRATES: [&str; 8] = ["base", "bpf", "engine", "net", "py", "radio", "scenario", "tcp"];

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    println!("cargo::rustc-env=AIRHOP_MODEL={}", model(&root)?);
    println!("cargo::rustc-env=AIRHOP_COMMIT={}", commit(&root).unwrap_or_default());
    println!("cargo::rustc-env=AIRHOP_RUSTC={}", rustc().unwrap_or_default());
    println!("cargo::rustc-env=AIRHOP_TARGET={}", env::var("TARGET").unwrap_or_default());
    Ok(())
}

/// Returns the hash of the sources that affect a run, as 16 hexadecimal digits.
fn model(root: &Path) -> io::Result<String> {
    // Versions and features of all crates that are linked.
    let mut files = vec![root.join("Cargo.lock"), root.join("Cargo.toml")];
    for name in CRATES {
        let home = root.join("crates").join(name);
        files.push(home.join("Cargo.toml"));
        sources(&home.join("src"), &mut files)?;
    }
    let mut named = Vec::with_capacity(files.len());
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let path = file.strip_prefix(root).expect("it was found there");
        // File names are hashed in the same form on every system.
        let name: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        named.push((name.join("/"), fs::read(&file)?));
    }
    named.sort();
    Ok(format!("{:016x}", hash(&named)))
}

/// Returns the source files below `folder`, without tests.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    // Cargo runs this script again if files are created or deleted.
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.to_string_lossy();
        if path.is_dir() {
            sources(&path, files)?;
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the FNV-1a hash, 64 bit, of names and contents. Each is preceded by its length, so that it is
/// clear where it ends.
fn hash(files: &[(String, Vec<u8>)]) -> u64 {
    let parts = files.iter().flat_map(|(name, content)| [name.as_bytes(), content]);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for &byte in (part.len() as u64).to_le_bytes().iter().chain(part) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Returns the commit of the build and its date, as in `0123456789ab 2026-01-31`, followed by `modified` if a
/// source of the simulator differs from the commit. `None` outside a checkout of this repository, as in a
/// released archive or within another repository.
fn commit(root: &Path) -> Option<String> {
    if !root.join(".git").exists() {
        return None; // git would find an unrelated repository around this folder
    }
    let git = |words: &[&str]| {
        answer(Command::new("git").arg("--no-optional-locks").arg("-C").arg(root).args(words))
    };
    // Git adds a line to this log whenever another commit is checked out. There is no such log if git is
    // configured without reflogs.
    let log = root.join(git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    let commit = git(&["show", "--no-patch", "--abbrev=12", "--format=%h %cs", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--", "crates", "Cargo.toml", "Cargo.lock"])?;
    Some(if changed.is_empty() { commit } else { commit + " modified" })
}

/// Returns the version line of the compiler without its first word, as in `1.88.0 (6b00bc388 2025-06-23)`.
fn rustc() -> Option<String> {
    let line = answer(Command::new(env::var_os("RUSTC")?).arg("--version"))?;
    Some(line.strip_prefix("rustc ").unwrap_or(&line).to_string())
}

/// Returns the output of a command; `None` if the command does not exist or fails.
fn answer(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}
