//! Objects from outside, and hostile ones.
