//! This user's log, to be added to.

use std::sync::Arc;

use tollgate_audit::Log;
use tollgate_clock::SystemClock;
use tollgate_config::{Audit, Paths};
use tollgate_core::Clock;
use tollgate_engine::record;

use crate::args::Policy;
use crate::command::Failure;
use crate::open;
use crate::output::Paint;

/// Opens it as the policy says, and gives back what that is.
pub(super) fn open(policy: &Policy, paint: Paint) -> Result<(Log, Audit), Failure> {
    let audit = open::plan(policy, paint)?.audit;
    let paths = Paths::of_process(policy.config.as_deref())?;
    let (state, data) =
        (paths.state().map_err(|error| error.to_string())?, paths.data().map_err(|error| error.to_string())?);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    Ok((record::log(&audit, state, data, &clock)?, audit))
}
