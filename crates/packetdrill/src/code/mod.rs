//! Statements about `tcp_info` between `%{` and `}%`. They form a subset of Python.
//!
//! The subset contains assertions, assignments and `print`, with numbers, comparisons, `and`, `or`, `not` and
//! arithmetic.

mod evaluate;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use evaluate::{ConditionResult, ScriptVariables};
pub(crate) use read::parse;

use crate::cursor::ScriptPosition;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `assert condition, message`.
    Assert {
        /// Position in the script.
        place: ScriptPosition,
        /// The condition.
        condition: Expression,
        /// Source text of the condition.
        text: String,
    },
    /// `name = value`.
    Assign {
        /// Name of the variable.
        name: String,
        /// New value.
        value: Expression,
    },
    /// Statement without effect: `print(…)`.
    Nothing,
    /// Unsupported statement. It is reported as skipped.
    Unknown {
        /// Position in the script.
        place: ScriptPosition,
        /// Source text of the statement.
        text: String,
    },
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// String, which has no numeric value.
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
    /// Arithmetic such as `x + y`.
    Arithmetic(Operator, Box<Expression>, Box<Expression>),
    /// Chained comparison such as `x < y <= z`, true if each pair is true.
    Compare(Box<Expression>, Vec<(Relation, Expression)>),
    /// Function such as `abs(x)` or `min(x, y)`.
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
