//! Files that a scenario names: location, content and digest.
//!
//! A file name is relative to the folder of the scenario. The effective scenario contains the absolute path
//! of the file and the digest of the content. Read from any folder, the effective scenario is either the same
//! scenario or rejected. Results of different contents are thus never mixed.
//!
//! If the origin of a scenario is not known, no file is opened, because a message about a file could reveal
//! the content. The contents are then passed with the scenario ([`FileLocation::Given`]).

use crate::grammar::fields::{DirectionValue, Fields, NamedFile, Val};
use crate::grammar::key::Key;
use crate::grammar::problem::{Problems, SourcePosition};
use airhop_engine::name_hash;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Location of the files that a scenario names.
#[derive(Clone, Copy, Debug)]
pub enum FileLocation<'a> {
    /// Files on this machine, with names relative to this folder.
    Folder(&'a Path),
    /// Contents passed with the scenario, as pairs of digest and content. No file on this machine is opened,
    /// because the origin of the scenario is not known.
    Given(&'a [(String, String)]),
}

/// Reads every file named in `fields` and in nested tables, and sets or checks the digests.
pub(crate) fn load_files(fields: &mut Fields, files: FileLocation<'_>, problems: &mut Problems) {
    for key in fields.keys {
        if let Some(digest) = key.kind.digest_key() {
            load_one(fields, key, digest, files, problems);
        }
    }
    tables_mut(fields).for_each(|table| load_files(table, files, problems));
}

fn load_one(
    fields: &mut Fields,
    key: &Key,
    digest: &'static str,
    files: FileLocation<'_>,
    problems: &mut Problems,
) {
    let before = problems.len();
    let at = fields.position_of(key.name).clone();
    let path = fields.path_of(key.name);
    let loaded = match fields.get(key.name) {
        Some(Val::Text(name)) => {
            let expected = fields.get(digest);
            load_file(name, expected, (&at, &path), (fields.position_of(digest), digest), files, problems)
        }
        Some(Val::EachWay(ways)) => load_each_way(fields, ways, (key, digest), files, problems),
        _ => return,
    };
    fields.is_valid &= problems.len() == before;
    let Some((file, found)) = loaded else {
        fields.remove_default(key.name);
        fields.mark_refused(key.name);
        return;
    };
    fields.set_default(digest, found);
    fields.set(key.name, file, at);
}

/// Reads the file of each direction, and sets or checks the digest of each file.
fn load_each_way(
    fields: &Fields,
    ways: &[DirectionValue],
    (key, digest): (&Key, &'static str),
    files: FileLocation<'_>,
    problems: &mut Problems,
) -> Option<(Val, Val)> {
    let (mut named, mut digests) = (Vec::new(), Vec::new());
    for DirectionValue { direction, value: val, at } in ways {
        let Val::Text(name) = val else { return None };
        let expected = match fields.get(digest) {
            Some(Val::EachWay(digests)) => {
                digests.iter().find(|way| way.direction == *direction).map(|way| &way.value)
            }
            both => both,
        };
        let path = format!("{}.{direction}", fields.path_of(key.name));
        let loaded =
            load_file(name, expected, (at, &path), (fields.position_of(digest), digest), files, problems);
        let (file, found) = loaded?;
        named.push(DirectionValue { direction: direction.clone(), value: file, at: at.clone() });
        digests.push(DirectionValue { direction: direction.clone(), value: found, at: at.clone() });
    }
    Some((Val::EachWay(named), Val::EachWay(digests)))
}

/// Reads the named file. The digest must be `expected`, unless `expected` is `None`.
fn load_file(
    name: &str,
    expected: Option<&Val>,
    (at, path): (&SourcePosition, &str),
    (digest_at, digest): (&SourcePosition, &str),
    files: FileLocation<'_>,
    problems: &mut Problems,
) -> Option<(Val, Val)> {
    let is_expected = |found: &str| matches!(expected, Some(Val::Text(digest)) if digest == found);
    let found = match files {
        FileLocation::Folder(folder) => read(folder, name),
        FileLocation::Given(contents) => {
            let content = contents.iter().find(|(digest, _)| is_expected(digest));
            let file =
                content.map(|(_, text)| NamedFile { path: name.to_string(), text: Arc::from(text.as_str()) });
            file.ok_or_else(|| NO_FILES.to_string())
        }
    };
    let file = match found {
        Ok(file) => file,
        Err(what) => {
            problems.add(at, path, what);
            return None;
        }
    };
    let found = content_digest(&file.text);
    if let Some(Val::Text(expected)) =
        expected.filter(|expected| !matches!(expected, Val::Text(text) if *text == found))
    {
        let what = format!(
            "expected {expected:?}, but the content of {} has {found:?}: the file differs from that of the recorded run; \
             without `{digest}` any content is accepted",
            file.path
        );
        problems.add(digest_at, digest_path(path, digest), what);
    }
    Some((Val::File(file), Val::Text(found)))
}

/// Returns the path of the digest's key for the path of a file's key: `wired.w.deliveries_digest.a->b` for
/// `wired.w.deliveries.a->b`.
fn digest_path(path: &str, digest: &str) -> String {
    let mut words: Vec<&str> = path.split('.').collect();
    let place = words.iter().rposition(|word| !word.contains("->")).unwrap_or_default();
    words[place] = digest;
    words.join(".")
}

/// Error message for a scenario that names a file but comes without the file's content.
const NO_FILES: &str = "names a file, but no file is read for a scenario from the web page or from a log; give the scenario on the command line instead";

/// Maximum size of a file in bytes, sufficient for a channel record of several years.
const MAX_FILE_BYTES: u64 = 1 << 28;

fn read(folder: &Path, name: &str) -> Result<NamedFile, String> {
    let path = folder.join(name);
    // Without a working directory the path cannot be made absolute, and stays relative.
    let path = std::path::absolute(&path).unwrap_or(path);
    let shown = path.display().to_string();
    let refusal = |why: String| format!("cannot read {shown}: {why}");
    match std::fs::metadata(&path) {
        Ok(found) if found.is_file() && found.len() <= MAX_FILE_BYTES => {}
        Ok(found) if found.is_file() => {
            return Err(refusal(format!("expected at most {MAX_FILE_BYTES} bytes, got {}", found.len())));
        }
        Ok(_) => return Err(refusal("it is not a file".to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!("there is no file {shown}"));
        }
        Err(error) => return Err(refusal(error.to_string())),
    }
    let bytes = std::fs::read(&path).map_err(|error| refusal(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refusal("it is not text (UTF-8)".to_string()))?;
    // A byte-order mark is ignored, as in scenarios (Unicode 15.0 §23.8).
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    // The effective scenario must read back, so a path that is not valid UTF-8 is replaced by the relative
    // name.
    let path = path.to_str().unwrap_or(name).to_string();
    Ok(NamedFile { path, text: Arc::from(text) })
}

/// Returns the digest of a file: 64-bit FNV-1a in hexadecimal. The digest detects edits but not forgery.
fn content_digest(text: &str) -> String {
    format!("{:016x}", name_hash(text))
}

/// Returns the digest and the content of every file that the scenario names, each file once.
pub(crate) fn contents(fields: &Fields) -> Vec<(String, String)> {
    let mut contents = BTreeMap::new();
    collect(fields, &mut contents);
    contents.into_iter().collect()
}

fn collect(fields: &Fields, contents: &mut BTreeMap<String, String>) {
    for val in fields.values() {
        match val {
            Val::File(file) => insert(file, contents),
            Val::EachWay(ways) => {
                for way in ways {
                    if let Val::File(file) = &way.value {
                        insert(file, contents);
                    }
                }
            }
            Val::Table(table) => collect(table, contents),
            Val::Tables(tables) => tables.iter().for_each(|table| collect(table, contents)),
            _ => {}
        }
    }
}

fn insert(file: &NamedFile, contents: &mut BTreeMap<String, String>) {
    contents.insert(content_digest(&file.text), file.text.to_string());
}

/// Returns the fields without file paths. The digests identify the files.
pub(crate) fn without_paths(fields: &Fields) -> Fields {
    let mut bare = fields.clone();
    strip_paths(&mut bare);
    bare
}

fn strip_paths(fields: &mut Fields) {
    let files = fields.keys.iter().filter(|key| key.kind.digest_key().is_some());
    files.for_each(|key| fields.remove_default(key.name));
    tables_mut(fields).for_each(strip_paths);
}

fn tables_mut(fields: &mut Fields) -> impl Iterator<Item = &mut Fields> {
    fields.values_mut().flat_map(|val| match val {
        Val::Table(table) => std::slice::from_mut(table),
        Val::Tables(tables) => tables.as_mut_slice(),
        _ => &mut [],
    })
}
