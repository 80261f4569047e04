/* Found before libstdc++'s header of this name by programs that heddle c++ compiles. Atomic waits, and with them
 * latches, barriers and semaphores, look a few times and yield before they sleep. Under a bound on yields nobody would
 * ever come to sleep, and who forgets to wake others up would not be found out: they do not yield here. Who wakes
 * others up looks first whether there are any. To the letter that may be an old answer, for which those who use these
 * classes can do nothing: sequentially consistent loads inside of the header read what is newest. */
#ifndef HEDDLE_BITS_ATOMIC_WAIT_H
#define HEDDLE_BITS_ATOMIC_WAIT_H
#pragma GCC system_header
#include <bits/c++config.h>
#if defined _GLIBCXX_HAS_GTHREADS
#include <bits/functexcept.h> /* what it includes must not see the names defined below */
#include <bits/functional_hash.h>
#include <bits/gthr.h>
#include <bits/std_mutex.h>
#include <cerrno>
#include <climits>
#include <ext/numeric_traits.h>
#include <syscall.h>
#include <unistd.h>

template <class T> inline void heddle_load(const T *from, T *to, int order)
{
    if (order == __ATOMIC_SEQ_CST) *to = __atomic_fetch_add(const_cast<T *>(from), 0, __ATOMIC_SEQ_CST);
    else __atomic_load(from, to, order);
}

#pragma push_macro("_GLIBCXX_USE_SCHED_YIELD")
#undef _GLIBCXX_USE_SCHED_YIELD
#define __atomic_load heddle_load
#if _GLIBCXX_RELEASE == 11 || _GLIBCXX_RELEASE == 12 /* the only loop in there: they look once, not 16 times */
#define for(...) for (int __i = 0; __i < 1; ++__i)
#endif
#include_next <bits/atomic_wait.h>
#undef for
#undef __atomic_load
#pragma pop_macro("_GLIBCXX_USE_SCHED_YIELD")
#else
#include_next <bits/atomic_wait.h>
#endif
#endif
