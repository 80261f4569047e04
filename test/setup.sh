#!/bin/sh
# Installs the Debian packages that building and testing need, if any is missing.
set -eu
packages="gcc g++ clang libclang-rt-14-dev make libtcc-dev libjansson-dev libxxhash-dev libbdd-dev libcmocka-dev libdw-dev spin python3 gdb"
missing=
for p in $packages; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
$sudo apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
