//! Evaluation of statements.

use super::{Expression, Operator, Relation};
use std::collections::HashMap;

/// Result of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ConditionResult {
    /// True.
    True,
    /// False. The text has the names in the condition and their values.
    False(String),
    /// Undecided, because this name in the condition has no value.
    Unknown(String),
}

/// Variables of a script. All other names refer to members of `tcp_info` or to constants.
#[derive(Debug, Default)]
pub(crate) struct ScriptVariables {
    variables: HashMap<String, f64>,
}

/// Function that returns the value of a member of `tcp_info`; `None` if the stack has no such value.
pub(crate) type TcpInfoLookup<'a> = &'a dyn Fn(&str) -> Option<f64>;

impl ScriptVariables {
    /// Sets a variable to the value of an expression. If a name in the expression has no value, the error is
    /// the first such name.
    pub(crate) fn assign(
        &mut self,
        name: &str,
        value: &Expression,
        names: TcpInfoLookup<'_>,
    ) -> Result<(), String> {
        let value = self.evaluate(value, names)?;
        self.variables.insert(name.to_owned(), value);
        Ok(())
    }

    /// Evaluates a condition.
    pub(crate) fn evaluate_condition(
        &self,
        condition: &Expression,
        names: TcpInfoLookup<'_>,
    ) -> ConditionResult {
        match self.evaluate(condition, names) {
            Ok(0.0) => ConditionResult::False(self.values_of(condition, names)),
            Ok(_) => ConditionResult::True,
            Err(name) => ConditionResult::Unknown(name),
        }
    }

    /// Returns the names of an expression with their values.
    fn values_of(&self, expression: &Expression, names: TcpInfoLookup<'_>) -> String {
        let mut found = Vec::new();
        collect(expression, &mut found);
        found.dedup();
        let told = found.iter().filter_map(|name| Some(format!("{name} is {}", self.named(name, names)?)));
        told.collect::<Vec<_>>().join(", ")
    }

    fn named(&self, name: &str, names: TcpInfoLookup<'_>) -> Option<f64> {
        self.variables.get(name).copied().or_else(|| names(name)).or_else(|| constant(name))
    }

    /// Returns the value of an expression. If a name in the expression has no value, the error is the first
    /// such name.
    fn evaluate(&self, expression: &Expression, names: TcpInfoLookup<'_>) -> Result<f64, String> {
        let value = |expression: &Expression| self.evaluate(expression, names);
        let truth = |holds: bool| f64::from(u8::from(holds));
        Ok(match expression {
            Expression::Number(number) => *number,
            Expression::Text => return Err("a string".into()),
            Expression::Name(name) => self.named(name, names).ok_or_else(|| name.clone())?,
            Expression::Not(inner) => truth(value(inner)? == 0.0),
            Expression::Negative(inner) => -value(inner)?,
            Expression::And(one, other) => {
                let first = value(one)?;
                if first == 0.0 { first } else { value(other)? }
            }
            Expression::Or(one, other) => {
                let first = value(one)?;
                if first == 0.0 { value(other)? } else { first }
            }
            Expression::Arithmetic(operator, one, other) => arithmetic(*operator, value(one)?, value(other)?),
            Expression::Compare(first, rest) => {
                let mut left = value(first)?;
                for (relation, right) in rest {
                    let right = value(right)?;
                    if !compare(*relation, left, right) {
                        return Ok(0.0);
                    }
                    left = right;
                }
                1.0
            }
            Expression::Apply(name, arguments) => {
                let arguments: Vec<f64> = arguments.iter().map(value).collect::<Result<_, _>>()?;
                apply(name, &arguments).ok_or_else(|| format!("{name}()"))?
            }
        })
    }
}

fn arithmetic(operator: Operator, one: f64, other: f64) -> f64 {
    match operator {
        Operator::Add => one + other,
        Operator::Subtract => one - other,
        Operator::Multiply => one * other,
        Operator::Divide => one / other,
        Operator::Floor => (one / other).floor(),
        Operator::Remainder => one - other * (one / other).floor(),
        Operator::BitAnd => (one as i64 & other as i64) as f64,
        Operator::BitOr => (one as i64 | other as i64) as f64,
    }
}

fn compare(relation: Relation, one: f64, other: f64) -> bool {
    match relation {
        Relation::Equal => one == other,
        Relation::Unequal => one != other,
        Relation::Less => one < other,
        Relation::LessOrEqual => one <= other,
        Relation::Greater => one > other,
        Relation::GreaterOrEqual => one >= other,
    }
}

fn apply(name: &str, arguments: &[f64]) -> Option<f64> {
    match (name, arguments) {
        ("abs", [x]) => Some(x.abs()),
        ("int", [x]) => Some(x.trunc()),
        ("min", [first, rest @ ..]) => Some(rest.iter().fold(*first, |least, x| least.min(*x))),
        ("max", [first, rest @ ..]) => Some(rest.iter().fold(*first, |most, x| most.max(*x))),
        _ => None,
    }
}

/// Returns a constant of Python or `linux/tcp.h`; `None` for other names. The constants are
/// congestion-avoidance states and bits of `tcpi_options`.
fn constant(name: &str) -> Option<f64> {
    Some(match name {
        "TCP_CA_Open" | "False" => 0.0,
        "TCP_CA_Disorder" | "True" | "TCP_ESTABLISHED" | "TCPI_OPT_TIMESTAMPS" => 1.0,
        "TCP_CA_CWR" | "TCPI_OPT_SACK" => 2.0,
        "TCP_CA_Recovery" => 3.0,
        "TCP_CA_Loss" | "TCPI_OPT_WSCALE" => 4.0,
        "TCP_CLOSE" => 7.0,
        "TCP_CLOSE_WAIT" | "TCPI_OPT_ECN" => 8.0,
        "TCPI_OPT_ECN_SEEN" => 16.0,
        "TCPI_OPT_SYN_DATA" => 32.0,
        "TCP_INFINITE_SSTHRESH" => 2_147_483_647.0,
        _ => return None,
    })
}

fn collect(expression: &Expression, found: &mut Vec<String>) {
    match expression {
        Expression::Number(_) | Expression::Text => {}
        Expression::Name(name) => found.push(name.clone()),
        Expression::Not(inner) | Expression::Negative(inner) => collect(inner, found),
        Expression::And(one, other) | Expression::Or(one, other) | Expression::Arithmetic(_, one, other) => {
            collect(one, found);
            collect(other, found);
        }
        Expression::Compare(first, rest) => {
            collect(first, found);
            rest.iter().for_each(|(_, right)| collect(right, found));
        }
        Expression::Apply(_, arguments) => arguments.iter().for_each(|x| collect(x, found)),
    }
}
