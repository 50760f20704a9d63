//! Check of a document against the declared keys: unknown and missing keys, types, units, ranges, and words.
//!
//! The check continues after a problem. Rejected values are left out of the result.

use crate::grammar::fields::{DirectionValue, Fields, Val};
use crate::grammar::key::{Choice, Key, OmittedValue, ValueKind, Variant};
use crate::grammar::problem::{Problems, SourcePosition, did_you_mean, format_alternatives, nearest};
use crate::grammar::quantity;
use crate::grammar::tree::{Entry, Item, Value, parse_literal};

/// Checks `root` as a table with these keys and returns the checked values.
pub(crate) fn check(root: &Item, keys: &'static [Key], problems: &mut Problems) -> Fields {
    Checker { problems }.read_section(root, keys, String::new()).unwrap_or_else(|| {
        let mut nothing = Fields::new(String::new(), root.at.clone(), None, keys);
        nothing.is_valid = false;
        nothing
    })
}

struct Checker<'a> {
    problems: &'a mut Problems,
}

impl Checker<'_> {
    fn refuse<T>(&mut self, at: &SourcePosition, path: &str, what: impl Into<String>) -> Option<T> {
        self.problems.add(at, path, what);
        None
    }

    fn read_section(&mut self, item: &Item, keys: &'static [Key], path: String) -> Option<Fields> {
        let Some(entries) = item.entries() else {
            let example: Vec<_> = keys.iter().map(|k| k.name).collect();
            let what = format!("expected a table of {}, got {}", example.join(", "), item.describe());
            return self.refuse(&item.at, &path, what);
        };
        Some(self.read_entries(entries, item, None, keys, path))
    }

    fn read_entries(
        &mut self,
        entries: &[Entry],
        item: &Item,
        variant: Option<(&'static Choice, &'static Variant)>,
        keys: &'static [Key],
        path: String,
    ) -> Fields {
        let before = self.problems.len();
        let kind = variant.map(|(_, variant)| variant.kind);
        let mut fields = Fields::new(path, item.at.clone(), kind, keys);
        for entry in entries {
            match keys.iter().find(|k| k.name == entry.key) {
                Some(key) => self.read_entry(key, entry, &mut fields),
                None if kind.is_some() && entry.key == "kind" => {}
                None => {
                    self.report_unknown_key(entry, &fields, variant.map(|(choice, _)| choice));
                    fields.mark_refused(&entry.key);
                }
            }
        }
        let absent: Vec<_> = keys.iter().filter(|k| fields.is_missing_not_misspelt(k.name)).collect();
        for key in absent {
            self.use_default(key, &mut fields);
        }
        fields.is_valid = self.problems.len() == before;
        fields
    }

    fn read_entry(&mut self, key: &'static Key, entry: &Entry, fields: &mut Fields) {
        let path = fields.path_of(key.name);
        match self.read_value(&key.kind, &entry.item, &path) {
            // The position of a value is that of its key: a table may begin some lines after its key.
            Some(val) => fields.set(key.name, val, entry.at.clone()),
            None => fields.mark_refused(key.name),
        }
    }

    fn use_default(&mut self, key: &'static Key, fields: &mut Fields) {
        match key.when_omitted {
            OmittedValue::Required => {
                let what = format!("is missing: {}; {}", key.about, quantity::describe_expected(&key.kind));
                self.problems.add(&fields.at, fields.path_of(key.name), what);
            }
            OmittedValue::Value(text) => {
                let item = parse_literal(text, &SourcePosition::Default);
                if let Some(val) = self.read_value(&key.kind, &item, &fields.path_of(key.name)) {
                    fields.set(key.name, val, SourcePosition::Default);
                }
            }
            OmittedValue::Derived(_) | OmittedValue::Preset(_) | OmittedValue::Nothing(_) => {}
        }
    }

    fn report_unknown_key(&mut self, entry: &Entry, fields: &Fields, choice: Option<&'static Choice>) {
        let names: Vec<_> = fields.keys.iter().map(|k| k.name).collect();
        let owner = match fields.kind {
            Some(kind) => format!(" of kind \"{kind}\""),
            None => String::new(),
        };
        let others = choice.map_or(&[][..], |choice| choice.variants);
        let hint = match others.iter().find(|v| v.keys(false).iter().any(|k| k.name == entry.key)) {
            Some(other) => format!("; kind \"{}\" has it", other.kind),
            None => did_you_mean(&entry.key, names.iter().copied()),
        };
        let known = match names.is_empty() {
            true => "it has no keys".to_string(),
            false => format!("expected one of {}", names.join(", ")),
        };
        let study = match fields.path.is_empty()
            && matches!(entry.key.as_str(), "vary" | "reps" | "scenario" | "zip")
        {
            true => " (this looks like a study: run it with `airhop sweep`)",
            false => "",
        };
        self.problems.add(
            &entry.at,
            fields.path_of(&entry.key),
            format!("unknown key{owner}; {known}{hint}{study}"),
        );
    }

    fn read_value(&mut self, kind: &ValueKind, item: &Item, path: &str) -> Option<Val> {
        match kind {
            ValueKind::Section(keys) => self.read_section(item, keys, path.to_string()).map(Val::Table),
            ValueKind::RateOrTable(keys) if item.entries().is_some() => {
                self.read_section(item, keys, path.to_string()).map(Val::Table)
            }
            ValueKind::Switch(keys) => match item.value {
                Value::Flag(false) => Some(Val::Flag(false)),
                Value::Flag(true) => {
                    let empty = Item { at: item.at.clone(), value: Value::Table(Vec::new()) };
                    self.read_section(&empty, keys, path.to_string()).map(Val::Table)
                }
                Value::Table(_) => self.read_section(item, keys, path.to_string()).map(Val::Table),
                _ => self.refuse(
                    &item.at,
                    path,
                    format!("{}, got {}", quantity::describe_expected(kind), item.describe()),
                ),
            },
            ValueKind::Choice(choice) => self.read_choice(choice, false, item, path).map(Val::Table),
            ValueKind::Drawn { choice, .. } if item.entries().is_some() => {
                self.read_choice(choice, false, item, path).map(Val::Table)
            }
            ValueKind::Drawn { plain, .. } => self.read_value(plain, item, path),
            ValueKind::Choices(choice) => {
                self.read_one_or_more(choice.what, item, path, |checker, item, path| {
                    checker.read_choice(choice, true, item, path)
                })
            }
            ValueKind::Sections(keys) => self.read_one_or_more("table", item, path, |checker, item, path| {
                checker.read_section(item, keys, path.to_string())
            }),
            ValueKind::EachWay(kind) => self.read_each_way(kind, item, path),
            ValueKind::Tables(keys) => self.read_tables(keys, item, path).map(Val::Tables),
            ValueKind::Stations => self.read_stations(item, path).map(Val::Stations),
            ValueKind::Scheme => crate::tables::scheme::read_scheme(item, path, self.problems),
            plain => match quantity::read_value(plain, item) {
                Ok(val) => Some(val),
                Err(what) => self.refuse(&item.at, path, what),
            },
        }
    }

    /// Reads one value for both directions, or a table with one value per direction.
    fn read_each_way(&mut self, kind: &'static ValueKind, item: &Item, path: &str) -> Option<Val> {
        let Some(entries) = item.entries() else { return self.read_value(kind, item, path) };
        let before = self.problems.len();
        let mut ways: Vec<DirectionValue> = Vec::new();
        for entry in entries {
            let path = format!("{path}.{}", entry.key);
            match quantity::parse_direction(&entry.key) {
                Err(what) => self.problems.add(&entry.at, &path, what),
                Ok(direction) if ways.iter().any(|way| way.direction == direction) => {
                    self.problems.add(
                        &entry.at,
                        &path,
                        "expected one value for each direction, got a second one for this direction",
                    );
                }
                Ok(direction) => {
                    let val = self.read_value(kind, &entry.item, &path);
                    ways.extend(val.map(|val| DirectionValue {
                        direction,
                        value: val,
                        at: entry.at.clone(),
                    }));
                }
            }
        }
        if entries.is_empty() {
            let what = "expected a value for each direction, such as \"a->b\" = …, got an empty table";
            return self.refuse(&item.at, path, what);
        }
        (self.problems.len() == before).then_some(Val::EachWay(ways))
    }

    fn read_choice(
        &mut self,
        choice: &'static Choice,
        listed: bool,
        item: &Item,
        path: &str,
    ) -> Option<Fields> {
        let kinds = || choice.variants.iter().map(|v| v.kind);
        let Some(entries) = item.entries() else {
            return self.refuse(&item.at, path, describe_required_table(choice, item));
        };
        let Some(entry) = entries.iter().find(|e| e.key == "kind") else {
            let what =
                format!("is missing: the kind of {}; expected {}", choice.what, format_alternatives(kinds()));
            return self.refuse(&item.at, &format!("{path}.kind"), what);
        };
        let Value::Text(kind) = &entry.item.value else {
            let what = format!("expected {}, got {}", format_alternatives(kinds()), entry.item.describe());
            return self.refuse(&entry.item.at, &format!("{path}.kind"), what);
        };
        let Some(variant) = choice.variants.iter().find(|v| v.kind == kind) else {
            let hint = did_you_mean(kind, kinds());
            let what = format!(
                "this version has no {} {kind:?}; expected {}{hint}",
                choice.what,
                format_alternatives(kinds())
            );
            return self.refuse(&entry.item.at, &format!("{path}.kind"), what);
        };
        Some(self.read_entries(
            entries,
            item,
            Some((choice, variant)),
            variant.keys(listed),
            path.to_string(),
        ))
    }

    /// Reads a table with the key `kind`, or a list of such tables.
    fn read_one_or_more(
        &mut self,
        what: &str,
        item: &Item,
        path: &str,
        mut read: impl FnMut(&mut Self, &Item, &str) -> Option<Fields>,
    ) -> Option<Val> {
        let Value::List(items) = &item.value else {
            return Some(Val::Tables(vec![read(self, item, path)?]));
        };
        if items.is_empty() {
            let what = format!("expected at least one {what}, got an empty list");
            return self.refuse(&item.at, path, what);
        }
        let read = items.iter().enumerate().map(|(i, one)| read(self, one, &format!("{path}.{i}")));
        let read: Vec<_> = read.collect();
        read.into_iter().collect::<Option<_>>().map(Val::Tables)
    }

    fn read_tables(&mut self, keys: &'static [Key], item: &Item, path: &str) -> Option<Vec<Fields>> {
        let Value::List(items) = &item.value else {
            let what = format!("expected tables with double brackets, [[{path}]], got {}", item.describe());
            return self.refuse(&item.at, path, what);
        };
        if items.is_empty() {
            return self.refuse(
                &item.at,
                path,
                format!("expected at least one [[{path}]], got an empty list"),
            );
        }
        let named =
            |(i, one): (usize, &Item)| self.read_section(one, keys, format!("{path}.{}", table_name(one, i)));
        // Items that are not tables are already rejected. The other items are compared with each other.
        Some(items.iter().enumerate().filter_map(named).collect())
    }

    fn read_stations(&mut self, item: &Item, path: &str) -> Option<Vec<(String, [f64; 2])>> {
        let Some(entries) = item.entries() else {
            let what =
                format!("{}, got {}", quantity::describe_expected(&ValueKind::Stations), item.describe());
            return self.refuse(&item.at, path, what);
        };
        let before = self.problems.len();
        let mut stations = Vec::with_capacity(entries.len());
        for entry in entries {
            let path = format!("{path}.{}", entry.key);
            if let Err(what) = quantity::check_name(&entry.key) {
                self.problems.add(&entry.at, &path, what);
            }
            match quantity::parse_position(&entry.item) {
                Ok(position) => stations.push((entry.key.clone(), position)),
                Err(what) => self.problems.add(&entry.item.at, path, what),
            }
        }
        (self.problems.len() == before).then_some(stations)
    }
}

/// Returns the message about a value that must be a table with a `kind`. If the user wrote only a kind, the
/// message suggests a table of this kind. For any other text, the message suggests the most similar kind.
fn describe_required_table(choice: &Choice, item: &Item) -> String {
    let kinds = || choice.variants.iter().map(|v| v.kind);
    let got = item.describe();
    let meant = match &item.value {
        Value::Text(word) => kinds().find(|kind| kind == word).or_else(|| nearest(word, kinds())),
        _ => None,
    };
    match meant {
        Some(kind) => {
            format!("expected a table with a kind, got {got}; did you mean {{ kind = \"{kind}\" }}?")
        }
        None => format!(
            "expected a table with a kind, such as {{ kind = \"{}\" }}, got {got}; kinds are {}",
            choice.variants.first().map_or("", |v| v.kind),
            format_alternatives(kinds())
        ),
    }
}

/// Returns the name of a table in a `[[…]]` list, for messages. The name is the value of the key `name`, or
/// the table's number in the list.
fn table_name(item: &Item, index: usize) -> String {
    let name = item.entries().and_then(|entries| entries.iter().find(|e| e.key == "name"));
    match name.map(|entry| &entry.item.value) {
        Some(Value::Text(name)) if quantity::check_name(name).is_ok() => name.clone(),
        _ => format!("#{}", index + 1),
    }
}
