#!/bin/sh
# From the README to the end of the tutorial on a machine that has nothing: a new Debian 12 root, the sources as `make dist` packs them, and
# what the README says. Needs root, debootstrap and a network; some minutes and 3 GB in $BUILD/fresh. Not a part of `make test`.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
[ "$(id -u)" = 0 ] || { echo "skip fresh: needs root"; exit 0; }
command -v debootstrap >/dev/null || { echo "skip fresh: debootstrap is not installed"; exit 0; }
root=$PWD/$BUILD/fresh
leave() {
    umount "$root/proc" "$root/mnt" 2>/dev/null || true
    rm -rf --one-file-system "$root"
}
leave
trap leave EXIT
mkdir -p "$root"
debootstrap --variant=minbase bookworm "$root" >"$BUILD/fresh.log" 2>&1 || { echo "skip fresh: debootstrap does not work here (see $BUILD/fresh.log)"; exit 0; }
cp /etc/resolv.conf "$root/etc/"
mount -t proc proc "$root/proc"
inside() { chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} sh -c "$1"; }
step() { # step NAME COMMAND: in the new root
    if inside "$2" >>"$BUILD/fresh.log" 2>&1; then echo "ok fresh/$1"; else
        echo "FAIL fresh/$1: see $BUILD/fresh.log: $(tail -n 1 "$BUILD/fresh.log")"
        exit 1
    fi
}
make -s dist
tar -xzf "$BUILD"/heddle-*.tar.gz -C "$root/srv"
step make "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends make"
step demo "cd /srv/heddle-* && make demo"
step install "cd /srv/heddle-* && make -s install"
mount --bind "$root/srv" "$root/mnt" && mount -o remount,ro,bind "$root/mnt"
step read-only "cd /mnt/heddle-* && make -s -j2 BUILD=/tmp/elsewhere CC=clang all && /tmp/elsewhere/heddle check examples/peterson.pml -o /tmp/x.trace"
# Only what the README names is there; the commands run in the new root, and what they print is compared here.
HEDDLE_ROOT=$root python3 test/docs/run README.md doc/tutorial.md doc/concepts.md
