//! The page about presets names every file whose code depends on the preset.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the Rust files of a folder and its subfolders, without tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let is_code = |path: &PathBuf| path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs");
    folders.iter().flat_map(|folder| sources(folder)).chain(files.into_iter().filter(is_code)).collect()
}

// No key of a scenario sets `Config::stack`, so only the page documents it.
#[test]
fn docs_presets_lists_every_file_that_reads_the_preset() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("../../docs/presets.md")).expect("the page");
    let asks = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a source");
        let code = text.split("#[cfg(test)]").next().expect("the first part");
        code.contains("c.stack") || code.contains("config.stack")
    };
    let found: Vec<PathBuf> = sources(&root.join("src")).into_iter().filter(asks).collect();
    assert!(found.len() > 5);
    for path in found {
        let name = path.strip_prefix(root).expect("below it").to_str().expect("text").replace('\\', "/");
        assert!(
            page.contains(&format!("`crates/tcp/{name}`")),
            "{name} uses the preset; docs/presets.md does not state the purpose"
        );
    }
}
