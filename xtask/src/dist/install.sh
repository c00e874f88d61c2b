#!/bin/sh
# Installs what stands beside this script, after checking that it is what was made.
#
#   ./install.sh              to ~/.local
#   ./install.sh /usr/local   for everybody, as root
set -eu

here=$(cd "$(dirname "$0")" && pwd)
to=${1:-"${HOME:?there is no HOME; name a folder: ./install.sh /usr/local}/.local"}

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

case "$#:${1:-}" in
0: | 1:[!-]*) ;;
*) fail "write nothing, or the one folder to install to: ./install.sh /usr/local" ;;
esac
[ "$(uname -sm)" = "Linux x86_64" ] || fail "these programs are for Linux on x86_64, and this is $(uname -sm)"
command -v sha256sum >/dev/null || fail "sha256sum is missing, and nothing is installed unchecked (Debian: coreutils)"
(cd "$here" && sha256sum --check --quiet --strict SHA256SUMS) || fail "a file is not what was made; nothing is installed"

put() {
    mkdir -p "$(dirname "$3")"
    # A program that runs cannot be written over, only replaced.
    cp "$here/$2" "$3.new"
    chmod "$1" "$3.new"
    mv -f "$3.new" "$3"
}

put 755 tollgate "$to/bin/tollgate"
put 755 tollgate-hook "$to/bin/tollgate-hook"
put 644 tollgate.1 "$to/share/man/man1/tollgate.1"
put 644 tollgate.bash "$to/share/bash-completion/completions/tollgate"
put 644 _tollgate "$to/share/zsh/site-functions/_tollgate"
put 644 tollgate.fish "$to/share/fish/vendor_completions.d/tollgate.fish"

"$to/bin/tollgate" --version
echo "installed to $to; next: $to/bin/tollgate init"
case ":$PATH:" in
*":$to/bin:"*) ;;
*) echo "note: $to/bin is not in PATH" ;;
esac
