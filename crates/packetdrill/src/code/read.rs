//! Parser of statements and expressions.

use super::{Expression, Operator, Relation, Statement};
use crate::cursor::{Cursor, ParseError};

/// Maximum nesting depth of brackets and signs.
const MAX_NESTING_DEPTH: usize = 64;

/// Reads the text between `%{` and `}%`.
pub(crate) fn parse(c: &mut Cursor<'_>) -> Result<Vec<Statement>, ParseError> {
    let mut statements = Vec::new();
    loop {
        skip_whitespace_and_comments(c);
        if c.is_done() {
            return Ok(statements);
        }
        if !c.take_literal(";") {
            statements.push(statement(c)?);
        }
    }
}

/// Skips blanks, ends of lines and comments.
fn skip_whitespace_and_comments(c: &mut Cursor<'_>) {
    loop {
        c.take_while(|c| c.is_whitespace() || c == '\\');
        if !c.rest().starts_with('#') {
            return;
        }
        c.take_while(|c| c != '\n');
    }
}

fn statement(c: &mut Cursor<'_>) -> Result<Statement, ParseError> {
    let (place, before) = (c.position(), c.clone());
    match c.read_word() {
        Some("assert") => {
            skip_blanks(c);
            let start = c.rest();
            let condition = expression(c, 0)?;
            let text = start[..start.len() - c.rest().len()].trim().to_owned();
            skip_blanks(c);
            if c.take_literal(",") {
                skip_blanks(c);
                expression(c, 0)?;
            }
            end(c)?;
            Ok(Statement::Assert { place, condition, text })
        }
        Some("if" | "else" | "elif" | "for" | "while" | "def" | "import" | "from" | "try" | "with") => {
            let text = before.rest().lines().next().unwrap_or("").trim().to_owned();
            c.take_while(|_| true); // a block ends at the end of the text
            Ok(Statement::Unknown { place, text })
        }
        Some(name) => {
            let name = name.to_owned();
            skip_blanks(c);
            if let Some(operator) = augmented(c) {
                let (old, by) = (Expression::Name(name.clone()), expression(c, 0)?);
                end(c)?;
                let value = Expression::Arithmetic(operator, Box::new(old), Box::new(by));
                return Ok(Statement::Assign { name, value });
            }
            if c.rest().starts_with('=') && !c.rest().starts_with("==") {
                c.skip(1);
                let value = expression(c, 0)?;
                end(c)?;
                return Ok(Statement::Assign { name, value });
            }
            *c = before;
            expression(c, 0)?;
            end(c)?;
            Ok(Statement::Nothing)
        }
        None => Err(c.error("a statement")),
    }
}

fn augmented(c: &mut Cursor<'_>) -> Option<Operator> {
    let operators = [("+=", Operator::Add), ("-=", Operator::Subtract), ("*=", Operator::Multiply)];
    operators.into_iter().find_map(|(text, operator)| c.take_literal(text).then_some(operator))
}

/// Reads the end of a statement: the end of its line, or a semicolon.
fn end(c: &mut Cursor<'_>) -> Result<(), ParseError> {
    skip_blanks(c);
    match c.peek() {
        None | Some('\n' | ';' | '#') => Ok(()),
        Some(_) => Err(c.error("the end of the statement")),
    }
}

/// Skips blanks within an expression, and a backslash that continues the line.
fn skip_blanks(c: &mut Cursor<'_>) {
    c.skip_blanks();
    if c.take_literal("\\") {
        c.take_while(char::is_whitespace);
    }
}

fn expression(c: &mut Cursor<'_>, depth: usize) -> Result<Expression, ParseError> {
    if depth > MAX_NESTING_DEPTH {
        return Err(c.error("brackets that are nested less deeply"));
    }
    let mut left = conjunction(c, depth)?;
    while keyword(c, "or") {
        left = Expression::Or(Box::new(left), Box::new(conjunction(c, depth)?));
    }
    Ok(left)
}

fn conjunction(c: &mut Cursor<'_>, depth: usize) -> Result<Expression, ParseError> {
    let mut left = negation(c, depth)?;
    while keyword(c, "and") {
        left = Expression::And(Box::new(left), Box::new(negation(c, depth)?));
    }
    Ok(left)
}

fn negation(c: &mut Cursor<'_>, depth: usize) -> Result<Expression, ParseError> {
    if depth > MAX_NESTING_DEPTH {
        return Err(c.error("fewer `not`"));
    }
    match keyword(c, "not") {
        true => Ok(Expression::Not(Box::new(negation(c, depth + 1)?))),
        false => comparison(c, depth),
    }
}

/// Skips a keyword if it comes next.
fn keyword(c: &mut Cursor<'_>, word: &str) -> bool {
    skip_blanks(c);
    let mut ahead = c.clone();
    let found = ahead.read_word() == Some(word);
    if found {
        *c = ahead;
    }
    found
}

fn comparison(c: &mut Cursor<'_>, depth: usize) -> Result<Expression, ParseError> {
    let first = sum(c, depth)?;
    let mut rest = Vec::new();
    loop {
        skip_blanks(c);
        let relations = [
            ("==", Relation::Equal),
            ("!=", Relation::Unequal),
            ("<=", Relation::LessOrEqual),
            (">=", Relation::GreaterOrEqual),
            ("<", Relation::Less),
            (">", Relation::Greater),
        ];
        match relations.into_iter().find(|(text, _)| c.take_literal(text)) {
            Some((_, relation)) => rest.push((relation, sum(c, depth)?)),
            None if rest.is_empty() => return Ok(first),
            None => return Ok(Expression::Compare(Box::new(first), rest)),
        }
    }
}

fn sum(c: &mut Cursor<'_>, depth: usize) -> Result<Expression, ParseError> {
    let operators =
        [("+", Operator::Add), ("-", Operator::Subtract), ("&", Operator::BitAnd), ("|", Operator::BitOr)];
    chain(c, depth, &operators, product)
}

fn product(c: &mut Cursor<'_>, depth: usize) -> Result<Expression, ParseError> {
    let operators = [
        ("*", Operator::Multiply),
        ("//", Operator::Floor),
        ("/", Operator::Divide),
        ("%", Operator::Remainder),
    ];
    chain(c, depth, &operators, operand)
}

type OperandParser = fn(&mut Cursor<'_>, usize) -> Result<Expression, ParseError>;

/// Reads operands joined by left-associative operators of equal precedence.
fn chain(
    c: &mut Cursor<'_>,
    depth: usize,
    operators: &[(&str, Operator)],
    operand: OperandParser,
) -> Result<Expression, ParseError> {
    let mut left = operand(c, depth)?;
    loop {
        skip_blanks(c);
        match operators.iter().find(|(text, _)| c.take_literal(text)) {
            Some((_, operator)) => {
                left = Expression::Arithmetic(*operator, Box::new(left), Box::new(operand(c, depth)?));
            }
            None => return Ok(left),
        }
    }
}

fn operand(c: &mut Cursor<'_>, depth: usize) -> Result<Expression, ParseError> {
    if depth > MAX_NESTING_DEPTH {
        return Err(c.error("fewer signs"));
    }
    skip_blanks(c);
    if c.take_literal("-") {
        return Ok(Expression::Negative(Box::new(operand(c, depth + 1)?)));
    }
    if c.take_literal("(") {
        let mut inner = list(c, depth)?;
        return Ok(if inner.len() == 1 { inner.remove(0) } else { Expression::Text });
    }
    for quote in ["'", "\""] {
        if c.take_literal(quote) {
            c.take_until(quote)?;
            return Ok(Expression::Text);
        }
    }
    if let Some(word) = c.read_word() {
        let word = word.to_owned();
        return Ok(match c.take_literal("(") {
            true => Expression::Apply(word, list(c, depth)?),
            false => Expression::Name(word),
        });
    }
    number(c)
}

fn number(c: &mut Cursor<'_>) -> Result<Expression, ParseError> {
    if c.rest().starts_with("0x") {
        return Ok(Expression::Number(c.read_integer()? as f64));
    }
    let before = c.clone();
    let digits = c.take_while(|c| c.is_ascii_digit() || c == '.');
    let number = digits.parse().map_err(|_| before.error("an operand"))?;
    Ok(Expression::Number(number))
}

/// Reads expressions up to the closing bracket. Line breaks are permitted within the brackets.
fn list(c: &mut Cursor<'_>, depth: usize) -> Result<Vec<Expression>, ParseError> {
    let mut members = Vec::new();
    loop {
        skip_whitespace_and_comments(c);
        if c.take_literal(")") {
            return Ok(members);
        }
        if !members.is_empty() {
            c.expect_literal(",")?;
            skip_whitespace_and_comments(c);
        }
        members.push(expression(c, depth + 1)?);
        skip_whitespace_and_comments(c);
    }
}
