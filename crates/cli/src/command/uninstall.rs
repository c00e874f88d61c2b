//! `tollgate uninstall`

use tollgate_config::Paths;
use tollgate_hook::setup::{Place, Plan, SETUPS, Setup, chosen};

use super::Done;
use super::settings::{self, Wanted};
use crate::args::{Policy, Uninstall};
use crate::output::Paint;

pub(super) fn run(policy: &Policy, args: &Uninstall, paint: Paint) -> Done {
    let place = Place::of_process()?;
    // Whatever was registered goes, also of an agent that is gone.
    let setups: Vec<&'static Setup> =
        if args.agent.is_empty() { SETUPS.iter().collect() } else { chosen(&place, &args.agent)? };
    let paths = Paths::of_process(policy.config.as_deref())?;
    let data = paths.data().map_err(|error| error.to_string())?;
    let plan = Plan::removal(&place, data, &setups, &place.this_program()?).map_err(settings::refused)?;
    let wanted = Wanted {
        what: "tollgate uninstall",
        nothing: "nothing to do: nothing of Tollgate is registered",
        done: "taken away; what agents do is no longer judged\n  tollgate init    register again\n",
    };
    settings::change(&plan, &wanted, &args.writing, args.json.json, paint)
}
