//! Parser for packetdrill scripts. TCP is parsed in full; packets of other protocols are stored as text.
//!
//! The authors describe the language in N. Cardwell et al., "packetdrill: Scriptable Network Stack Testing,
//! from Sockets to Packets", USENIX ATC 2013, §3.

mod call;
mod segment;

use crate::code;
use crate::cursor::{Cursor, ParseError, ScriptPosition};
use crate::script::{Action, Event, EventTime, Script};

/// Keywords of other protocols and encapsulations, whose packets are stored as text.
const FOREIGN_PROTOCOLS: [&str; 11] =
    ["encap", "icmp", "icmpv4", "icmpv6", "udp", "udplite", "sctp", "ipv4", "ipv6", "gre", "mpls"];

/// Parses a script. `file` is the file name for error messages.
///
/// # Errors
///
/// Returns the first place with invalid syntax.
pub fn parse(file: &str, text: &str) -> Result<Script, ParseError> {
    let mut c = Cursor::new(file, text, ScriptPosition { line: 1, column: 1 });
    let mut script = Script::default();
    loop {
        c.skip_whitespace_and_comments()?;
        if c.is_done() {
            return Ok(script);
        }
        if c.take_literal("--") {
            script.options.push(option(&mut c)?);
            continue;
        }
        let place = c.position();
        // A command without a time stamp precedes all events with a time stamp, or follows the previous
        // event.
        let (when, blocks) =
            if c.peek() == Some('`') { (EventTime::After(0), None) } else { event_times(&mut c)? };
        c.skip_whitespace_and_comments()?;
        let action = action(&mut c, blocks)?;
        script.events.push(Event { position: place, time: when, action });
    }
}

fn option(c: &mut Cursor<'_>) -> Result<(String, String), ParseError> {
    let name = c.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-').to_owned();
    if name.is_empty() {
        return Err(c.error("the name of an option"));
    }
    c.skip_blanks();
    let value = if c.take_literal("=") { c.take_while(|c| c != '\n') } else { "" };
    let value = value.split("//").next().unwrap_or("").trim();
    Ok((name, value.to_owned()))
}

/// Reads the time of an event, and the blocking time of a call.
fn event_times(c: &mut Cursor<'_>) -> Result<(EventTime, Option<i64>), ParseError> {
    if c.take_literal("*") {
        return Ok((EventTime::Any, None));
    }
    let relative = c.take_literal("+");
    let first = seconds(c)?;
    c.skip_blanks();
    if c.take_literal("~") {
        c.skip_blanks();
        c.take_literal("+");
        let last = seconds(c)?;
        let range =
            if relative { EventTime::BetweenAfter(first, last) } else { EventTime::Between(first, last) };
        return Ok((range, None));
    }
    let when = if relative { EventTime::After(first) } else { EventTime::At(first) };
    if !c.take_literal("...") {
        return Ok((when, None));
    }
    c.skip_blanks();
    c.take_literal("+");
    let end = seconds(c)?;
    Ok((when, Some(end - first)))
}

/// Reads a time in seconds, and returns nanoseconds.
fn seconds(c: &mut Cursor<'_>) -> Result<i64, ParseError> {
    c.skip_blanks();
    let before = c.clone();
    let whole = c.take_while(|c| c.is_ascii_digit());
    let has_fraction = c.rest().starts_with('.') && !c.rest().starts_with("..");
    let fraction = if has_fraction {
        c.skip(1);
        c.take_while(|c| c.is_ascii_digit())
    } else {
        ""
    };
    let nanos: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let parsed = (!whole.is_empty() || !fraction.is_empty()).then_some(()).and_then(|()| {
        let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        whole.checked_mul(1_000_000_000)?.checked_add(nanos.parse().ok()?)
    });
    parsed.ok_or_else(|| before.error("a time in seconds"))
}

fn action(c: &mut Cursor<'_>, blocks: Option<i64>) -> Result<Action, ParseError> {
    if c.take_literal("`") {
        return Ok(Action::Command(c.take_until("`")?.to_owned()));
    }
    if c.take_literal("%{") {
        let place = c.position();
        let text = c.take_until("}%")?;
        return Ok(Action::Code(code::parse(&mut Cursor::new(c.file(), text, place))?));
    }
    let inbound = c.take_literal("<");
    if !inbound && !c.take_literal(">") {
        return Ok(Action::Call(call::parse(c, blocks)?));
    }
    c.skip_blanks();
    if is_foreign(c.clone()) || has_any_numbers(c.clone()) {
        return Ok(Action::Foreign(foreign_packet(c)?));
    }
    let segment = segment::parse(c)?;
    // FreeBSD's runner supports TCP over UDP, and numbers that are not compared.
    if c.rest().starts_with("/udp") || c.rest().starts_with('!') {
        return Ok(Action::Foreign(format!("tcp {}", c.read_statement())));
    }
    Ok(if inbound { Action::Inbound(segment) } else { Action::Outbound(segment) })
}

/// True if the next packet belongs to another protocol. An ICMP packet may begin with quoted sequence numbers
/// in brackets.
fn is_foreign(mut c: Cursor<'_>) -> bool {
    if c.take_literal("[") && c.take_until("]").is_err() {
        return false;
    }
    c.skip_blanks();
    c.read_word().is_some_and(|word| FOREIGN_PROTOCOLS.contains(&word))
}

/// True if the next segment has wildcard sequence numbers, `. 0:...(0)`, as in FreeBSD's runner.
fn has_any_numbers(mut c: Cursor<'_>) -> bool {
    c.read_statement().split('(').next().is_some_and(|numbers| numbers.contains("..."))
}

/// Reads a packet of another protocol as text. SCTP chunks are on separate lines, separated by semicolons.
fn foreign_packet(c: &mut Cursor<'_>) -> Result<String, ParseError> {
    if c.take_literal("[") {
        c.take_until("]")?;
        c.skip_blanks();
    }
    let mut text = c.read_statement();
    while text.ends_with(';') {
        c.skip_whitespace_and_comments()?;
        text.push_str(&c.read_statement());
    }
    Ok(text)
}
