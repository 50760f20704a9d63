//! JSON schema of scenario files, for editors.

use crate::grammar::key::{Choice, Key, Kind, OmittedValue, UNLIMITED_WINDOW, Variant};
use crate::grammar::problem::SourcePosition;
use crate::grammar::quantity::standards;
use crate::grammar::tree::{Item, Value, parse_literal};
use serde_json::{Map, Value as Json, json};

/// Returns the JSON schema (draft 2020-12) of a file with these keys.
pub(crate) fn schema(keys: &[Key]) -> String {
    let mut root = object(keys, None);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("Airhop scenario");
    serde_json::to_string_pretty(&root).expect("a schema is JSON")
}

fn object(keys: &[Key], kind: Option<&str>) -> Json {
    let mut properties = Map::new();
    if let Some(kind) = kind {
        properties.insert("kind".to_string(), json!({ "const": kind }));
    }
    for key in keys.iter().filter(|key| !matches!(key.kind, Kind::NotYet(_))) {
        properties.insert(key.name.to_string(), property(key));
    }
    let needed = keys.iter().filter(|k| matches!(k.when_omitted, OmittedValue::Required)).map(|k| k.name);
    let required: Vec<&str> = kind.iter().map(|_| "kind").chain(needed).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn property(key: &Key) -> Json {
    let mut schema = value(&key.kind);
    let about = match key.when_omitted {
        OmittedValue::Derived(rule) => format!("{}. Default: {rule}.", key.about),
        OmittedValue::Preset(_) => format!("{}. Default: the value of the preset.", key.about),
        OmittedValue::Nothing(meaning) => format!("{}. Without it: {meaning}.", key.about),
        OmittedValue::Required | OmittedValue::Value(_) => format!("{}.", key.about),
    };
    schema["description"] = json!(about);
    if let OmittedValue::Value(text) = key.when_omitted {
        schema["default"] = plain(&parse_literal(text, &SourcePosition::Default));
    }
    schema
}

fn plain(item: &Item) -> Json {
    match &item.value {
        Value::Text(text) => json!(text),
        Value::Number(n, true) => json!(*n as i64),
        Value::Number(x, false) => json!(x),
        Value::Flag(flag) => json!(flag),
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Table(entries) => {
            Json::Object(entries.iter().map(|e| (e.key.clone(), plain(&e.item))).collect())
        }
        Value::Other(_) => Json::Null,
    }
}

fn value(kind: &Kind) -> Json {
    const NAME: &str = "^[A-Za-z0-9_*]([A-Za-z0-9_*-]{0,62}[A-Za-z0-9_*])?$";
    let name = || json!({ "type": "string", "pattern": NAME });
    match kind {
        Kind::Title => json!({ "type": "string", "minLength": 1, "maxLength": 100 }),
        Kind::Name => name(),
        Kind::Ends => {
            json!({ "type": "array", "items": name(), "minItems": 2, "maxItems": 2, "uniqueItems": true })
        }
        Kind::Stations => {
            let position =
                json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 });
            json!({ "type": "object", "minProperties": 2, "propertyNames": name(), "additionalProperties": position })
        }
        Kind::File { .. } | Kind::WordOrFile { .. } => json!({ "type": "string", "minLength": 1 }),
        Kind::Digest => json!({ "type": "string", "pattern": "^[0-9a-f]{16}$" }),
        Kind::Direction => json!({ "type": "string", "pattern": "->", "examples": ["bs->d"] }),
        Kind::Span { .. } => quantity("ns|us|µs|ms|s", "10 ms"),
        Kind::Rate | Kind::LinkRate => quantity("bit/s|kbit/s|Mbit/s|Gbit/s", "10 Mbit/s"),
        Kind::Rates { longest } => {
            let rate = value(&Kind::Rate);
            json!({ "type": "array", "items": rate, "minItems": 1, "maxItems": longest })
        }
        Kind::RateOrTable(keys) => json!({ "anyOf": [value(&Kind::Rate), object(keys, None)] }),
        Kind::Bytes { most: UNLIMITED_WINDOW, .. } => {
            json!({ "anyOf": [quantity("B|kB|MB", "64 kB"), { "const": "unlimited" }] })
        }
        Kind::Bytes { .. } => quantity("B|kB|MB", "1000 B"),
        Kind::Threshold { .. } => json!({ "anyOf": [quantity("B|kB|MB", "256 B"), { "const": "off" }] }),
        Kind::Metres => quantity("m|km", "40 m"),
        Kind::Power => signed("dBm", "24.5 dBm"),
        Kind::Ratio => quantity("dB", "10 dB"),
        Kind::Frequency => quantity("Hz|kHz|MHz|GHz", "2.4 GHz"),
        Kind::Count { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::CountOrMax { most } => {
            json!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": most }, { "const": "max" }] })
        }
        Kind::Counts { least, most, longest } => {
            let one = json!({ "type": "integer", "minimum": least, "maximum": most });
            json!({ "type": "array", "items": one, "minItems": 1, "maxItems": longest })
        }
        Kind::Number { least, most } => json!({ "type": "number", "minimum": least, "maximum": most }),
        Kind::Probability => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Segments { unbounded } => {
            let number = json!({ "type": "number", "minimum": 1, "maximum": 1e6 });
            match unbounded {
                Some(word) => json!({ "anyOf": [number, { "const": word }] }),
                None => number,
            }
        }
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Word(words) => json!({ "enum": words() }),
        Kind::NotYet(_) => json!(false),
        Kind::Standard => json!({ "enum": standards() }),
        Kind::Words(words) => json!({ "type": "array", "items": { "enum": words() }, "uniqueItems": true }),
        Kind::Scheme => scheme(),
        Kind::Section(keys) => object(keys, None),
        Kind::Switch(keys) => json!({ "anyOf": [{ "type": "boolean" }, object(keys, None)] }),
        Kind::Drawn { plain, choice } => json!({ "anyOf": [value(plain), one_of(choice, false)] }),
        Kind::Choice(choice) => one_of(choice, false),
        Kind::Choices(choice) => one_or_more(one_of(choice, true)),
        Kind::Sections(keys) => one_or_more(object(keys, None)),
        Kind::EachWay(kind) => json!({ "anyOf": [value(kind), {
            "type": "object",
            "propertyNames": { "pattern": "->" },
            "additionalProperties": value(kind),
            "minProperties": 1,
            "maxProperties": 2,
        }] }),
        Kind::Tables(keys) => json!({ "type": "array", "items": object(keys, None), "minItems": 1 }),
    }
}

fn quantity(units: &str, example: &str) -> Json {
    with_unit("[+]?", units, example)
}

/// Returns the schema of a quantity that may be negative.
fn signed(units: &str, example: &str) -> Json {
    with_unit("[+-]?", units, example)
}

fn with_unit(sign: &str, units: &str, example: &str) -> Json {
    let pattern = format!(r"^\s*{sign}[0-9.]+([eE][+-]?[0-9]+)?\s*({units})\s*$");
    json!({ "type": "string", "pattern": pattern, "examples": [example] })
}

/// Returns the schema of a value that is a table or a list of such tables.
fn one_or_more(table: Json) -> Json {
    json!({ "anyOf": [table.clone(), { "type": "array", "items": table, "minItems": 1 }] })
}

fn one_of(choice: &Choice, listed: bool) -> Json {
    let variant = |v: &&Variant| {
        let mut schema = object(v.keys(listed), Some(v.kind));
        schema["description"] = json!(v.about);
        schema["x-example"] = json!(v.example());
        if !v.flags.is_empty() {
            schema["x-flags"] = json!(v.flags);
        }
        schema
    };
    json!({ "oneOf": choice.variants.iter().map(variant).collect::<Vec<_>>() })
}

fn scheme() -> Json {
    let schemes = airhop_tcp::schemes();
    let with_parameters = schemes.iter().map(|s| {
        let mut properties = Map::from_iter([("name".to_string(), json!({ "const": s.name }))]);
        for p in s.params {
            let (least, most) = p.range;
            let schema = match p.words.get(p.default as usize) {
                Some(word) => json!({ "enum": p.words, "default": word, "description": p.about }),
                None => json!({
                    "type": "number", "minimum": least, "maximum": most, "default": p.default, "description": p.about,
                }),
            };
            properties.insert(p.name.to_string(), schema);
        }
        json!({ "type": "object", "properties": properties, "required": ["name"], "additionalProperties": false })
    });
    let names = json!({ "enum": schemes.iter().map(|s| s.name).collect::<Vec<_>>() });
    json!({ "anyOf": std::iter::once(names).chain(with_parameters).collect::<Vec<_>>() })
}
