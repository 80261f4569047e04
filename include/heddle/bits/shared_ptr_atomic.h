/* Found before libstdc++'s header of this name by programs that heddle c++ compiles. std::atomic<std::shared_ptr> has a
 * lock: the lowest bit of the pointer to the control block. Whoever only reads gives it back with relaxed order, so that
 * the next writer of the stored pointer races with the reader to the letter, for which those who use the class can do
 * nothing. This specialisation does what libstdc++ does, with the same orders, but the stored pointer is accessed
 * atomically. So a load orders nothing for later stores, as the standard says.
 *
 * Relaxed operations order more here than the standard promises, as they do in libstdc++: the runtime is told of them. */
#ifndef HEDDLE_BITS_SHARED_PTR_ATOMIC_H
#define HEDDLE_BITS_SHARED_PTR_ATOMIC_H
#pragma GCC system_header
#include <bits/atomic_base.h>
#if __cplusplus >= 202002L && _GLIBCXX_RELEASE >= 12 && defined _GLIBCXX_HOSTED
#include <bits/shared_ptr.h>

extern "C" void heddle_relaxed_pointer(void) __attribute__((weak));

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

template <template <typename> class Pointer, typename T> class _Sp_atomic<Pointer<T>> {
    using value_type = Pointer<T>;
    using element = typename value_type::element_type;
    using count = decltype(value_type::_M_refcount);
    using control = decltype(count::_M_pi);
    static constexpr uintptr_t locked = 1;
    static_assert(alignof(remove_pointer_t<control>) > 1);

    friend class atomic<value_type>;

    element *ptr = nullptr;
    mutable __atomic_base<uintptr_t> word{0};

    static void tell(memory_order o)
    {
        if (o == memory_order_relaxed && heddle_relaxed_pointer) heddle_relaxed_pointer();
    }

    control lock(memory_order o) const noexcept
    {
        uintptr_t now = word.load(memory_order_relaxed) & ~locked;
        while (!word.compare_exchange_strong(now, now | locked, o, memory_order_relaxed)) {
            __detail::__thread_relax();
            now &= ~locked;
        }
        return reinterpret_cast<control>(now);
    }

    void unlock(memory_order o) const noexcept { word.fetch_sub(locked, o); }

    element *get() const noexcept { return __atomic_load_n(&ptr, __ATOMIC_RELAXED); }
    void set(element *p) noexcept { __atomic_store_n(&ptr, p, __ATOMIC_RELAXED); }

    void swap_unlock(count &c, memory_order o) noexcept
    {
        if (o != memory_order_seq_cst) o = memory_order_release;
        uintptr_t old = word.exchange(reinterpret_cast<uintptr_t>(c._M_pi), o);
        c._M_pi = reinterpret_cast<control>(old & ~locked);
    }

    static control copy(control p) noexcept
    {
        if (!p) return p;
        if constexpr (is_same_v<value_type, shared_ptr<T>>) p->_M_add_ref_copy();
        else p->_M_weak_add_ref();
        return p;
    }

    constexpr _Sp_atomic() noexcept = default;

    explicit _Sp_atomic(value_type r) noexcept : ptr(r._M_ptr), word(reinterpret_cast<uintptr_t>(r._M_refcount._M_pi))
    {
        r._M_refcount._M_pi = nullptr;
    }

    ~_Sp_atomic()
    {
        auto p = reinterpret_cast<control>(word.load(memory_order_relaxed));
        if (!p) return;
        if constexpr (is_same_v<value_type, shared_ptr<T>>) p->_M_release();
        else p->_M_weak_release();
    }

    _Sp_atomic(const _Sp_atomic &) = delete;
    void operator=(const _Sp_atomic &) = delete;

    value_type load(memory_order o) const noexcept
    {
        tell(o);
        if (o != memory_order_seq_cst) o = memory_order_acquire;
        value_type result;
        control p = lock(o);
        result._M_ptr = get();
        result._M_refcount._M_pi = copy(p);
        unlock(memory_order_relaxed);
        return result;
    }

    void swap(value_type &r, memory_order o) noexcept
    {
        tell(o);
        lock(memory_order_acquire);
        element *old = get();
        set(r._M_ptr);
        r._M_ptr = old;
        swap_unlock(r._M_refcount, o);
    }

    bool compare_exchange_strong(value_type &expected, value_type desired, memory_order o, memory_order o2) noexcept
    {
        control p = lock(memory_order_acquire);
        if (get() == expected._M_ptr && p == expected._M_refcount._M_pi) {
            tell(o);
            set(desired._M_ptr);
            swap_unlock(desired._M_refcount, o);
            return true;
        }
        tell(o2);
        value_type old = std::move(expected);
        expected._M_ptr = get();
        expected._M_refcount._M_pi = copy(p);
        unlock(o2);
        return false;
    }

    void wait(value_type old, memory_order o) const noexcept
    {
        tell(o);
        control p = lock(memory_order_acquire);
        if (get() == old._M_ptr && p == old._M_refcount._M_pi) {
            uintptr_t now = word.fetch_sub(locked, memory_order_relaxed);
            word.wait(now & ~locked, o);
        } else {
            unlock(memory_order_relaxed);
        }
    }

    void notify_one() noexcept { word.notify_one(); }
    void notify_all() noexcept { word.notify_all(); }
};

_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
#include_next <bits/shared_ptr_atomic.h>
#endif
