//! Notices inputs that panic or hang, and keeps them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const TOO_LONG: Duration = Duration::from_secs(10);

/// What runs now, and since when.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// Looks over the shoulder of whoever runs inputs.
pub(crate) struct Watch {
    target: &'static str,
    current: Current,
}

impl Watch {
    pub(crate) fn start(target: &'static str) -> Self {
        let current = Current::default();
        let seen = Arc::clone(&current);
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(500));
                let now = seen.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((since, input)) = now.as_ref()
                    && since.elapsed() > TOO_LONG
                {
                    let file = keep(target, "hang", input);
                    eprintln!("error: {target} hangs; the input is in {file}");
                    // Nothing can stop a thread that hangs but the end of the process.
                    std::process::exit(1);
                }
            }
        });
        Self { target, current }
    }

    /// Runs one input.
    pub(crate) fn run(&self, input: &[u8], run: fn(&[u8])) -> Result<(), String> {
        self.set(Some((Instant::now(), input.to_vec())));
        let outcome = catch_unwind(AssertUnwindSafe(|| run(input)));
        self.set(None);
        outcome.map_err(|_| {
            let file = keep(self.target, "crash", input);
            format!("{} panics; the input is in {file}", self.target)
        })
    }

    fn set(&self, value: Option<(Instant, Vec<u8>)>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = value;
    }
}

fn keep(target: &str, what: &str, input: &[u8]) -> String {
    let hash = input.iter().fold(0_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let file = std::env::temp_dir().join(format!("tollgate-{target}-{what}-{hash:016x}"));
    match std::fs::write(&file, input) {
        Ok(()) => file.display().to_string(),
        Err(error) => format!("no file ({error}); it is {:?}", PathBuf::from(String::from_utf8_lossy(input).as_ref())),
    }
}
