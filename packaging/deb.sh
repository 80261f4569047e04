#!/bin/sh
# A Debian package of what `make install` installs: sh packaging/deb.sh BUILD VERSION
set -eu
build=$1
version=$2
cd "$(dirname "$0")/.."
architecture=$(dpkg --print-architecture)
root=$build/deb
doc=$root/usr/share/doc/heddle
# The date of the last change, so that the same sources give the same package.
date=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
# Whoever builds the package answers for it.
maintainer="${DEBFULLNAME:-the authors of Heddle} <${DEBEMAIL:-heddle@heddle.invalid}>"
rm -rf "$root"
make -s install BUILD="$build" DESTDIR="$root" PREFIX=/usr ZSHDIR=/usr/share/zsh/vendor-completions

strip --strip-unneeded "$root/usr/bin/heddle"
for so in "$root"/usr/lib/heddle/*.so; do # there is none if no MPI library was found
    [ ! -e "$so" ] || strip --strip-unneeded "$so"
done
rm "$doc/LICENSE"
find "$root/usr/share/man" -name '*.1' -exec gzip -9n {} +
ln -s heddle-cc.1.gz "$root/usr/share/man/man1/heddle-c++.1.gz"
gzip -9n >"$doc/changelog.gz" <<END
heddle ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $maintainer  $(date -R -u -d "@$date")
END
cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: heddle

Files: *
Copyright: $(date -u -d "@$date" +%Y) the authors of Heddle
License: Apache-2.0
 On Debian systems the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
END
mkdir -p "$root/usr/share/lintian/overrides"
cat >"$root/usr/share/lintian/overrides/heddle" <<'END'
# It is linked into programs, which are shown with the source lines that its debugging information has.
heddle: unstripped-binary-or-object [usr/lib/heddle/heddle_rt.o]
# Packages that are not part of Debian close no bug of it.
heddle: initial-upload-closes-no-bugs
END

libraries=$(ldd "$root/usr/bin/heddle" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r path; do
    dpkg -S "$(readlink -f "$path")" 2>/dev/null || dpkg -S "$path" 2>/dev/null || dpkg -S "/usr$path" 2>/dev/null
done | sed 's/:.*//' | sort -u)
# Those of libraries only: what they need in turn they say themselves.
depends=$(echo "$libraries" | grep -E '^(libc6|libdw1|libelf1|libjansson4|libxxhash0)' | tr '\n' ',' | sed 's/,$//; s/,/, /g')
mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: heddle
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: $depends, gcc | clang, libc6-dev
Recommends: g++ | clang, gdb
Suggests: spin
Section: devel
Priority: optional
Description: model checker that explores schedules in order of preemptions
 Heddle checks C and C++ programs with threads, Promela models and concurrent
 Boolean programs. It explores schedules in order of preemptions, reports the
 simplest schedule that fails with a trace that can be replayed and debugged,
 and says exactly what was covered when none does.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -exec touch -h -d "@$date" {} +
find "$root" -type d -exec chmod 755 {} +
SOURCE_DATE_EPOCH=$date dpkg-deb --root-owner-group -Zxz --build "$root" "$build/heddle_${version}_$architecture.deb"
