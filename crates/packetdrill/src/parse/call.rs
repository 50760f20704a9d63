//! Parser of a system call: `setsockopt(4, SOL_TCP, TCP_CONGESTION, "reno", 4) = 0`.

use crate::cursor::{Cursor, ParseError};
use crate::script::{Call, Value};

pub(super) fn parse(c: &mut Cursor<'_>, blocks: Option<i64>) -> Result<Call, ParseError> {
    let name = c.read_word().ok_or_else(|| c.error("`<`, `>`, a system call, `` ` `` or `%{`"))?.to_owned();
    c.skip_blanks();
    c.expect_literal("(")?;
    let arguments = list(c, ")")?;
    let mut ahead = c.clone();
    ahead.skip_whitespace_and_comments()?;
    if ahead.rest().starts_with('=') {
        *c = ahead;
    }
    let (result, error) = if c.take_literal("=") { outcome(c)? } else { (None, None) };
    Ok(Call { name, arguments, result, error, blocking_ns: blocks })
}

/// Reads the result of a call and the name of an error. Skips an explanation in brackets.
fn outcome(c: &mut Cursor<'_>) -> Result<(Option<i64>, Option<String>), ParseError> {
    c.skip_blanks();
    let result = if c.take_literal("...") || c.take_literal("?") { None } else { Some(c.read_integer()?) };
    c.skip_blanks();
    let error = c.read_word().map(str::to_owned);
    c.skip_blanks();
    if c.peek() == Some('(') {
        c.take_until(")")?;
    }
    c.skip_blanks();
    c.take_literal(",");
    Ok((result, error))
}

fn list(c: &mut Cursor<'_>, end: &str) -> Result<Vec<Value>, ParseError> {
    let mut values = Vec::new();
    loop {
        c.skip_whitespace_and_comments()?;
        if c.take_literal(end) {
            return Ok(values);
        }
        if !values.is_empty() {
            c.expect_literal(",")?;
            c.skip_whitespace_and_comments()?;
        }
        values.push(value(c)?);
    }
}

fn value(c: &mut Cursor<'_>) -> Result<Value, ParseError> {
    if c.take_literal("...") {
        return Ok(Value::Any);
    }
    if c.take_literal("[") {
        return Ok(Value::List(list(c, "]")?));
    }
    if c.take_literal("{") {
        return Ok(Value::Members(members(c)?));
    }
    if c.take_literal("\"") {
        return Ok(Value::Text(c.take_until("\"")?.to_owned()));
    }
    let value = match c.read_word() {
        None => Value::Number(c.read_integer()?),
        Some(word) => {
            c.skip_blanks();
            if c.take_literal("(") {
                Value::Applied(word.to_owned(), list(c, ")")?)
            } else {
                Value::Word(word.to_owned())
            }
        }
    };
    alternatives(c, value)
}

/// Reads alternatives such as `A | B`. Names are joined, and numbers are combined.
fn alternatives(c: &mut Cursor<'_>, first: Value) -> Result<Value, ParseError> {
    c.skip_whitespace_and_comments()?;
    if !c.take_literal("|") {
        return Ok(first);
    }
    c.skip_whitespace_and_comments()?;
    let text = |value: Value| match value {
        Value::Word(word) => word,
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    Ok(match (first, value(c)?) {
        (Value::Number(one), Value::Number(other)) => Value::Number(one | other),
        (one, other) => Value::Word(format!("{}|{}", text(one), text(other))),
    })
}

fn members(c: &mut Cursor<'_>) -> Result<Vec<(String, Value)>, ParseError> {
    let mut members = Vec::new();
    loop {
        c.skip_whitespace_and_comments()?;
        if c.take_literal("}") {
            return Ok(members);
        }
        if !members.is_empty() {
            c.expect_literal(",")?;
            c.skip_whitespace_and_comments()?;
        }
        let first = value(c)?;
        c.skip_whitespace_and_comments()?;
        let named = c.take_literal("=");
        c.skip_whitespace_and_comments()?;
        members.push(match (first, named) {
            (Value::Word(name) | Value::Applied(name, _), true) => (name, value(c)?),
            (value, _) => (String::new(), value),
        });
    }
}
