use super::{CellProperties, DIRECTION_KEY, LinkProperties, Model, accept_any_duration};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{Derived, Nothing, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::words::{value_of_word, word_of};
use airhop_radio::errors::{ChannelCode, ErrorPlan, LinkBudget, PerModel, SnrPlan};
use airhop_radio::phy::{Band, PpduFormat, TxMode};

pub(super) static KIND: Model = Model {
    variant: Variant::new(
        "snr",
        "errors by SNR in cells of 802.11n, ac and ax: the packet error rate (PER) of each MPDU with data follows from the distance of \
         the stations, the MCS and the length of the MPDU. The SNR per spatial stream and subcarrier is the received power over thermal \
         noise of -174 dBm/Hz in the channel width; distances below 1 m count as 1 m. Group-addressed frames have the PER of `control_rate`",
        &KEYS,
    ),
    fill: Some(set_defaults),
    contradiction,
    check: accept_any_duration,
    plan,
};

/// Transmitted power of stations in ns-3, in dBm.
const DEFAULT_POWER_DBM: f64 = 16.0206;

/// Returns the free-space path loss at 1 m in dB, at 5.15 GHz or 2.4 GHz.
const fn reference_loss_db(band: Band) -> f64 {
    match band {
        Band::Ghz5 => 46.6777,
        Band::Ghz2_4 => 40.05,
    }
}

static KEYS: [Key; 10] = [
    key(
        "model",
        ValueKind::Word(|| PerModel::ALL.map(|(name, _)| name).to_vec()),
        Value(r#""table""#),
        "PER as a function of the SNR: table = curves of simulated links in white Gaussian noise, as ns-3's table model, with PER(L) = 1 - \
         (1 - PER)^(L / L_ref) (IEEE 802.11-14/0803r1); nist = union bound of hard decisions (Pei and Henderson 2010), 3 to 5 dB more \
         pessimistic; yans = the first terms of the bound, by the Eb/N0 of coded bits (Lacage and Henderson 2006)",
    ),
    key(
        "coding",
        ValueKind::Word(|| ChannelCode::ALL.map(|(name, _)| name).to_vec()),
        Derived(
            "bcc; with model = \"table\" ldpc where 802.11ax requires it: above 20 MHz, 4 streams or MCS 9",
        ),
        "channel code of data: bcc = convolutional code with Viterbi decoding; ldpc = LDPC, only with model = \"table\". Table curves of BCC \
         end at MCS 9; MCS 10 and 11 have the PER of yans, as in ns-3. The airtime of a PPDU does not depend on this key",
    ),
    key(
        "power",
        ValueKind::Power,
        Derived("16.0206 dBm (40 mW, as ns-3); `power` of `propagation` if the cell has it"),
        "transmitted power of all spatial streams together; antennas have no gain",
    ),
    key(
        "noise_figure",
        ValueKind::Ratio,
        Value(r#""7 dB""#),
        "noise figure of the receiver (ns-3's default; 10 dB in the sensitivities of IEEE 802.11-2020 §17.3.10.2)",
    ),
    key(
        "exponent",
        ValueKind::Number { least: 0.0, most: 10.0 },
        Value("3.0"),
        "path loss exponent γ of the log-distance model, PL(d) = PL(1 m) + 10 γ log10(d / 1 m): 2 in free space, 2.7 to 3.5 in cities, 4 to \
         6 in buildings (Rappaport 2002, Table 4.2); 3 as ns-3",
    ),
    key(
        "reference_loss",
        ValueKind::Ratio,
        Derived("46.6777 dB at 5 GHz, 40.05 dB at 2.4 GHz"),
        "path loss at 1 m; the defaults are those of free space at 5.15 GHz, as ns-3, and at 2.4 GHz (Friis 1946)",
    ),
    key(
        "power_split",
        ValueKind::Flag,
        Value("true"),
        "division of the power among spatial streams: true = each of N streams has the power / N; false = each stream has the whole power, \
         as in ns-3",
    ),
    key(
        "min_rssi",
        ValueKind::Power,
        Nothing("none; the receiver detects every frame"),
        "minimum received power of a frame with data that the receiver detects (-82 dBm in ns-3); control frames are spared, as from all \
         errors in cells of 802.11n, ac and ax",
    ),
    key(
        "fading",
        ValueKind::NotYet("fading is not modelled yet; the SNR of two stations is constant, so leave it out"),
        Nothing("no fading"),
        "fading of the received power",
    ),
    DIRECTION_KEY,
];

fn set_defaults(model: &mut Fields, cell: &CellProperties) {
    model.set_default("power", Val::Power(cell.power_dbm.unwrap_or(DEFAULT_POWER_DBM)));
    let band = cell.mode.map_or(Band::Ghz5, |mode| mode.settings().band);
    model.set_default("reference_loss", Val::Ratio(reference_loss_db(band)));
    let is_table =
        model.word("model").and_then(|word| value_of_word(&PerModel::ALL, word)) == Some(PerModel::Table);
    let needs_ldpc = cell.mode.as_ref().is_some_and(requires_ldpc);
    let coding = if is_table && needs_ldpc { ChannelCode::Ldpc } else { ChannelCode::Bcc };
    model.set_default("coding", word_of(&ChannelCode::ALL, &coding));
}

/// True if BCC is not permitted in this mode, as in many modes of 802.11ax.
fn requires_ldpc(mode: &TxMode) -> bool {
    mode.settings().format == PpduFormat::He && mode.encoder_count() == 0
}

fn contradiction(model: &Fields) -> Option<String> {
    let name = model.word("model")?;
    let is_closed = value_of_word(&PerModel::ALL, name)? != PerModel::Table;
    (is_closed && value_of_word(&ChannelCode::ALL, model.word("coding")?)? == ChannelCode::Ldpc).then(|| {
        format!("expected coding = \"bcc\" with model = \"{name}\", which is a bound of a convolutional code, got \"ldpc\"")
    })
}

fn plan(model: &Fields, channel: &LinkProperties) -> Option<ErrorPlan> {
    let (mode, group_rate) = channel.modes?;
    Some(ErrorPlan::Snr(SnrPlan {
        model: value_of_word(&PerModel::ALL, model.word("model")?)?,
        coding: value_of_word(&ChannelCode::ALL, model.word("coding")?)?,
        mode,
        group_rate,
        budget: LinkBudget {
            power_dbm: model.power("power")?,
            noise_figure_db: model.ratio("noise_figure")?,
            reference_loss_db: model.ratio("reference_loss")?,
            exponent: model.number("exponent")?,
            splits_power: model.flag("power_split")?,
            min_rssi_dbm: model.power("min_rssi"),
        },
        metres: 0.0, // set for each pair of stations when the cell is built
    }))
}
