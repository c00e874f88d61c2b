//! Timing, in as few lines as will do.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tollgate_testkit::count;

/// One thing to measure.
pub struct Case {
    /// What it is; unique, so that others can name it as their floor.
    pub what: &'static str,
    /// The case this one is compared to.
    pub floor: Option<&'static str>,
    /// Runs it so many times.
    pub batch: Box<dyn FnMut(u64) -> Sample>,
}

/// What a batch of runs took.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The time of all runs together.
    pub took: Duration,
    /// The allocations of all runs together.
    pub allocations: usize,
}

/// What one run of a case takes.
#[derive(Clone, Debug)]
pub struct Row {
    /// The case.
    pub what: &'static str,
    /// The case it is compared to.
    pub floor: Option<&'static str>,
    /// Nanoseconds in the fastest round: the code's own cost, with the least of everybody else's.
    pub min: f64,
    /// Nanoseconds in the middle round.
    pub median: f64,
    /// Allocations.
    pub allocations: f64,
}

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How often every case gets a turn.
    pub rounds: usize,
    /// How long such a turn is, about.
    pub turn: Duration,
}

impl Effort {
    /// Enough to see an order of magnitude.
    pub const QUICK: Self = Self { rounds: 40, turn: Duration::from_millis(1) };
    /// Enough to compare two commits on a quiet machine.
    pub const FULL: Self = Self { rounds: 400, turn: Duration::from_millis(2) };
}

/// Runs something over and over.
pub fn batch<T>(runs: u64, mut run: impl FnMut() -> T) -> Sample {
    let (allocations, took) = count(|| {
        let start = Instant::now();
        for _ in 0..runs {
            // By reference: moving a large result into a black box would be measured too.
            black_box(&run());
        }
        start.elapsed()
    });
    Sample { took, allocations }
}

/// The same for what is awaited, and then ready at once. One future awaits all the runs: this is how a caller meets the
/// pipeline, while polling each run by hand would also measure how its future is moved to where it is polled.
pub fn batch_async<T>(runs: u64, mut run: impl AsyncFnMut() -> T) -> Sample {
    let (allocations, took) = count(|| {
        let start = Instant::now();
        let done = poll_once(async {
            for _ in 0..runs {
                black_box(&run().await);
            }
        });
        // What had to wait was not measured.
        if done.is_some() { start.elapsed() } else { Duration::MAX }
    });
    Sample { took, allocations }
}

/// Drives a future that is ready at once.
pub fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

/// Measures every case. They take turns, so that a machine that slows down slows all of them down.
pub fn measure(cases: Vec<Case>, effort: Effort) -> Vec<Row> {
    let mut measured: Vec<_> = cases
        .into_iter()
        .map(|mut case| (calibrate(&mut case, effort.turn), case, Vec::with_capacity(effort.rounds)))
        .collect();
    for _ in 0..effort.rounds {
        for (runs, case, samples) in &mut measured {
            samples.push((case.batch)(*runs));
        }
    }
    measured.into_iter().map(|(runs, case, samples)| row(&case, runs, &samples)).collect()
}

/// How many runs fill a turn. Warms everything up on the way.
fn calibrate(case: &mut Case, turn: Duration) -> u64 {
    let mut runs = 1;
    loop {
        let took = (case.batch)(runs).took;
        if took >= turn || runs >= 1 << 30 {
            return ((turn.as_secs_f64() / took.as_secs_f64() * runs as f64) as u64).max(1);
        }
        runs *= 2;
    }
}

fn row(case: &Case, runs: u64, samples: &[Sample]) -> Row {
    let per_run = |total: f64| total / runs as f64;
    let mut times: Vec<f64> = samples.iter().map(|sample| per_run(sample.took.as_nanos() as f64)).collect();
    times.sort_by(f64::total_cmp);
    Row {
        what: case.what,
        floor: case.floor,
        min: times.first().copied().unwrap_or_default(),
        median: times.get(times.len() / 2).copied().unwrap_or_default(),
        allocations: samples.iter().map(|sample| per_run(sample.allocations as f64)).fold(f64::INFINITY, f64::min),
    }
}
