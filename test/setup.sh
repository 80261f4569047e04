#!/bin/sh
# Installs the Debian packages that building and testing need, and those given as arguments, if any is missing.
set -eu
packages="gcc g++ clang libclang-rt-14-dev make libtcc-dev libjansson-dev libxxhash-dev libbdd-dev libcmocka-dev libdw-dev spin python3 gdb libck-dev liburcu-dev libopenmpi-dev openmpi-bin libmpich-dev mpich iproute2 $*"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
missing=
for p in $packages; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
if [ -n "$missing" ]; then
    echo "installing:$missing"
    $sudo apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
# Small images leave documents out of what they install, and Spin's models are documents.
if [ ! -d /usr/share/doc/spin/examples ]; then
    work=$(mktemp -d)
    (cd "$work" && apt-get download -qq spin && dpkg-deb -x spin_*.deb unpacked)
    $sudo mkdir -p /usr/share/doc/spin
    $sudo cp -r "$work/unpacked/usr/share/doc/spin/examples" /usr/share/doc/spin/
    rm -rf "$work"
fi
