#!/bin/sh
# Sources of programs that are checked as people have them, from Debian's archive, into the folder given; and what is built of them beforehand.
# Seeded bugs that need another line in the middle of a file are made here.
set -eu
heddle=$1 to=$2
mkdir -p "$to/apt/lists/partial" "$to/apt/parts"
to=$(cd "$to" && pwd)
apt() { apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$to/apt/parts" -o Dir::State::lists="$to/apt/lists" "$@" >/dev/null 2>&1; }
fetch() { # fetch PACKAGE: as a folder of that name
    [ ! -d "$to/$1" ] || return 0
    (cd "$to" && apt source "$1" && mv "$1"-*/ "$1") || { echo "skip real/$1: no source package"; return 1; }
    rm -f "$to/$1"_*
    mkdir "$to/$1/made"
}
sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$to/apt/parts/debian.sources" 2>/dev/null ||
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$to/apt/parts/debian.list"
apt update || true
fetch libzstd || true
fetch mimalloc || true
if fetch pbzip2 && [ ! -f "$to/pbzip2/made/pbzip2.cpp" ]; then
    yes 'What is compressed in three blocks.' | head -c 250000 >"$to/pbzip2/made/input.txt"
    awk '/^outBuff \* outputBufferAdd\(.*[^;]$/ { inside = 1 } inside && /^}/ { inside = 0 }
        inside && /safe_mutex_(un)?lock\(OutMutex\)/ { next } { print }' "$to/pbzip2/pbzip2.cpp" >"$to/pbzip2/made/pbzip2.cpp"
fi
if fetch leveldb && [ ! -f "$to/leveldb/made/libleveldb.a" ]; then
    cd "$to/leveldb"
    mkdir -p made/port
    for have in HAVE_FDATASYNC HAVE_O_CLOEXEC; do echo "#define $have 1"; done >made/port/port_config.h
    for lack in HAVE_FULLFSYNC HAVE_CRC32C HAVE_SNAPPY; do echo "#define $lack 0"; done >>made/port/port_config.h
    ls db/*.cc table/*.cc util/*.cc helpers/memenv/memenv.cc | grep -v '_test\|testutil\|windows\|leveldbutil\|dumpfile' |
        xargs -P2 -I{} sh -c '"$0" c++ -O1 -std=c++17 -I. -Iinclude -Imade -DLEVELDB_PLATFORM_POSIX=1 -c {} -o made/$(echo {} | tr / -).o' "$heddle"
    ar rc made/libleveldb.a made/*.o
fi
if fetch memcached && [ ! -f "$to/memcached/made/libmemcached.a" ]; then
    cd "$to/memcached"
    CC="$heddle cc" ./configure --disable-docs CFLAGS='-O1 -g' >made/log 2>&1
    make -j2 memcached CFLAGS='-O1 -g -Dmain=memcached_main' >>made/log 2>&1 || true # but for linking
    ar rc made/libmemcached.a memcached-*.o
    sed '/^void item_lock(/,/^}/s/mutex_lock([^;]*;//; /^void item_unlock(/,/^}/s/mutex_unlock([^;]*;//' thread.c >made/thread-bug.c
    "$heddle" cc -O1 -g -DHAVE_CONFIG_H -I. -c made/thread-bug.c -o made/thread-bug.o
fi
