//! JSON schema of scenario files, for editors.

use crate::grammar::key::{Choice, Key, OmittedValue, UNLIMITED_WINDOW, ValueKind, Variant};
use crate::grammar::problem::SourcePosition;
use crate::grammar::quantity::standards;
use crate::grammar::tree::{Item, Value, parse_literal};
use serde_json::{Map, Value as Json, json};

/// Returns the JSON schema (draft 2020-12) of a file with these keys.
pub(crate) fn render_schema(keys: &[Key]) -> String {
    let mut root = object_schema(keys, None);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("Airhop scenario");
    serde_json::to_string_pretty(&root).expect("a schema is JSON")
}

fn object_schema(keys: &[Key], kind: Option<&str>) -> Json {
    let mut properties = Map::new();
    if let Some(kind) = kind {
        properties.insert("kind".to_string(), json!({ "const": kind }));
    }
    for key in keys.iter().filter(|key| !matches!(key.kind, ValueKind::NotYet(_))) {
        properties.insert(key.name.to_string(), property_schema(key));
    }
    let needed = keys.iter().filter(|k| matches!(k.when_omitted, OmittedValue::Required)).map(|k| k.name);
    let required: Vec<&str> = kind.iter().map(|_| "kind").chain(needed).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn property_schema(key: &Key) -> Json {
    let mut schema = value_schema(&key.kind);
    let about = match key.when_omitted {
        OmittedValue::Derived(rule) => format!("{}. Default: {rule}.", key.about),
        OmittedValue::Preset(_) => format!("{}. Default: the value of the preset.", key.about),
        OmittedValue::Nothing(meaning) => format!("{}. Without it: {meaning}.", key.about),
        OmittedValue::Required | OmittedValue::Value(_) => format!("{}.", key.about),
    };
    schema["description"] = json!(about);
    if let OmittedValue::Value(text) = key.when_omitted {
        schema["default"] = item_to_json(&parse_literal(text, &SourcePosition::Default));
    }
    schema
}

fn item_to_json(item: &Item) -> Json {
    match &item.value {
        Value::Text(text) => json!(text),
        Value::Number(n, true) => json!(*n as i64),
        Value::Number(x, false) => json!(x),
        Value::Flag(flag) => json!(flag),
        Value::List(items) => items.iter().map(item_to_json).collect(),
        Value::Table(entries) => {
            Json::Object(entries.iter().map(|e| (e.key.clone(), item_to_json(&e.item))).collect())
        }
        Value::Other(_) => Json::Null,
    }
}

fn value_schema(kind: &ValueKind) -> Json {
    const NAME_PATTERN: &str = "^[A-Za-z0-9_*]([A-Za-z0-9_*-]{0,62}[A-Za-z0-9_*])?$";
    let name = || json!({ "type": "string", "pattern": NAME_PATTERN });
    match kind {
        ValueKind::Title => json!({ "type": "string", "minLength": 1, "maxLength": 100 }),
        ValueKind::Name => name(),
        ValueKind::Ends => {
            json!({ "type": "array", "items": name(), "minItems": 2, "maxItems": 2, "uniqueItems": true })
        }
        ValueKind::Stations => {
            let position =
                json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 });
            json!({ "type": "object", "minProperties": 2, "propertyNames": name(), "additionalProperties": position })
        }
        ValueKind::File { .. } | ValueKind::WordOrFile { .. } => json!({ "type": "string", "minLength": 1 }),
        ValueKind::Digest => json!({ "type": "string", "pattern": "^[0-9a-f]{16}$" }),
        ValueKind::Direction => json!({ "type": "string", "pattern": "->", "examples": ["bs->d"] }),
        ValueKind::Span { .. } => quantity_schema("ns|us|µs|ms|s", "10 ms"),
        ValueKind::Rate | ValueKind::LinkRate => quantity_schema("bit/s|kbit/s|Mbit/s|Gbit/s", "10 Mbit/s"),
        ValueKind::Rates { longest } => {
            let rate = value_schema(&ValueKind::Rate);
            json!({ "type": "array", "items": rate, "minItems": 1, "maxItems": longest })
        }
        ValueKind::RateOrTable(keys) => {
            json!({ "anyOf": [value_schema(&ValueKind::Rate), object_schema(keys, None)] })
        }
        ValueKind::Bytes { most: UNLIMITED_WINDOW, .. } => {
            json!({ "anyOf": [quantity_schema("B|kB|MB", "64 kB"), { "const": "unlimited" }] })
        }
        ValueKind::Bytes { .. } => quantity_schema("B|kB|MB", "1000 B"),
        ValueKind::Threshold { .. } => {
            json!({ "anyOf": [quantity_schema("B|kB|MB", "256 B"), { "const": "off" }] })
        }
        ValueKind::Metres => quantity_schema("m|km", "40 m"),
        ValueKind::Power => signed_quantity_schema("dBm", "24.5 dBm"),
        ValueKind::Ratio => quantity_schema("dB", "10 dB"),
        ValueKind::Frequency => quantity_schema("Hz|kHz|MHz|GHz", "2.4 GHz"),
        ValueKind::Count { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
        ValueKind::CountOrMax { most } => {
            json!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": most }, { "const": "max" }] })
        }
        ValueKind::Counts { least, most, longest } => {
            let one = json!({ "type": "integer", "minimum": least, "maximum": most });
            json!({ "type": "array", "items": one, "minItems": 1, "maxItems": longest })
        }
        ValueKind::Number { least, most } => json!({ "type": "number", "minimum": least, "maximum": most }),
        ValueKind::Probability => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        ValueKind::Segments { unbounded } => {
            let number = json!({ "type": "number", "minimum": 1, "maximum": 1e6 });
            match unbounded {
                Some(word) => json!({ "anyOf": [number, { "const": word }] }),
                None => number,
            }
        }
        ValueKind::Flag => json!({ "type": "boolean" }),
        ValueKind::Word(words) => json!({ "enum": words() }),
        ValueKind::NotYet(_) => json!(false),
        ValueKind::Standard => json!({ "enum": standards() }),
        ValueKind::Words(words) => {
            json!({ "type": "array", "items": { "enum": words() }, "uniqueItems": true })
        }
        ValueKind::Scheme => scheme_schema(),
        ValueKind::Section(keys) => object_schema(keys, None),
        ValueKind::Switch(keys) => json!({ "anyOf": [{ "type": "boolean" }, object_schema(keys, None)] }),
        ValueKind::Drawn { plain, choice } => {
            json!({ "anyOf": [value_schema(plain), choice_schema(choice, false)] })
        }
        ValueKind::Choice(choice) => choice_schema(choice, false),
        ValueKind::Choices(choice) => one_or_more(choice_schema(choice, true)),
        ValueKind::Sections(keys) => one_or_more(object_schema(keys, None)),
        ValueKind::EachWay(kind) => json!({ "anyOf": [value_schema(kind), {
            "type": "object",
            "propertyNames": { "pattern": "->" },
            "additionalProperties": value_schema(kind),
            "minProperties": 1,
            "maxProperties": 2,
        }] }),
        ValueKind::Tables(keys) => {
            json!({ "type": "array", "items": object_schema(keys, None), "minItems": 1 })
        }
    }
}

fn quantity_schema(units: &str, example: &str) -> Json {
    with_unit("[+]?", units, example)
}

/// Returns the schema of a quantity that may be negative.
fn signed_quantity_schema(units: &str, example: &str) -> Json {
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

fn choice_schema(choice: &Choice, listed: bool) -> Json {
    let variant = |v: &&Variant| {
        let mut schema = object_schema(v.keys(listed), Some(v.kind));
        schema["description"] = json!(v.about);
        schema["x-example"] = json!(v.example());
        if !v.flags.is_empty() {
            schema["x-flags"] = json!(v.flags);
        }
        schema
    };
    json!({ "oneOf": choice.variants.iter().map(variant).collect::<Vec<_>>() })
}

fn scheme_schema() -> Json {
    let schemes = airhop_tcp::schemes();
    let with_parameters = schemes.iter().map(|s| {
        let mut properties = Map::from_iter([("name".to_string(), json!({ "const": s.name }))]);
        for p in s.params {
            let (least, most) = p.range;
            let schema = match p.choices.get(p.default as usize) {
                Some(word) => json!({ "enum": p.choices, "default": word, "description": p.about }),
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
