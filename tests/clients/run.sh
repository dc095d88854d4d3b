#!/usr/bin/env bash
# Runs the built server against real MCP clients from npm: tests/clients/run.sh [CLIENT...], all of them by default.
# Each client has a home and a project of its own. No login, no key; after npm nothing but loopback. See README.md.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ENGRAM_BINARY=$(realpath "${ENGRAM_BINARY:-$here/../../build/engram}")
ENGRAM_CLIENT_CACHE=$(realpath -m "${ENGRAM_CLIENT_CACHE:-$HOME/.cache/engram-clients}")
export ENGRAM_BINARY ENGRAM_CLIENT_CACHE

# Client, the scripts here that run it, its npm packages. A new client is a row.
clients=(
    "sdk-v1 sdk.mjs @modelcontextprotocol/sdk@1.32.2"
    "sdk-v2 sdk.mjs @modelcontextprotocol/client@2.4.0"
    "inspector inspector.mjs @modelcontextprotocol/inspector@2.12.0"
    "conformance conformance.mjs @modelcontextprotocol/conformance@0.2.0-alpha.12"
    "claude claude.mjs,hooks.mjs,story.mjs,setup.mjs @anthropic-ai/claude-code@2.1.332"
    "codex agents.mjs,hooks.mjs,story.mjs,setup.mjs @openai/codex@0.171.0"
    "copilot agents.mjs,setup.mjs @github/copilot@1.0.102"
    "opencode agents.mjs,hooks.mjs,story.mjs,setup.mjs opencode-ai@1.18.33"
    "gemini setup.mjs @google/gemini-cli@0.61.0"
    "qwen setup.mjs @qwen-code/qwen-code@0.24.4"
    "continue setup.mjs @continuedev/cli@1.5.47"
)
node_needed=22.19.0 # by Inspector and conformance
node_package=node-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@22.23.5

say() { printf 'clients: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 2
}

# install FOLDER PACKAGE...: brings exactly these packages into the cache, once.
install() {
    local folder=$ENGRAM_CLIENT_CACHE/$1 stamp=$ENGRAM_CLIENT_CACHE/$1/.packages
    shift
    [[ -f $stamp && $(<"$stamp") == "$*" ]] && return
    say "fetching $*"
    rm -rf "$folder"
    mkdir -p "$folder"
    echo '{"private": true}' >"$folder/package.json"
    npm install --prefix "$folder" --no-audit --no-fund --silent "$@" >&2 || die "npm could not install $*"
    echo "$*" >"$stamp"
}

node_suffices() {
    command -v node >/dev/null &&
        printf '%s\n' "$node_needed" "$(node -p process.versions.node)" | sort -VC
}

use_node() {
    node_suffices && return
    install node "$node_package"
    PATH=$ENGRAM_CLIENT_CACHE/node/node_modules/${node_package%@*}/bin:$PATH
}

# Runs a command with loopback as its only network, where the kernel lets us.
cut_off() {
    local namespace=(unshare --user --map-root-user --net)
    # shellcheck disable=SC2016 # the inner shell expands "$@"
    if "${namespace[@]}" ip link set lo up 2>/dev/null; then
        "${namespace[@]}" sh -c 'ip link set lo up && exec "$@"' sh "$@"
    else
        "$@"
    fi
}

run_client() {
    local name=$1 scripts=$2 script failed=0
    shift 2
    install "$name" "$@"
    for script in ${scripts//,/ }; do
        cut_off node "$here/$script" "$name" || failed=1
    done
    return $failed
}

[[ -x $ENGRAM_BINARY ]] || die "there is no $ENGRAM_BINARY: ./dev build makes it, ENGRAM_BINARY names another"
[[ ${ENGRAM_BINARY##*/} == engram ]] || die "$ENGRAM_BINARY must be called engram: agents find it on PATH"
known=$(printf '%s\n' "${clients[@]}" | cut -d' ' -f1 | paste -sd' ')
for name in "$@"; do
    [[ " $known " == *" $name "* ]] || die "no client is called $name; there are: $known"
done
use_node

failed=()
for row in "${clients[@]}"; do
    read -r -a words <<<"$row"
    [[ $# == 0 || " $* " == *" ${words[0]} "* ]] || continue
    run_client "${words[@]}" || failed+=("${words[0]}")
done
((${#failed[@]} == 0)) || {
    say "failed: ${failed[*]}"
    exit 1
}
