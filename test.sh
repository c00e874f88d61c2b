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

need_linker() {
    has cc && return
    if [ "$(id -u)" != 0 ] || ! has apt-get; then
        fail "no C compiler, which Rust links with; install one that is called cc (Debian: gcc libc6-dev)"
    fi
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends gcc libc6-dev
}

need_rust
need_component fmt rustfmt
need_component clippy clippy
need_linker
exec cargo xtask ci "$@"
