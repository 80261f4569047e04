/* leveldb: two threads write and read one database, which is in memory. From source.
needs: leveldb/db.h
compiler: g++
flags: -O1 -std=c++17 -I$REAL/leveldb -I$REAL/leveldb/include -I$REAL/leveldb/made -DLEVELDB_PLATFORM_POSIX=1
link: $REAL/leveldb/made/libleveldb.a
expect with -b 3: BOUNDED no error with at most 3 preemptions
*/
#ifdef BUG
#include "util/mutexlock.h"
struct NoLock { explicit NoLock(leveldb::port::Mutex *) {} ~NoLock() {} };
#define MutexLock NoLock
#include "util/cache.cc"
#endif
#include "helpers/memenv/memenv.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include <cassert>
#include <string>
#include <thread>
#ifndef KEYS
#define KEYS 0 /* that are there before the threads: a start that is long */
#endif
static void use(leveldb::DB *db, leveldb::Cache *cache, const char *key)
{
    std::string value;
    assert(db->Put(leveldb::WriteOptions(), key, "1").ok());
    assert(db->Get(leveldb::ReadOptions(), key, &value).ok() && value == "1");
    cache->Release(cache->Insert(key, nullptr, 1, [](const leveldb::Slice &, void *) {}));
}
int main()
{
    leveldb::Env *env = leveldb::NewMemEnv(leveldb::Env::Default());
    leveldb::Cache *cache = leveldb::NewLRUCache(16);
    leveldb::Options o;
    leveldb::DB *db;
    o.create_if_missing = true;
    o.env = env;
    assert(leveldb::DB::Open(o, "/db", &db).ok());
    for (int i = 0; i < KEYS; i++) assert(db->Put(leveldb::WriteOptions(), std::to_string(i), "0").ok());
    std::thread t(use, db, cache, "a");
    use(db, cache, "a");
    t.join();
    delete db;
    delete cache;
    delete env;
}
