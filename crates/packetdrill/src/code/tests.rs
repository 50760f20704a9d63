//! Tests that statements have the same meaning as in Python.

use super::{ConditionResult, ScriptVariables, Statement, parse};
use crate::cursor::{Cursor, ScriptPosition};

fn run(text: &str) -> Vec<ConditionResult> {
    let names = |name: &str| match name {
        "tcpi_snd_cwnd" => Some(10.0),
        "tcpi_lost" => Some(2.0),
        _ => None,
    };
    let origin = ScriptPosition { line: 1, column: 1 };
    let statements = parse(&mut Cursor::new("x.pkt", text, origin)).unwrap_or_else(|e| panic!("{e}"));
    let (mut memory, mut held) = (ScriptVariables::default(), Vec::new());
    for statement in statements {
        match statement {
            Statement::Assert { condition, .. } => held.push(memory.evaluate_condition(&condition, &names)),
            Statement::Assign { name, value } => memory.assign(&name, &value, &names).expect("a value"),
            Statement::Nothing | Statement::Unknown { .. } => {}
        }
    }
    held
}

#[test]
fn assertions_are_evaluated_as_in_python() {
    let holding = "
        # a comment
        print(tcpi_snd_cwnd); cwnd = 4; cwnd += 2 * 3
        assert tcpi_snd_cwnd == cwnd, 'cwnd=%d' % tcpi_snd_cwnd
        assert 9 < tcpi_snd_cwnd <= 10 and not tcpi_lost == 3, tcpi_lost
        assert (tcpi_lost & 2) != 0 or no_such_name
        assert 7 // 2 == 3 and -7 % 4 == 1 and 0x10 == 16
        assert abs(-3) == 3, (1,
            2)
        assert tcpi_lost - 1 == TCP_CA_Disorder
    ";
    assert_eq!(run(holding), vec![ConditionResult::True; 6]);
}

#[test]
fn a_false_assertion_reports_the_values_of_its_variables() {
    let expected = ConditionResult::False("tcpi_snd_cwnd is 10, tcpi_lost is 2".into());
    assert_eq!(run("assert tcpi_snd_cwnd == 9 + tcpi_lost"), [expected]);
}

#[test]
fn an_undefined_variable_is_reported() {
    assert_eq!(run("assert tcpi_reordering == 3"), [ConditionResult::Unknown("tcpi_reordering".into())]);
}

#[test]
fn a_syntax_error_has_line_and_column() {
    let origin = ScriptPosition { line: 7, column: 5 };
    let error = parse(&mut Cursor::new("x.pkt", "a = 1\nassert a ==", origin)).unwrap_err();
    assert_eq!(error.to_string(), "x.pkt:8:12: expected an operand, found the end of the line");
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = format!("assert {}1{}", "(".repeat(200), ")".repeat(200));
    let origin = ScriptPosition { line: 1, column: 1 };
    assert!(parse(&mut Cursor::new("x.pkt", &deep, origin)).is_err());
    assert!(parse(&mut Cursor::new("x.pkt", &format!("assert {}1", "-".repeat(200)), origin)).is_err());
}
