//! The parser accepts packetdrill's language, and reports the place at which a text is invalid.

use airhop_packetdrill::parse;
use airhop_packetdrill::script::{Action, Call, EcnField, Event, EventTime, Script, TcpOption, Value};

fn read(text: &str) -> Script {
    parse("x.pkt", text).unwrap_or_else(|error| panic!("{error}"))
}

fn only(text: &str) -> Event {
    let script = read(text);
    assert_eq!(script.events.len(), 1, "{text}");
    script.events.into_iter().next().expect("an event")
}

fn call(text: &str) -> Call {
    match only(text).action {
        Action::Call(call) => call,
        other => panic!("{other:?}"),
    }
}

fn error(text: &str) -> String {
    parse("x.pkt", text).expect_err("no script").to_string()
}

#[test]
fn script_times_are_read_in_nanoseconds() {
    let when = |stamp: &str| only(&format!("{stamp} close(3) = 0")).time;
    assert_eq!(when("0"), EventTime::At(0));
    assert_eq!(when("1.000001"), EventTime::At(1_000_001_000));
    assert_eq!(when("+.25"), EventTime::After(250_000_000));
    assert_eq!(when("+0.1~+0.2"), EventTime::BetweenAfter(100_000_000, 200_000_000));
    assert_eq!(when(".1~.2"), EventTime::Between(100_000_000, 200_000_000));
    assert_eq!(when("*"), EventTime::Any);
}

#[test]
fn a_blocking_call_has_a_duration() {
    assert_eq!(call("0.1...0.35 read(3, ..., 10) = 10").blocking_ns, Some(250_000_000));
    assert_eq!(call("+0...0.1 accept(3, ..., ...) = 4").blocking_ns, Some(100_000_000));
    assert_eq!(call("+0 accept(3, ..., ...) = 4").blocking_ns, None);
}

#[test]
fn a_segment_has_flags_numbers_and_options() {
    let text = "+0 < [ce] PEW. 1:1001(1000) ack 5 win 257 <sack 2001:3001 4001:5001,TS val 7 ecr 9,nop,nop>";
    let Action::Inbound(segment) = only(text).action else { panic!("no segment of the peer") };
    assert_eq!(segment.ecn, Some(EcnField::Ce));
    assert!(segment.flags.psh && segment.flags.ece && segment.flags.cwr && segment.flags.ack);
    assert!(!segment.flags.syn && !segment.flags.fin && !segment.flags.rst);
    assert_eq!(
        (segment.seq, segment.payload_bytes, segment.ack, segment.window),
        (1, 1000, Some(5), Some(257))
    );
    assert_eq!(segment.timestamps(), Some((7, 9)));
    assert_eq!(segment.sack_blocks(), [(2001, 3001), (4001, 5001)]);
    let Action::Outbound(syn) = only("0 > S 0:0(0) <mss 1460,sackOK,eol,wscale 8,FO 0a>").action else {
        panic!("no segment of the stack")
    };
    assert_eq!((syn.mss(), syn.window_scale(), syn.permits_sack()), (Some(1460), Some(8), true));
    assert!(syn.specified_options().any(|option| *option == TcpOption::Other("FO 0a".into())));
    let Action::Outbound(any) = only("0 > . 1:1(0) ack 1 <...>").action else { panic!("no segment") };
    assert_eq!(any.options, None);
}

/// The text of a segment is valid in a script.
#[test]
fn a_printed_segment_is_valid_script_text() {
    for text in [
        "[ect0] P. 1:1001(1000) ack 1 win 5 <TS val 1 ecr 2,nop,nop>",
        "S 0:0(0) win 100 <mss 1000,sackOK,wscale 7,eol>",
        "F. 1:1(0) ack 3 <...>",
        ". 1:1(0) ack 9 <sack 10:11 12:13>",
    ] {
        let Action::Inbound(segment) = only(&format!("0 < {text}")).action else { panic!("no segment") };
        assert_eq!(segment.to_string(), text);
    }
}

#[test]
fn system_calls_have_arguments_of_every_kind() {
    let option = call("+0 setsockopt(4, SOL_TCP, TCP_CONGESTION, [\"reno\"], 4) = -1 ENOENT (No such file)");
    assert_eq!(option.name, "setsockopt");
    assert_eq!((option.argument_number(0), option.argument_text(3)), (Some(4), Some("reno")));
    assert_eq!((option.result, option.error.as_deref()), (Some(-1), Some("ENOENT")));
    let flags = call("0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0x2 (flags O_RDWR)");
    assert_eq!(flags.argument_words(2).collect::<Vec<_>>(), ["O_RDWR", "O_NONBLOCK"]);
    assert_eq!(flags.result, Some(2));
    let message =
        call("0 sendmsg(4, {msg_name(...)=...,\n  msg_iov(1)=[{..., 10}], msg_flags=0}, MSG_MORE) = 10");
    let Value::Members(members) = &message.arguments[1] else { panic!("no members") };
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["msg_name", "msg_iov", "msg_flags"]);
    let address = call("0 bind(3, {sa_family = AF_INET, sin_port = htons(8080), ...}, ...) = 0");
    assert_eq!(address.arguments.len(), 3);
}

#[test]
fn options_comments_commands_and_code_are_read() {
    let script = read(
        "// a comment\n--tolerance_usecs=10000 // more\n`sysctl -q a=1\nsysctl b`\n/* more */ # and more\n\
         +0 `true`\n+0 %{ assert tcpi_snd_cwnd == 10, 'x' }%\n+0 > icmp unreachable frag_needed mtu 1200\n\
         +0 < sctp: INIT[flgs=0];\n   DATA[len=1]\n",
    );
    assert_eq!(script.option("tolerance_usecs"), Some("10000"));
    let lines: Vec<usize> = script.events.iter().map(|event| event.position.line).collect();
    assert_eq!(lines, [3, 6, 7, 8, 9]);
    assert!(matches!(&script.events[0].action, Action::Command(text) if text.ends_with("sysctl b")));
    assert!(matches!(&script.events[2].action, Action::Code(statements) if statements.len() == 1));
    assert!(matches!(&script.events[3].action, Action::Foreign(_)));
    assert!(matches!(&script.events[4].action, Action::Foreign(text) if text.contains("DATA")));
}

#[test]
fn script_errors_name_file_line_and_column() {
    assert_eq!(error("0 close(3) = 0\n+0 < . 1:1(0) ack x"), "x.pkt:2:19: expected a number, found `x`");
    assert_eq!(
        error("+0 > . 1:1001(10) ack 1"),
        "x.pkt:1:10: 1:1001 and a length of 10 contradict each other"
    );
    assert_eq!(
        error("+0 > Q 1:1(0)"),
        "x.pkt:1:6: expected the flags of a TCP segment (F S R P . U E W), found `Q 1:1(0)`"
    );
    assert_eq!(error("hello"), "x.pkt:1:1: expected a time in seconds, found `hello`");
    assert_eq!(error("0 close(3"), "x.pkt:1:10: expected `,`, found the end of the line");
    assert_eq!(
        error("0 `sysctl"),
        "x.pkt:1:4: expected a `` ` `` further on, found `sysctl`".replace("`` ` ``", "```")
    );
    assert_eq!(error("+0 %{ assert (1 }%"), "x.pkt:1:17: expected `,`, found the end of the line");
    assert_eq!(
        error("0 < . 1:1(0) win 99999999999"),
        "x.pkt:1:18: expected a smaller number, found `99999999999`"
    );
}

/// No text causes a panic of the parser: each prefix of a script, and each script with one changed letter.
#[test]
fn the_parser_panics_on_no_text() {
    let text = "--x=1\n`a`\n+.1 < [ce] S 0:0(0) ack 1 win 9 <mss 5,TS val 1 ecr 2,sack 1:2>\n0...1 f(3, {a(1)=[\"b\"]}) = -1 E (x)\n\
                * %{ a += 1; assert not (a - 0x1f) < 2, 'ü' }%\n/* ü */";
    for (at, _) in text.char_indices() {
        let _ = parse("x.pkt", &text[..at]);
        for letter in ["", "(", "9", "ü", "\n", "-", "."] {
            let rest = &text[at..];
            let rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
            let _ = parse("x.pkt", &format!("{}{letter}{rest}", &text[..at]));
        }
    }
}
