//! Clouds, clusters, containers and virtual machines.

mod aws;
mod container;
mod kube;
mod mounts;
mod secrets;
mod terraform;
#[cfg(test)]
mod tests;
mod verbs;

use crate::arg::{Origins, Stuff};
use crate::doing::{Doing, Known};
use crate::effect::{Flag, Kind};

pub(crate) fn find(name: &str) -> Option<Known> {
    Some(match name {
        "aws" | "awslocal" => aws::aws,
        "kubectl" | "oc" | "k" | "microk8s.kubectl" | "kubecolor" => kube::kubectl,
        "docker" | "podman" | "nerdctl" | "docker.exe" | "finch" => container::docker,
        "docker-compose" | "podman-compose" => container::compose,
        "terraform" | "tofu" | "opentofu" | "terragrunt" | "terraform.exe" => terraform::terraform,
        "ansible" | "ansible-playbook" => terraform::ansible,
        "gsutil" | "s3cmd" | "mc" | "s5cmd" | "b2" => aws::storage,
        name if secrets::knows(name) || verbs::knows(name) => tool,
        _ => return None,
    })
}

/// Tools whose words say it all.
fn tool(invocation: &crate::doing::Invocation<'_>, doing: &mut Doing<'_, '_>) {
    if crate::know::options::only_asks(invocation.args) {
        return;
    }
    let found = verbs::look(invocation, doing) | secrets::look(invocation, doing);
    // Some of them also run other commands (`doppler run -- x`), or share their name with a tool for databases.
    let other = super::wrap::find(invocation.name).or_else(|| super::database::find(invocation.name));
    if !found && let Some(known) = other {
        known(invocation, doing);
    }
}

/// Something is gone.
fn destroys(what: impl Into<String>, doing: &mut Doing<'_, '_>) {
    doing.does(Kind::Infra, Flag::Remote.into(), what);
}

/// A credential is printed.
fn reveals(what: impl Into<String>, doing: &mut Doing<'_, '_>) {
    doing.does(Kind::ReadSecret, Flag::Secret.into(), what);
    doing.prints(secret_stuff());
}

fn secret_stuff() -> Stuff {
    Stuff { text: None, from: Origins { secret: true, unknown: true, ..Origins::default() } }
}
