//! Access categories of 802.11.

/// Access category (IEEE 802.11-2020 §10.2.3.2), in ascending order of priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessCategory {
    /// Background.
    Bk,
    /// Best effort.
    #[default]
    Be,
    /// Video.
    Vi,
    /// Voice.
    Vo,
}

impl AccessCategory {
    /// All categories, indexed by value.
    pub const ALL: [AccessCategory; 4] =
        [AccessCategory::Bk, AccessCategory::Be, AccessCategory::Vi, AccessCategory::Vo];

    /// Returns the name used in scenario files and traces.
    pub const fn name(self) -> &'static str {
        match self {
            AccessCategory::Bk => "BK",
            AccessCategory::Be => "BE",
            AccessCategory::Vi => "VI",
            AccessCategory::Vo => "VO",
        }
    }
}
