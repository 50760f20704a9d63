//! Web pages: the objects in a file, or the built-in page with the medians of an archive.

use crate::grammar::fields::Val;
use crate::grammar::key::ValueKind;
use crate::grammar::problem::{Problems, SourcePosition};
use crate::grammar::quantity;
use crate::grammar::tree::{self, Item, Value};
use airhop_net::apps::{PageObject, WebPage};

/// Maximum number of objects of a page.
const MAX_OBJECTS: usize = 10_000;
/// Kind of the size of an object.
const SIZE_KIND: ValueKind = ValueKind::Bytes { least: 1, most: u32::MAX as u64 };

/// Object as declared in a file.
struct DeclaredObject {
    at: SourcePosition,
    name: String,
    bytes: u64,
    after: Vec<String>,
}

/// Reads a page from the text of a file. Messages name the file `path`.
pub(super) fn read(path: &str, text: &str) -> Result<WebPage, String> {
    let mut problems = Problems::default();
    let page = parse(text, &mut problems);
    problems.into_result(path, page).map_err(|error| error.to_string())
}

fn parse(text: &str, problems: &mut Problems) -> Option<WebPage> {
    let begin = text.trim_start();
    let is_json = begin.starts_with('{') || (begin.starts_with('[') && !begin.starts_with("[["));
    let item = if is_json { tree::from_json(text, problems) } else { tree::from_toml(text, problems) }?;
    let objects = match &item.value {
        Value::List(objects) => objects.as_slice(),
        _ => match item.entries().and_then(|entries| entries.iter().find(|entry| entry.key == "object")) {
            Some(tree::Entry { item: Item { value: Value::List(objects), .. }, .. }) => objects.as_slice(),
            _ => &[],
        },
    };
    if !(1..=MAX_OBJECTS).contains(&objects.len()) {
        problems.add(
            &item.at,
            "object",
            format!("expected 1 to {MAX_OBJECTS} tables [[object]], got {}", objects.len()),
        );
        return None;
    }
    let declared: Vec<Option<DeclaredObject>> =
        objects.iter().map(|object| parse_object(object, problems)).collect();
    let declared: Vec<DeclaredObject> = declared.into_iter().collect::<Option<_>>()?;
    let planned: Vec<Option<PageObject>> =
        declared.iter().map(|object| resolve_dependencies(object, &declared, problems)).collect();
    let page = WebPage::new(planned.into_iter().collect::<Option<_>>()?);
    page.map_err(|place| {
        let DeclaredObject { at, name, .. } = &declared[place];
        problems.add(
            at,
            format!("object.{name}.after"),
            "expected other objects, but the object waits for itself, directly or through its objects `after`",
        );
    })
    .ok()
}

/// Reads the table of an object.
fn parse_object(object: &Item, problems: &mut Problems) -> Option<DeclaredObject> {
    let before = problems.len();
    let Some(entries) = object.entries() else {
        problems.add(&object.at, "object", format!("expected a table, got {}", object.describe()));
        return None;
    };
    let (mut name, mut bytes, mut after) = (None, None, Vec::new());
    for entry in entries {
        let item = &entry.item;
        let mut found = Ok(());
        match (entry.key.as_str(), &item.value) {
            ("name", Value::Text(text)) if !text.is_empty() => name = Some(text.clone()),
            ("name", _) => found = Err(format!("expected a name, got {}", item.describe())),
            ("size", _) => match quantity::read_value(&SIZE_KIND, item) {
                Ok(Val::Bytes(size)) => bytes = Some(size),
                Ok(_) => {}
                Err(what) => found = Err(what),
            },
            ("after", _) => match parse_names(item) {
                Ok(names) => after = names,
                Err(what) => found = Err(what),
            },
            _ => found = Err("unknown key; expected \"name\", \"size\" or \"after\"".to_string()),
        }
        if let Err(what) = found {
            problems.add(&entry.at, format!("object.{}", entry.key), what);
        }
    }
    for (key, is_there, example) in
        [("name", name.is_some(), "\"style\""), ("size", bytes.is_some(), "\"10 kB\"")]
    {
        if !is_there && problems.len() == before {
            problems.add(
                &object.at,
                format!("object.{key}"),
                format!("is missing; expected a value such as {example}"),
            );
        }
    }
    Some(DeclaredObject { at: object.at.clone(), name: name?, bytes: bytes?, after })
}

/// Reads a list of names.
fn parse_names(item: &Item) -> Result<Vec<String>, String> {
    let refused = || format!("expected a list of names of objects, got {}", item.describe());
    let Value::List(items) = &item.value else { return Err(refused()) };
    let name = |item: &Item| match &item.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    items.iter().map(name).collect::<Option<_>>().ok_or_else(refused)
}

/// Returns the object with its dependencies as indices instead of names.
fn resolve_dependencies(
    object: &DeclaredObject,
    all: &[DeclaredObject],
    problems: &mut Problems,
) -> Option<PageObject> {
    let before = problems.len();
    let place = |name: &String| {
        let found = all.iter().position(|other| other.name == *name);
        if found.is_none() {
            let what = format!("expected names of objects of this page, got {name:?}");
            problems.add(&object.at, format!("object.{}.after", object.name), what);
        }
        found
    };
    let after: Vec<usize> = object.after.iter().filter_map(place).collect();
    let twins = all.iter().filter(|other| other.name == object.name).count();
    if twins > 1 {
        problems.add(
            &object.at,
            "object.name",
            format!("expected different names, got {:?} {twins} times", object.name),
        );
    }
    (problems.len() == before).then_some(PageObject { bytes: object.bytes, dependencies: after })
}

/// Returns the built-in page, with the medians of desktop home pages (HTTP Archive, Web Almanac 2024, chapter
/// "Page Weight").
///
/// The page has 18 KB of HTML in 2 documents, 78 KB of style sheets in 8, 613 KB of scripts in 24, 131 KB of
/// fonts in 4, and 1054 KB of images in 18. A KB is 1024 bytes.
pub(super) fn news_page() -> WebPage {
    let object = |kilobytes: u64, number: u64, after: &[usize]| PageObject {
        bytes: (kilobytes * 1024).div_ceil(number),
        dependencies: after.into(),
    };
    let (document, style, script) = (0, 1, 9);
    let mut objects = vec![object(18, 2, &[])];
    objects.extend((0..8).map(|_| object(78, 8, &[document])));
    objects.extend((0..24).map(|_| object(613, 24, &[document])));
    objects.extend((0..4).map(|_| object(131, 4, &[style])));
    objects.extend((0..18).map(|_| object(1054, 18, &[document])));
    objects.push(object(18, 2, &[script]));
    WebPage::new(objects).expect("each object follows others of the list")
}

#[cfg(test)]
mod tests {
    use super::*;

    // The built-in page has the medians of the Web Almanac 2024: 56 requests, 1894 KB.
    #[test]
    fn the_median_page_has_the_web_almanac_2024_values() {
        let page = news_page();
        let bytes: u64 = page.objects().iter().map(|object| object.bytes).sum();
        assert_eq!((page.objects().len(), bytes / 1024), (56, 1894));
    }

    #[test]
    fn a_web_page_reads_from_toml_and_json() {
        let toml = "[[object]]\nname = \"a\"\nsize = \"2 kB\"\n[[object]]\nname = \"b\"\nsize = \"1 B\"\nafter = [\"a\"]\n";
        let json = r#"[{"name": "a", "size": "2 kB"}, {"name": "b", "size": "1 B", "after": ["a"]}]"#;
        let expected = vec![
            PageObject { bytes: 2000, dependencies: vec![] },
            PageObject { bytes: 1, dependencies: vec![0] },
        ];
        assert_eq!(read("p.toml", toml).unwrap().objects(), expected);
        assert_eq!(read("p.json", json), read("p.toml", toml));
    }

    #[test]
    fn a_web_page_error_names_its_line() {
        let head = "[[object]]\nname = \"a\"\nsize = \"2 kB\"\n";
        for (rest, expected) in [
            (
                "after = [\"a\"]",
                "p:1: object.a.after: expected other objects, but the object waits for itself, directly or through its objects `after`",
            ),
            ("after = [\"b\"]", "p:1: object.a.after: expected names of objects of this page, got \"b\""),
            ("after = \"b\"", "p:4: object.after: expected a list of names of objects, got \"b\""),
            ("colour = 1", "p:4: object.colour: unknown key; expected \"name\", \"size\" or \"after\""),
            (
                "[[object]]\nname = \"a\"\nsize = \"1 B\"",
                "object.name: expected different names, got \"a\" 2 times",
            ),
            ("[[object]]\nname = \"c\"", "p:4: object.size: is missing; expected a value such as \"10 kB\""),
            ("[[object]]\nname = 1\nsize = \"1 B\"", "p:5: object.name: expected a name, got 1"),
        ] {
            let error = read("p", &format!("{head}{rest}\n")).expect_err(rest);
            assert!(error.contains(expected), "{rest}: {error}");
        }
        assert!(read("p", "x = 1").unwrap_err().contains("expected 1 to 10000 tables [[object]], got 0"));
        assert!(read("p", "{\"object\": [3]}").unwrap_err().contains("expected a table, got 3"));
        assert!(read("p", "[1").unwrap_err().contains("JSON"));
    }
}
