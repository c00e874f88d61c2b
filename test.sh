#!/usr/bin/env bash
# Sets up what is missing and runs every test there is, which is `cargo xtask ci`.
set -euo pipefail
cd "$(dirname "$0")"

fail() {
    echo "test.sh: $*" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null
}

need_rust() {
    local want have
    want=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    # rustup installs here; a shell that was open before does not look there.
    has cargo || PATH="${HOME:-}/.cargo/bin:$PATH"
    has cargo || fail "cargo is missing; install Rust $want or newer, for example with rustup: https://rustup.rs"
    have=$(rustc --version | cut -d ' ' -f 2)
    printf '%s\n' "$want" "${have%%-*}" | sort --version-sort --check=silent ||
        fail "this needs Rust $want or newer and found $have; with rustup: rustup update stable"
}

need_component() {
    cargo "$1" --version >/dev/null 2>&1 && return
    has rustup || fail "cargo $1 is missing; install the Rust component $2"
    rustup component add "$2"
}

# A command, what it is for, and the packages that have it.
need_command() {
    local name=$1 why=$2
    shift 2
    has "$name" && return
    if [ "$(id -u)" != 0 ] || ! has apt-get; then
        fail "$name is missing, $why; install it (Debian: $*)"
    fi
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"
}

need_rust
need_component fmt rustfmt
need_component clippy clippy
need_command cc "which Rust links with" gcc libc6-dev
need_command python3 "which checks logs as somebody else would" python3
need_command unshare "which gives a test a disk of its own to fill" util-linux
need_command npm "which installs the coding agents that trials run" nodejs npm
cargo xtask peers
exec cargo xtask ci "$@"
