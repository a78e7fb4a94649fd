//! Records in another form (§13).
