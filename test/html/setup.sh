#!/bin/sh
# What the tests of the page need beside the rest: Debian's Chromium, and playwright-core from the npm registry. Where they cannot
# be had, test/html/run skips what needs them.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v node >/dev/null && command -v npm >/dev/null || { echo "no node or npm"; exit 0; }
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
command -v chromium >/dev/null || DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends chromium
mkdir -p build/playwright
[ -d build/playwright/node_modules/playwright-core ] ||
    npm install --silent --no-audit --no-fund --prefix build/playwright playwright-core@1
exit 0
