//! Time per byte of inputs that parsers hate, from 1 kB to 1 MB.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::targets::Target;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Noise and caches make small inputs look better or worse than they are; a quadratic algorithm grows a thousandfold.
const SUSPICIOUS: f64 = 20.0;

/// A table with one line for each hard input. Fails when one grows faster than its length.
pub(crate) fn report(target: &Target) -> Result<String, String> {
    let mut table = format!(
        "{:<28}{:>10}{:>10}{:>10}{:>10}{:>8}   ns per byte\n",
        target.name, "1 kB", "10 kB", "100 kB", "1 MB", "ratio"
    );
    let mut grown = Vec::new();
    for (name, piece) in target.hard {
        let times = SIZES.map(|size| per_byte(target, &piece(size)));
        let ratio = times[3] / times[0].max(0.01);
        let _ = writeln!(
            table,
            "{name:<28}{:>10.1}{:>10.1}{:>10.1}{:>10.1}{ratio:>8.1}",
            times[0], times[1], times[2], times[3]
        );
        if ratio > SUSPICIOUS {
            grown.push(*name);
        }
    }
    if grown.is_empty() { Ok(table) } else { Err(format!("{table}grows faster than its input: {}", grown.join(", "))) }
}

/// The best of a few runs.
fn per_byte(target: &Target, input: &[u8]) -> f64 {
    let rounds = (200_000 / input.len().max(1)).clamp(1, 50);
    let best = (0..=rounds).map(|_| time(target, input)).min().unwrap_or_default();
    best.as_nanos() as f64 / input.len().max(1) as f64
}

fn time(target: &Target, input: &[u8]) -> Duration {
    let start = Instant::now();
    (target.run)(input);
    start.elapsed()
}
