#!/bin/sh
# What single suites need beside the rest, while the compiler works: Debian's Chromium and playwright-core from the npm registry for
# the tests of the page, test frameworks for test/suite, build systems for the recipes, shells for completion. Where they cannot be had,
# what needs them is skipped.
set -u
cd "$(dirname "$0")/.." || exit 1
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
wanted="libgtest-dev catch2 check libsubunit-dev cmake meson automake zsh fish lintian"
command -v node >/dev/null && command -v npm >/dev/null && wanted="$wanted chromium"
missing=
for p in $wanted; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
# shellcheck disable=SC2086
[ -z "$missing" ] || DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing
command -v npm >/dev/null || exit 0
mkdir -p build/playwright
[ -d build/playwright/node_modules/playwright-core ] ||
    npm install --silent --no-audit --no-fund --prefix build/playwright playwright-core@1
exit 0
