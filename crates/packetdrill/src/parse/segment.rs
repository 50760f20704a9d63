//! Parser of a TCP segment: `[ect0] P. 1:1001(1000) ack 1 win 257 <TS val 100 ecr 200,nop,nop>`.

use crate::cursor::{Cursor, ParseError};
use crate::script::{EcnField, Flags, Segment, TcpOption};

pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Segment, ParseError> {
    let mut segment = Segment { options: Some(Vec::new()), ..Segment::default() };
    ip_header(c, &mut segment)?;
    segment.flags = flags(c)?;
    c.skip_blanks();
    segment.seq = c.read_number()?;
    c.skip_blanks();
    c.expect_literal(":")?;
    let before = c.clone();
    let end: u32 = c.read_number()?;
    c.skip_blanks();
    c.expect_literal("(")?;
    segment.payload_bytes = c.read_number()?;
    c.skip_blanks();
    c.expect_literal(")")?;
    if segment.end_seq() != end {
        let says =
            format!("{}:{end} and a length of {} contradict each other", segment.seq, segment.payload_bytes);
        return Err(before.error_at(before.position(), says));
    }
    loop {
        c.skip_blanks();
        let before = c.clone();
        match c.read_word() {
            Some("ack") => segment.ack = Some(c.read_number()?),
            Some("win") => segment.window = Some(c.read_number()?),
            Some("urg") => segment.flags.urg |= c.read_number::<u32>().is_ok(),
            Some(_) => return Err(before.error("`ack`, `win`, `urg` or `<`")),
            None => break,
        }
    }
    if c.take_literal("<") {
        segment.options = options(c)?;
    }
    c.skip_blanks();
    Ok(segment)
}

/// Reads IP header fields such as `[ect0]` or `(ttl 64)`. Stores the ECN field, and skips all other fields.
fn ip_header(c: &mut Cursor<'_>, segment: &mut Segment) -> Result<(), ParseError> {
    loop {
        c.skip_blanks();
        let text = if c.take_literal("[") {
            c.take_until("]")?
        } else if c.take_literal("(") {
            c.take_until(")")?
        } else {
            return Ok(());
        };
        segment.ecn = match text.trim() {
            "noecn" => Some(EcnField::NotEct),
            "ect0" => Some(EcnField::Ect0),
            "ect1" => Some(EcnField::Ect1),
            "ect01" => Some(EcnField::Ect),
            "ce" => Some(EcnField::Ce),
            _ => segment.ecn,
        };
    }
}

fn flags(c: &mut Cursor<'_>) -> Result<Flags, ParseError> {
    let before = c.clone();
    let mut flags = Flags::default();
    let letters = c.take_while(|c| !c.is_whitespace());
    for letter in letters.chars() {
        match letter {
            'F' => flags.fin = true,
            'S' => flags.syn = true,
            'R' => flags.rst = true,
            'P' => flags.psh = true,
            '.' => flags.ack = true,
            'U' => flags.urg = true,
            'E' => flags.ece = true,
            'W' | 'C' => flags.cwr = true,
            'A' | 'N' | '0'..='7' => flags.accurate_ecn = true,
            '-' => {}
            _ => return Err(before.error("the flags of a TCP segment (F S R P . U E W)")),
        }
    }
    Ok(flags)
}

/// Reads the TCP options up to `>`; `None` for `...`.
fn options(c: &mut Cursor<'_>) -> Result<Option<Vec<TcpOption>>, ParseError> {
    let (mut options, mut any) = (Vec::new(), false);
    loop {
        c.skip_whitespace_and_comments()?;
        if c.take_literal(">") {
            return Ok((!any).then_some(options));
        }
        if c.take_literal("...") {
            any = true;
        } else if !c.take_literal(",") {
            options.push(option(c)?);
        }
    }
}

fn option(c: &mut Cursor<'_>) -> Result<TcpOption, ParseError> {
    let before = c.clone();
    Ok(match c.read_word() {
        Some("nop") => TcpOption::Nop,
        Some("eol") => TcpOption::End,
        // An MSS given by name belongs to an encapsulation.
        Some("mss") if c.rest().trim_start().starts_with(|c: char| c.is_ascii_digit()) => {
            TcpOption::Mss(c.read_number()?)
        }
        Some("wscale") => TcpOption::Scale(c.read_number()?),
        Some("sackOK") => TcpOption::SackPermitted,
        Some("sack") => TcpOption::Sack(blocks(c)?),
        Some("TS") => {
            let mut field = |name: &str| {
                c.skip_blanks();
                c.expect_literal(name)?;
                c.read_number()
            };
            TcpOption::Timestamps(field("val")?, field("ecr")?)
        }
        Some(_) => {
            *c = before;
            TcpOption::Other(c.take_while(|c| c != ',' && c != '>' && c != '\n').trim().to_owned())
        }
        None => return Err(before.error("the name of a TCP option")),
    })
}

fn blocks(c: &mut Cursor<'_>) -> Result<Vec<(u32, u32)>, ParseError> {
    let mut blocks = Vec::new();
    loop {
        c.skip_blanks();
        if !c.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Ok(blocks);
        }
        let start = c.read_number()?;
        c.expect_literal(":")?;
        blocks.push((start, c.read_number()?));
    }
}
