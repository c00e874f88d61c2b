//! Hosts and addresses that mean something.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// This very machine.
pub(crate) fn is_here(host: &str) -> bool {
    let host = bare(host);
    host == "localhost"
        || host == "::1"
        || host == "0.0.0.0"
        || host.starts_with("127.")
        || host.ends_with(".localhost")
}

/// Where clouds hand out the credentials of a machine to whoever asks from inside, however the address is written.
pub(crate) fn is_metadata(host: &str) -> bool {
    const NAMES: &[&str] = &[
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "metadata.google.internal",
        "metadata.goog",
        "metadata",
        "instance-data",
        "metadata.azure.internal",
        "metadata.tencentyun.com",
    ];
    let bare = bare(host);
    let plain = address(&bare).map(|address| address.to_string());
    NAMES.contains(&plain.as_deref().unwrap_or(&bare)) || bare.starts_with("169.254.169.254")
}

/// The address that a host is, in any form in which the system takes one: parts may be octal or hexadecimal, the last one
/// may stand for several, and IPv6 may have IPv4 in it.
fn address(host: &str) -> Option<IpAddr> {
    if let Ok(six) = host.split('%').next().unwrap_or_default().parse::<Ipv6Addr>() {
        return Some(IpAddr::V6(six).to_canonical());
    }
    let part = |text: &str| match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u32::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    };
    let parts: Vec<u32> = host.split('.').map(part).collect::<Option<_>>()?;
    let (last, first) = parts.split_last().filter(|(_, first)| first.len() < 4)?;
    let room = 32 - 8 * first.len() as u32;
    let fits = first.iter().all(|part| *part < 256) && u64::from(*last) < 1 << room;
    let high = first.iter().fold(0, |high, part| high << 8 | part);
    fits.then(|| IpAddr::V4(Ipv4Addr::from(high.checked_shl(room).unwrap_or(0) | last)))
}

/// Small letters, without brackets, port and a last dot.
fn bare(host: &str) -> String {
    // Where a variable follows, the path starts most likely.
    let host = host.split(crate::arg::HOLE).next().unwrap_or_default().trim().to_ascii_lowercase();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or_default(),
        None => &host,
    };
    host.trim_end_matches('.').to_owned()
}

/// What a `DELETE` to this address destroys, where that is known to be more than a row of somebody's application.
pub(super) fn deletes(address: &str) -> Option<(crate::effect::Kind, &'static str)> {
    use crate::effect::Kind::{Database, Infra};
    const PORTS: &[(&str, crate::effect::Kind, &str)] = &[
        (":9200", Database, "deletes data in Elasticsearch"),
        (":9243", Database, "deletes data in Elasticsearch"),
        (":5984", Database, "deletes data in CouchDB"),
        (":8983", Database, "deletes data in Solr"),
        (":8086", Database, "deletes data in InfluxDB"),
        (":6333", Database, "deletes data in Qdrant"),
        (":7700", Database, "deletes data in Meilisearch"),
        (":8108", Database, "deletes data in Typesense"),
        (":8500", Infra, "deletes configuration in Consul"),
        (":8200", Infra, "deletes secrets in Vault"),
        (":4646", Infra, "stops jobs in Nomad"),
        (":2379", Infra, "deletes keys in etcd"),
        (":2375", Infra, "deletes containers, images or volumes"),
        (":2376", Infra, "deletes containers, images or volumes"),
        (":6443", Infra, "deletes resources of a cluster"),
        (":8001", Infra, "deletes resources of a cluster"),
        (":15672", Infra, "deletes queues in RabbitMQ"),
        (":5000/v2", Infra, "deletes images in a registry"),
    ];
    const HOSTS: &[&str] = &[
        "api.github.com",
        "gitlab.com/api",
        "api.bitbucket.org",
        "/api/v4/projects",
        "api.digitalocean.com",
        "management.azure.com",
        "googleapis.com",
        "api.heroku.com",
        "api.cloudflare.com",
        "api.linode.com",
        "api.hetzner.cloud",
        "api.vultr.com",
        "api.scaleway.com",
        "api.fly.io",
        "api.machines.dev",
        "api.vercel.com",
        "api.netlify.com",
        "api.render.com",
        "amazonaws.com",
        "app.terraform.io",
        "api.pulumi.com",
        "hub.docker.com",
        "api.supabase.com",
        "registry.npmjs.",
        "/apis/apps/v1",
        "/api/v1/namespaces",
    ];
    if let Some((_, kind, what)) = PORTS.iter().find(|(port, ..)| has_port(address, port)) {
        return Some((*kind, what));
    }
    if HOSTS.iter().any(|host| address.contains(host)) {
        return Some((Infra, "deletes something hosted"));
    }
    let all = ["/_all", "/*", "/_delete_by_query"].iter().any(|path| address.ends_with(path));
    all.then_some((Database, "deletes everything behind an address"))
}

fn has_port(address: &str, port: &str) -> bool {
    address.split_once(port).is_some_and(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit()))
}
