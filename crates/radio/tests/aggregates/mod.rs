//! Cells of 802.11n, ac and ax with aggregation, compared with closed forms.

pub mod closed;
mod edca;
mod laws;
mod nav;
pub mod saturation;
mod slot_model;

use airhop_base::{Rate, Span};
use airhop_radio::cell::{
    AccessCategorySet, AccessMethod, AmpduPlan, CellPlan, CellRules, HtPlan, LostBlockAck, NavRule,
    RetryLimit,
};
use airhop_radio::phy::{Band, PpduFormat, TxMode, TxSettings};

/// Parameters of a cell whose stations all send best-effort datagrams.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub format: PpduFormat,
    pub mcs: u8,
    pub streams: u8,
    pub width_mhz: u32,
    pub guard_ns: u64,
    /// Maximum length of an A-MPDU, bytes; 0 without aggregation.
    pub ampdu: u32,
    /// Maximum length of an A-MSDU, bytes; 0 without A-MSDUs.
    pub amsdu: u32,
    pub rts: bool,
    /// True if stations wait for EIFS after a collision.
    pub eifs: bool,
    /// Time up to which the frames of a TXOP reserve the medium.
    pub nav: NavRule,
    /// TXOP limits by access category, µs.
    pub txop: [u64; 4],
}

impl Setting {
    pub fn mode(&self) -> Option<TxMode> {
        let Setting { format, mcs, streams, width_mhz, guard_ns, .. } = *self;
        let guard = Span::from_nanos(guard_ns);
        TxMode::new(TxSettings { format, band: Band::Ghz5, mcs, streams, width_mhz, guard_interval: guard })
            .ok()
    }

    pub fn window(&self) -> u32 {
        if self.format == PpduFormat::He { 256 } else { 64 }
    }

    /// Returns the plan of a cell with `n` stations at one point, which all receive each other.
    pub fn plan(&self, n: usize) -> CellPlan {
        let mode = self.mode().expect("a mode of the standard");
        let phy = self.format.phy(Band::Ghz5).expect("every format has 5 GHz");
        let ampdu = AmpduPlan {
            max_ampdu_bytes: self.ampdu,
            max_amsdu_bytes: self.amsdu,
            block_ack_window: self.window(),
            lost_block_ack: LostBlockAck::Resend,
            retry_limit: RetryLimit::Lifetime(Span::from_secs(60)), // closed forms have no retry limit
        };
        let ht = HtPlan {
            mode,
            categories: AccessCategorySet::default(),
            txop_limits: self.txop.map(Span::from_micros),
            nav_rule: self.nav,
            has_eifs: self.eifs,
            ampdu: (self.ampdu > 0).then_some(ampdu),
        };
        CellPlan {
            overhead_bytes: 38,
            rules: CellRules::IEEE,
            access_method: if self.rts { AccessMethod::RtsCts } else { AccessMethod::Basic },
            ht: Some(ht),
            stations: (0..n).map(|i| (format!("s{i}"), [0.0, 0.0])).collect(),
            ..CellPlan::new("cell", phy, Rate::from_bps(24_000_000))
        }
    }
}
