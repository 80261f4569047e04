/* Found before libstdc++'s header of this name by programs that heddle c++ compiles. The lock inside of
 * std::atomic<std::shared_ptr> is given back with relaxed order by whoever only read: to the letter a race, for which
 * those who use the class can do nothing. Nothing is relaxed inside of it here. */
#ifndef HEDDLE_BITS_SHARED_PTR_ATOMIC_H
#define HEDDLE_BITS_SHARED_PTR_ATOMIC_H
#pragma GCC system_header
#include <bits/atomic_base.h>
#define memory_order_relaxed memory_order_seq_cst
#include_next <bits/shared_ptr_atomic.h>
#undef memory_order_relaxed
#endif
