//! Files that a scenario names: found, read, and known by their content.
//!
//! A name is relative to the folder of the scenario. The effective scenario has the whole path and the digest of the content, so that
//! it reads back to the same wherever it is read, or not at all: results of two contents are never taken for each other.
//!
//! For a scenario of unknown origin no file is opened, since a message about a file would show what is in it: the contents come with
//! the scenario ([`Files::Given`]).

use crate::grammar::fields::{Fields, NamedFile, Val};
use crate::grammar::key::{Key, Kind};
use crate::grammar::problem::Problems;
use airhop_engine::name_hash;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Where the files that a scenario names are.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// On this machine, their names relative to this folder.
    Folder(&'a Path),
    /// Here, as digest and content of each. No file of this machine is opened, for somebody else wrote the scenario.
    Given(&'a [(String, String)]),
}

/// Reads every file that is named in `fields` or below, and notes or checks their digests.
pub(crate) fn load(fields: &mut Fields, files: Files<'_>, problems: &mut Problems) {
    for key in fields.keys {
        if let Kind::File { digest } = key.kind {
            load_one(fields, key, digest, files, problems);
        }
    }
    tables_mut(fields).for_each(|table| load(table, files, problems));
}

fn load_one(fields: &mut Fields, key: &Key, digest: &'static str, files: Files<'_>, problems: &mut Problems) {
    let Some(name) = fields.text(key.name) else { return };
    let found = match files {
        Files::Folder(folder) => read(folder, name),
        Files::Given(contents) => {
            let content = contents.iter().find(|(digest_of, _)| fields.text(digest) == Some(digest_of));
            let file =
                content.map(|(_, text)| NamedFile { path: name.to_string(), text: Arc::from(text.as_str()) });
            file.ok_or_else(|| NO_FILES.to_string())
        }
    };
    let file = match found {
        Ok(file) => file,
        Err(what) => {
            problems.add(fields.at(key.name), fields.path_of(key.name), what);
            fields.clear(key.name);
            fields.refuse(key.name);
            fields.sound = false;
            return;
        }
    };
    let found = content_digest(&file.text);
    if let Some(expected) = fields.text(digest).filter(|expected| *expected != found) {
        let what = format!(
            "expected {expected:?}, but the content of {} has {found:?}: it is not the file that this scenario was run with; without \
             `{digest}` any content is taken",
            file.path
        );
        problems.add(fields.at(digest), fields.path_of(digest), what);
        fields.sound = false;
    }
    fields.fill(digest, Val::Text(found));
    let at = fields.at(key.name).clone();
    fields.set(key.name, Val::File(file), at);
}

/// Why a scenario that came without the content of a file is refused.
const NO_FILES: &str = "names a file, and no file is read for a scenario that came through the page or in a log; give the scenario on \
                        the command line instead";

/// The longest file that is read, bytes: years of a recorded channel.
const LONGEST: u64 = 1 << 28;

fn read(folder: &Path, name: &str) -> Result<NamedFile, String> {
    let path = folder.join(name);
    // A path that cannot be made absolute (there is no working directory) is as good as it was.
    let path = std::path::absolute(&path).unwrap_or(path);
    let shown = path.display().to_string();
    let refusal = |why: String| format!("cannot read {shown}: {why}");
    match std::fs::metadata(&path) {
        Ok(found) if found.is_file() && found.len() <= LONGEST => {}
        Ok(found) if found.is_file() => {
            return Err(refusal(format!("it has {} bytes, and {LONGEST} are the most", found.len())));
        }
        Ok(_) => return Err(refusal("it is not a file".to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!("there is no file {shown}"));
        }
        Err(error) => return Err(refusal(error.to_string())),
    }
    let bytes = std::fs::read(&path).map_err(|error| refusal(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refusal("it is not text (UTF-8)".to_string()))?;
    // As in scenarios, a byte-order mark says nothing (Unicode 15.0 §23.8).
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    // A path that is no text would not read back from the effective scenario: there the name stays relative.
    let path = path.to_str().unwrap_or(name).to_string();
    Ok(NamedFile { path, text: Arc::from(text) })
}

/// FNV-1a, 64 bit, in hex: tells files apart that somebody edited, not ones that somebody forged.
fn content_digest(text: &str) -> String {
    format!("{:016x}", name_hash(text))
}

/// Digest and content of every file that is named, each once.
pub(crate) fn contents(fields: &Fields) -> Vec<(String, String)> {
    let mut contents = BTreeMap::new();
    collect(fields, &mut contents);
    contents.into_iter().collect()
}

fn collect(fields: &Fields, contents: &mut BTreeMap<String, String>) {
    for val in fields.values() {
        match val {
            Val::File(file) => drop(contents.insert(content_digest(&file.text), file.text.to_string())),
            Val::Table(table) => collect(table, contents),
            Val::Tables(tables) => tables.iter().for_each(|table| collect(table, contents)),
            _ => {}
        }
    }
}

/// The same without the paths of files, which say nothing that their digests do not.
pub(crate) fn without_paths(fields: &Fields) -> Fields {
    let mut bare = fields.clone();
    strip(&mut bare);
    bare
}

fn strip(fields: &mut Fields) {
    let files = fields.keys.iter().filter(|key| matches!(key.kind, Kind::File { .. }));
    files.for_each(|key| fields.clear(key.name));
    tables_mut(fields).for_each(strip);
}

fn tables_mut(fields: &mut Fields) -> impl Iterator<Item = &mut Fields> {
    fields.values_mut().flat_map(|val| match val {
        Val::Table(table) => std::slice::from_mut(table),
        Val::Tables(tables) => tables.as_mut_slice(),
        _ => &mut [],
    })
}
