//! Statements about `tcp_info` between `%{` and `}%`: the part of Python that scripts use in them.
//!
//! Assertions, assignments and `print`, with numbers, comparisons, `and`, `or`, `not` and arithmetic.

mod evaluate;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use evaluate::{Held, Memory};
pub(crate) use read::parse;

use crate::cursor::Place;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `assert condition, message`: the condition with its text.
    Assert {
        /// Position in the script.
        place: Place,
        /// The condition.
        condition: Expression,
        /// The condition as it was written.
        text: String,
    },
    /// `name = value`.
    Assign {
        /// The variable.
        name: String,
        /// New value.
        value: Expression,
    },
    /// An expression for its effect, of which there is none here: `print(…)`.
    Nothing,
    /// A statement that is not evaluated, with its text.
    Unknown {
        /// Position in the script.
        place: Place,
        /// As it was written.
        text: String,
    },
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// A string, which no number comes of.
    Text,
    /// A variable, a member of `tcp_info`, or a constant of the system's headers.
    Name(String),
    /// `not x`.
    Not(Box<Expression>),
    /// `-x`.
    Negative(Box<Expression>),
    /// `x and y`.
    And(Box<Expression>, Box<Expression>),
    /// `x or y`.
    Or(Box<Expression>, Box<Expression>),
    /// `x + y` and its like.
    Arithmetic(Operator, Box<Expression>, Box<Expression>),
    /// `x < y <= z`: each pair holds.
    Compare(Box<Expression>, Vec<(Relation, Expression)>),
    /// `abs(x)`, `min(x, y)` and their like.
    Apply(String, Vec<Expression>),
}

/// An operator of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names of arithmetic
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `//`.
    Floor,
    Remainder,
    BitAnd,
    BitOr,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names of arithmetic
pub enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
