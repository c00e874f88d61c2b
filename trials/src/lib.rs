//! Tests that take longer than somebody who works on a crate wants to wait. They are run by `cargo xtask ci`, and with
//! `cargo test -p tollgate-trials`; see `tests/`.
