//! The JSON schema accepts the files that the loader accepts, and rejects a key with a typing error.

use airhop_scenario::{Overrides, Scenario, schema_json};
use serde_json::Value;

const LAST_HOP: &str = include_str!("data/last-hop.toml");

/// Returns true if `value` is valid according to `schema`. It implements the keywords that Airhop's schema
/// uses, except the formats of strings.
fn valid(schema: &Value, value: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return schema.as_bool().unwrap_or(false) };
    schema.iter().all(|(keyword, rule)| match keyword.as_str() {
        "type" => match rule.as_str().expect("a type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "integer" => value.as_f64().is_some_and(|x| x.fract() == 0.0),
            other => panic!("the type {other}"),
        },
        "const" => rule == value,
        "enum" => list(rule).contains(value),
        "anyOf" => list(rule).iter().any(|s| valid(s, value)),
        "oneOf" => list(rule).iter().filter(|s| valid(s, value)).count() == 1,
        "required" => list(rule).iter().all(|key| value.get(key.as_str().expect("a key")).is_some()),
        "properties" => members(rule).all(|(key, s)| value.get(key).is_none_or(|v| valid(s, v))),
        "additionalProperties" => {
            let known = |key: &str| schema.get("properties").is_some_and(|p| p.get(key).is_some());
            members(value).all(|(key, v)| known(key) || valid(rule, v))
        }
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| valid(rule, item))),
        "minimum" => value.as_f64().is_none_or(|x| x >= rule.as_f64().expect("a number")),
        "maximum" => value.as_f64().is_none_or(|x| x <= rule.as_f64().expect("a number")),
        "minItems" => {
            value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().expect("a count"))
        }
        "maxItems" => {
            value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().expect("a count"))
        }
        "$schema" | "title" | "description" | "default" | "examples" | "pattern" | "minLength"
        | "maxLength" | "uniqueItems" | "minProperties" | "propertyNames" => true,
        notes if notes.starts_with("x-") => true,
        other => panic!("the keyword {other}"),
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn example() -> Value {
    let scenario =
        Scenario::parse(LAST_HOP, "last-hop.toml", &Overrides::default()).expect("a good scenario");
    serde_json::from_str(&scenario.to_json()).expect("JSON")
}

#[test]
fn the_schema_accepts_the_example_and_refuses_typos() {
    let schema: Value = serde_json::from_str(&schema_json()).expect("JSON");
    assert!(valid(&schema, &example()));
    let typos = [
        ("/wlan/0", "acces", "basic"),
        ("/wlan/0", "access", "basics"),
        ("/wlan/0/errors", "fre", "0.1"),
        ("/wired/0/queue", "kind", "rde"),
        ("/flow/0", "scheme", "renno"),
        ("/flow/0/tcp", "preset", "ns3"),
        ("/flow/0/tcp/rto", "minimum", "1 s"),
        ("", "links", "none"),
    ];
    for (place, key, text) in typos {
        let mut bad = example();
        bad.pointer_mut(place).expect("a place")[key] = text.into();
        assert!(!valid(&schema, &bad), "{place}: {key} = {text}");
    }
    let mut short = example();
    short["wired"][0].as_object_mut().expect("a table").remove("delay");
    assert!(!valid(&schema, &short));
}
