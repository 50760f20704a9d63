//! The keys of `errors = { … }`.

use super::Without::{Derived, Nothing, Required, Value};
use super::{Choice, Key, Kind, Variant, key};
use airhop_radio::errors::{Sojourn, Start};

const DIRECTION: Key = key(
    "direction",
    Kind::Direction,
    Nothing("both directions"),
    "one direction only, \"a->b\"; on a wlan \"a->*\" is all that a sends",
);

const REFERENCE: Key = key(
    "reference",
    Kind::Bytes { least: 1, most: 70_000 },
    Nothing("the largest data frame of the flows that cross this link"),
    "the frame that `fer` is about, link-layer header included",
);

const CHAIN: &str = "`p_gb` with `p_bg` or `p_bb`, or `loss` with `burst`, are needed";
const BER_OR_FER: &str = "either `ber_good` and `ber_bad` or `fer_good` and `fer_bad` are needed";

const BER_GOOD: Key =
    key("ber_good", Kind::Probability, Nothing(BER_OR_FER), "bit errors per bit in good times");
const BER_BAD: Key =
    key("ber_bad", Kind::Probability, Nothing(BER_OR_FER), "bit errors per bit in bad times");
const FER_GOOD: Key = key(
    "fer_good",
    Kind::Probability,
    Nothing(BER_OR_FER),
    "error rate of a full data frame in good times; shorter frames by their bits",
);
const FER_BAD: Key = key(
    "fer_bad",
    Kind::Probability,
    Nothing(BER_OR_FER),
    "error rate of a full data frame in bad times; shorter frames by their bits",
);

pub(super) static ERRORS: Choice = Choice {
    what: "error model",
    variants: &[
        Variant { kind: "clean", about: "no errors", keys: &[DIRECTION] },
        Variant {
            kind: "bernoulli",
            about: "independent errors",
            keys: &[
                key(
                    "fer",
                    Kind::Probability,
                    Nothing("either `fer` or `loss` is needed"),
                    "error rate of a full data frame; shorter frames by their bits (Yun 2009 §5.1)",
                ),
                key(
                    "loss",
                    Kind::Probability,
                    Nothing("either `fer` or `loss` is needed"),
                    "loss rate of every frame alike",
                ),
                REFERENCE,
                DIRECTION,
            ],
        },
        Variant {
            kind: "gilbert-elliott",
            about: "bursts: a good and a bad state, which may change after every data frame; link ACKs, RTS and CTS are spared",
            keys: &[
                key("p_gb", Kind::Probability, Nothing(CHAIN), "from good to bad after a frame"),
                key("p_bg", Kind::Probability, Nothing("1 - p_bb"), "from bad to good after a frame"),
                key("p_bb", Kind::Probability, Nothing("1 - p_bg"), "from bad to bad (Yun 2009 §5.4)"),
                key("loss", Kind::Probability, Nothing(CHAIN), "average loss rate"),
                key(
                    "burst",
                    Kind::Number { least: 1.0, most: 1e6 },
                    Nothing(CHAIN),
                    "mean length of a stay in the bad state, 1 / p_bg, frames (or steps)",
                ),
                key("loss_good", Kind::Probability, Value("0"), "loss rate of frames in the good state"),
                key("loss_bad", Kind::Probability, Value("1"), "loss rate of frames in the bad state"),
                key(
                    "step",
                    Kind::Span { least_ns: 1_000 },
                    Nothing("the chain steps with every data frame"),
                    "the chain steps so often, whether or not anybody sends; a frame has the state in which it began",
                ),
                DIRECTION,
            ],
        },
        Variant {
            kind: "two-state",
            about: "fades: good and bad times in real time, the same in both directions and for every scheme (Bakshi et al. 1997)",
            keys: &[
                key("good", Kind::Span { least_ns: 1_000 }, Required, "mean length of a good time"),
                key("bad", Kind::Span { least_ns: 1_000 }, Required, "mean length of a bad time"),
                key(
                    "sojourn",
                    Kind::Word(|| Sojourn::ALL.map(|(name, _)| name).to_vec()),
                    Value(r#""exponential""#),
                    "how these times are distributed: exponential; uniform from 0 to twice the mean (the \"uniformal\" ones of Kounavis 1996); uniform from half to three halves of it; all the same",
                ),
                key(
                    "start",
                    Kind::Word(|| Start::ALL.map(|(name, _)| name).to_vec()),
                    Value(r#""stationary""#),
                    "begins at any moment of a path that has been there for ever, or with a whole good time, as ns-2 and Bakshi et al. do",
                ),
                BER_GOOD,
                BER_BAD,
                FER_GOOD,
                FER_BAD,
                REFERENCE,
                DIRECTION,
            ],
        },
        Variant {
            kind: "recorded",
            about: "fades out of a file, the same in both directions and in every run; after its end it begins again",
            keys: &[
                key(
                    "file",
                    Kind::File { digest: "digest" },
                    Required,
                    "a CSV file with the header `begin_s,end_s` and a row for each bad time (`airhop fades` writes such)",
                ),
                key(
                    "digest",
                    Kind::Digest,
                    Derived("that of the file"),
                    "of the content of the file; with another content it is refused",
                ),
                BER_GOOD,
                BER_BAD,
                FER_GOOD,
                FER_BAD,
                REFERENCE,
                DIRECTION,
            ],
        },
    ],
};
