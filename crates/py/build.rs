//! Names the model: a hash of everything that can change the result of a run. Studies keep results under it, so that a
//! result of another model is never taken for one of this.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The crates whose code a result depends on. `trace` and `wire` only watch.
const CRATES: [&str; 7] = ["base", "engine", "net", "py", "radio", "scenario", "tcp"];

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    // Versions and features of everything that is linked in.
    let mut files = vec![root.join("Cargo.lock"), root.join("Cargo.toml")];
    for name in CRATES {
        let home = root.join("crates").join(name);
        files.push(home.join("Cargo.toml"));
        sources(&home.join("src"), &mut files)?;
    }
    let mut named = Vec::with_capacity(files.len());
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let path = file.strip_prefix(&root).expect("it was found there");
        // One name on every system.
        let name: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        named.push((name.join("/"), fs::read(&file)?));
    }
    named.sort();
    println!("cargo::rustc-env=AIRHOP_MODEL={:016x}", hash(&named));
    Ok(())
}

/// The sources below `folder`, tests left out.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    // New and deleted files.
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

/// FNV-1a, 64 bit, of names and contents, each preceded by its length, so that nothing can move from one to the next.
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
