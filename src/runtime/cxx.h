/* Functions of libstdc++ that are not in headers, so that no compiler instruments them: what they read and write. One
 * row each: result, name in object files, parameters, arguments, accesses. The program's calls of them are redirected
 * at link time (--wrap). The words are those of calls_int.h, and these:
 *
 *     OBJECT                  bytes of a string that say where its text is and how long
 *     TEXT(s) LENGTH(s)       reads a string and its text; how long that is
 *     APPENDS(s, n) ALTERS(s) adds n characters; any other change
 *     MAKES_READY(s)          the library makes the state of a promise ready when the thread ends
 *     HOOK, UNHOOK, ...       nodes of a list and their neighbours
 *     PATH(n, header)         changes a tree from a node up; NEXT, PREVIOUS: reads up to the neighbour in order
 *     TEXT_BEHIND(s, n)       a string stream whose buffer lies n bytes behind its beginning
 *     PUTS(s) TAKES(s)        a stream and its buffer. cout, cin and the like may be used by several threads at once,
 *                             unless they are not synchronised with the C library's streams (SYNCHRONISED)
 *     STATE(s) BUFFER_OF(s)   writes the state of a stream, given by its base class; its pointer to the buffer */
#ifndef HEDDLE_RUNTIME_CXX_H
#define HEDDLE_RUNTIME_CXX_H

#include <stddef.h>

/* What is returned by value; never copied. */
struct rt_cxx_string { char *text; size_t length; char rest[16]; };

#define CXX_CALLS(X) \
    /* streams as a whole */ \
    X(bool, _ZNSt8ios_base15sync_with_stdioEb, (bool a), (a), SYNCHRONISED(a)) \
    X(void, _ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate, (void *a, int b), (a, b), STATE(a)) \
    X(void, _ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate, (void *a, int b), (a, b), STATE(a)) \
    X(void *, _ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E, (void *a, void *b), (a, b), \
      BUFFER_OF(a) STATE(a)) \
    /* std::promise and std::packaged_task: set_value_at_thread_exit() and the like */ \
    X(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, (void *a), (a), MAKES_READY(a)) \
    /* std::list */ \
    X(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_, (void *a, void *b), (a, b), HOOK(a, b)) \
    X(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, (void *a), (a), UNHOOK(a)) \
    X(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_, \
      (void *a, void *b, void *c), (a, b, c), TRANSFER(a, b, c)) \
    X(void, _ZNSt8__detail15_List_node_base10_M_reverseEv, (void *a), (a), REVERSE(a)) \
    X(void, _ZNSt8__detail15_List_node_base4swapERS0_S1_, (void *a, void *b), (a, b), SWAP(a, b)) \
    /* std::map, std::set and the like */ \
    X(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_, \
      (bool a, void *b, void *c, void *d), (a, b, c, d), W(b, NODE) PATH(c, d)) \
    X(void *, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_, (void *a, void *b), (a, b), PATH(a, b)) \
    X(void *, _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, (void *a), (a), NEXT(a)) \
    X(void *, _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, (void *a), (a), PREVIOUS(a)) \
    X(void *, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, (void *a), (a), NEXT(a)) \
    X(void *, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, (void *a), (a), PREVIOUS(a)) \
    /* std::unordered_map, std::hash<std::string> */ \
    X(size_t, _ZSt11_Hash_bytesPKvmm, (const void *a, size_t b, size_t c), (a, b, c), R(a, b)) \
    /* std::string: what reads it */ \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv, (const void *a), (a), R(a, OBJECT)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6lengthEv, (const void *a), (a), R(a, OBJECT)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5c_strEv, (const void *a), (a), R(a, OBJECT)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4dataEv, (const void *a), (a), R(a, OBJECT)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5emptyEv, (const void *a), (a), R(a, OBJECT)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8capacityEv, (const void *a), (a), R(a, OBJECT)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5beginEv, (const void *a), (a), R(a, OBJECT)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE3endEv, (const void *a), (a), R(a, OBJECT)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5beginEv, (void *a), (a), R(a, OBJECT)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE3endEv, (void *a), (a), R(a, OBJECT)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5frontEv, (void *a), (a), R(a, OBJECT)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4backEv, (void *a), (a), R(a, OBJECT)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4dataEv, (void *a), (a), R(a, OBJECT)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm, (void *a, size_t b), (a, b), R(a, OBJECT)) \
    X(void *, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm, \
      (const void *a, size_t b), (a, b), R(a, OBJECT)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE2atEm, (void *a, size_t b), (a, b), R(a, OBJECT)) \
    X(void *, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE2atEm, \
      (const void *a, size_t b), (a, b), R(a, OBJECT)) \
    X(void *, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5frontEv, (const void *a), (a), R(a, OBJECT)) \
    X(void *, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4backEv, (const void *a), (a), R(a, OBJECT)) \
    X(int, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareERKS4_, \
      (const void *a, const void *b), (a, b), TEXT(a) TEXT(b)) \
    X(int, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc, \
      (const void *a, const char *b), (a, b), TEXT(a) S(b)) \
    X(int, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEmmPKc, \
      (const void *a, size_t b, size_t c, const char *d), (a, b, c, d), TEXT(a) S(d)) \
    X(int, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEmmRKS4_, \
      (const void *a, size_t b, size_t c, const void *d), (a, b, c, d), TEXT(a) TEXT(d)) \
    X(int, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEmmPKcm, \
      (const void *a, size_t b, size_t c, const char *d, size_t e), (a, b, c, d, e), TEXT(a) R(d, e)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEcm, \
      (const void *a, char b, size_t c), (a, b, c), TEXT(a)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcm, \
      (const void *a, const char *b, size_t c), (a, b, c), TEXT(a) S(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcmm, \
      (const void *a, const char *b, size_t c, size_t d), (a, b, c, d), TEXT(a) R(b, d)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findERKS4_m, \
      (const void *a, const void *b, size_t c), (a, b, c), TEXT(a) TEXT(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindEcm, \
      (const void *a, char b, size_t c), (a, b, c), TEXT(a)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindEPKcm, \
      (const void *a, const char *b, size_t c), (a, b, c), TEXT(a) S(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindEPKcmm, \
      (const void *a, const char *b, size_t c, size_t d), (a, b, c, d), TEXT(a) R(b, d)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5rfindERKS4_m, \
      (const void *a, const void *b, size_t c), (a, b, c), TEXT(a) TEXT(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13find_first_ofEcm, \
      (const void *a, char b, size_t c), (a, b, c), TEXT(a)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13find_first_ofEPKcm, \
      (const void *a, const char *b, size_t c), (a, b, c), TEXT(a) S(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13find_first_ofEPKcmm, \
      (const void *a, const char *b, size_t c, size_t d), (a, b, c, d), TEXT(a) R(b, d)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13find_first_ofERKS4_m, \
      (const void *a, const void *b, size_t c), (a, b, c), TEXT(a) TEXT(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12find_last_ofEcm, \
      (const void *a, char b, size_t c), (a, b, c), TEXT(a)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12find_last_ofEPKcm, \
      (const void *a, const char *b, size_t c), (a, b, c), TEXT(a) S(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12find_last_ofEPKcmm, \
      (const void *a, const char *b, size_t c, size_t d), (a, b, c, d), TEXT(a) R(b, d)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12find_last_ofERKS4_m, \
      (const void *a, const void *b, size_t c), (a, b, c), TEXT(a) TEXT(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17find_first_not_ofEcm, \
      (const void *a, char b, size_t c), (a, b, c), TEXT(a)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17find_first_not_ofEPKcm, \
      (const void *a, const char *b, size_t c), (a, b, c), TEXT(a) S(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17find_first_not_ofEPKcmm, \
      (const void *a, const char *b, size_t c, size_t d), (a, b, c, d), TEXT(a) R(b, d)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE17find_first_not_ofERKS4_m, \
      (const void *a, const void *b, size_t c), (a, b, c), TEXT(a) TEXT(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE16find_last_not_ofEcm, \
      (const void *a, char b, size_t c), (a, b, c), TEXT(a)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE16find_last_not_ofEPKcm, \
      (const void *a, const char *b, size_t c), (a, b, c), TEXT(a) S(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE16find_last_not_ofEPKcmm, \
      (const void *a, const char *b, size_t c, size_t d), (a, b, c, d), TEXT(a) R(b, d)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE16find_last_not_ofERKS4_m, \
      (const void *a, const void *b, size_t c), (a, b, c), TEXT(a) TEXT(b)) \
    X(size_t, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4copyEPcmm, \
      (const void *a, char *b, size_t c, size_t d), (a, b, c, d), TEXT(a) W(b, COPIED(a, c, d))) \
    X(struct rt_cxx_string, _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm, \
      (const void *a, size_t b, size_t c), (a, b, c), TEXT(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_, \
      (void *a, const void *b), (a, b), TEXT(b) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EOS4_, \
      (void *a, void *b), (a, b), TEXT(b) W(b, OBJECT) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_mm, \
      (void *a, const void *b, size_t c, size_t d), (a, b, c, d), TEXT(b) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EPKcRKS3_, \
      (void *a, const char *b, const void *c), (a, b, c), S(b) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1EPKcmRKS3_, \
      (void *a, const char *b, size_t c, const void *d), (a, b, c, d), R(b, c) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1Ev, (void *a), (a), W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev, (void *a), (a), R(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2ERKS4_, \
      (void *a, const void *b), (a, b), TEXT(b) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2EOS4_, \
      (void *a, void *b), (a, b), TEXT(b) W(b, OBJECT) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2ERKS4_mm, \
      (void *a, const void *b, size_t c, size_t d), (a, b, c, d), TEXT(b) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2EPKcRKS3_, \
      (void *a, const char *b, const void *c), (a, b, c), S(b) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2EPKcmRKS3_, \
      (void *a, const char *b, size_t c, const void *d), (a, b, c, d), R(b, c) W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2Ev, (void *a), (a), W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev, (void *a), (a), R(a, OBJECT)) \
    /* std::string: what changes it */ \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc, \
      (void *a, size_t b, char c), (a, b, c), W(a, OBJECT)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv, (void *a), (a), R(a, OBJECT)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm, \
      (void *a, const char *b, size_t c), (a, b, c), R(b, c) APPENDS(a, c)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKcm, \
      (void *a, const char *b, size_t c), (a, b, c), R(b, c) APPENDS(a, c)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc, \
      (void *a, const char *b), (a, b), S(b) APPENDS(a, SIZE(b) - 1)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLEPKc, \
      (void *a, const char *b), (a, b), S(b) APPENDS(a, SIZE(b) - 1)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_, \
      (void *a, const void *b), (a, b), TEXT(b) APPENDS(a, LENGTH(b))) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLERKS4_, \
      (void *a, const void *b), (a, b), TEXT(b) APPENDS(a, LENGTH(b))) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEmc, \
      (void *a, size_t b, char c), (a, b, c), APPENDS(a, b)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9push_backEc, \
      (void *a, char b), (a, b), APPENDS(a, 1)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLEc, (void *a, char b), (a, b), APPENDS(a, 1)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_, \
      (void *a, const void *b), (a, b), TEXT(b) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSERKS4_, \
      (void *a, const void *b), (a, b), TEXT(b) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignERKS4_, \
      (void *a, const void *b), (a, b), TEXT(b) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSEOS4_, \
      (void *a, void *b), (a, b), ALTERS(b) ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4swapERS4_, \
      (void *a, void *b), (a, b), ALTERS(b) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSEPKc, \
      (void *a, const char *b), (a, b), S(b) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignEPKc, \
      (void *a, const char *b), (a, b), S(b) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignEPKcm, \
      (void *a, const char *b, size_t c), (a, b, c), R(b, c) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignERKS4_mm, \
      (void *a, const void *b, size_t c, size_t d), (a, b, c, d), TEXT(b) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignEmc, \
      (void *a, size_t b, char c), (a, b, c), ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSEc, (void *a, char b), (a, b), ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6insertEmPKc, \
      (void *a, size_t b, const char *c), (a, b, c), S(c) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6insertEmPKcm, \
      (void *a, size_t b, const char *c, size_t d), (a, b, c, d), R(c, d) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6insertEmRKS4_, \
      (void *a, size_t b, const void *c), (a, b, c), TEXT(c) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEmmPKc, \
      (void *a, size_t b, size_t c, const char *d), (a, b, c, d), S(d) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEmmPKcm, \
      (void *a, size_t b, size_t c, const char *d, size_t e), (a, b, c, d, e), R(d, e) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEmmRKS4_, \
      (void *a, size_t b, size_t c, const void *d), (a, b, c, d), TEXT(d) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm, \
      (void *a, size_t b, size_t c, const char *d, size_t e), (a, b, c, d, e), R(d, e) ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE14_M_replace_auxEmmmc, \
      (void *a, size_t b, size_t c, size_t d, char e), (a, b, c, d, e), ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm, \
      (void *a, size_t b, size_t c, const char *d, size_t e), (a, b, c, d, e), if (d) R(d, e) ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8_M_eraseEmm, \
      (void *a, size_t b, size_t c), (a, b, c), ALTERS(a)) \
    X(void *, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5eraseEmm, \
      (void *a, size_t b, size_t c), (a, b, c), ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc, \
      (void *a, size_t b, char c), (a, b, c), ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEm, (void *a, size_t b), (a, b), ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7reserveEm, (void *a, size_t b), (a, b), ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7reserveEv, (void *a), (a), ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8pop_backEv, (void *a), (a), ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5clearEv, (void *a), (a), ALTERS(a)) \
    X(void, _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE13shrink_to_fitEv, (void *a), (a), ALTERS(a)) \
    /* output */ \
    X(void *, _ZNSolsEi, (void *a, int b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEj, (void *a, unsigned b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEs, (void *a, short b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEt, (void *a, unsigned short b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEl, (void *a, long b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEm, (void *a, unsigned long b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEx, (void *a, long long b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEy, (void *a, unsigned long long b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEb, (void *a, bool b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEd, (void *a, double b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEf, (void *a, float b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEe, (void *a, long double b), (a, b), PUTS(a)) \
    X(void *, _ZNSolsEPKv, (void *a, const void *b), (a, b), PUTS(a)) \
    X(void *, _ZNSo9_M_insertIbEERSoT_, (void *a, bool b), (a, b), PUTS(a)) \
    X(void *, _ZNSo9_M_insertIdEERSoT_, (void *a, double b), (a, b), PUTS(a)) \
    X(void *, _ZNSo9_M_insertIeEERSoT_, (void *a, long double b), (a, b), PUTS(a)) \
    X(void *, _ZNSo9_M_insertIlEERSoT_, (void *a, long b), (a, b), PUTS(a)) \
    X(void *, _ZNSo9_M_insertImEERSoT_, (void *a, unsigned long b), (a, b), PUTS(a)) \
    X(void *, _ZNSo9_M_insertIxEERSoT_, (void *a, long long b), (a, b), PUTS(a)) \
    X(void *, _ZNSo9_M_insertIyEERSoT_, (void *a, unsigned long long b), (a, b), PUTS(a)) \
    X(void *, _ZNSo9_M_insertIPKvEERSoT_, (void *a, const void *b), (a, b), PUTS(a)) \
    X(void *, _ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l, \
      (void *a, const char *b, long c), (a, b, c), R(b, (size_t)c) PUTS(a)) \
    X(void *, _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, \
      (void *a, const char *b), (a, b), S_IF(b) PUTS(a)) \
    X(void *, _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, (void *a, char b), (a, b), PUTS(a)) \
    X(void *, _ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE, \
      (void *a, const void *b), (a, b), TEXT(b) PUTS(a)) \
    X(void *, _ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_, (void *a), (a), PUTS(a)) \
    X(void *, _ZNSo3putEc, (void *a, char b), (a, b), PUTS(a)) \
    X(void *, _ZNSo5writeEPKcl, (void *a, const char *b, long c), (a, b, c), R(b, (size_t)c) PUTS(a)) \
    X(void *, _ZNSo5flushEv, (void *a), (a), PUTS(a)) \
    /* input */ \
    X(void *, _ZNSirsERi, (void *a, int *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERj, (void *a, unsigned *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERs, (void *a, short *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERt, (void *a, unsigned short *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERl, (void *a, long *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERm, (void *a, unsigned long *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERx, (void *a, long *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERy, (void *a, unsigned long *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERb, (void *a, bool *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERd, (void *a, double *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERf, (void *a, float *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSirsERe, (void *a, long double *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractIbEERSiRT_, (void *a, bool *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractIdEERSiRT_, (void *a, double *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractIeEERSiRT_, (void *a, long double *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractIfEERSiRT_, (void *a, float *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractIjEERSiRT_, (void *a, unsigned *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractIlEERSiRT_, (void *a, long *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractImEERSiRT_, (void *a, unsigned long *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractItEERSiRT_, (void *a, unsigned short *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractIxEERSiRT_, (void *a, long *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZNSi10_M_extractIyEERSiRT_, (void *a, unsigned long *b), (a, b), TAKES(a) W(b, sizeof *b)) \
    X(void *, _ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_, \
      (void *a, char *b), (a, b), TAKES(a) W(b, 1)) \
    X(void *, _ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE, \
      (void *a, void *b), (a, b), TAKES(a) ALTERS(b)) \
    X(void *, \
      _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE, \
      (void *a, void *b), (a, b), TAKES(a) ALTERS(b)) \
    X(void *, \
      _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_, \
      (void *a, void *b, char c), (a, b, c), TAKES(a) ALTERS(b)) \
    X(int, _ZNSi3getEv, (void *a), (a), TAKES(a)) \
    X(void *, _ZNSi3getERc, (void *a, char *b), (a, b), TAKES(a) W(b, 1)) \
    X(int, _ZNSi4peekEv, (void *a), (a), TAKES(a)) \
    X(void *, _ZNSi4readEPcl, (void *a, char *b, long c), (a, b, c), TAKES(a) W(b, (size_t)c)) \
    X(void *, _ZNSi6ignoreEv, (void *a), (a), TAKES(a)) \
    X(void *, _ZNSi6ignoreEli, (void *a, long b, int c), (a, b, c), TAKES(a)) \
    /* string streams and buffers */ \
    X(struct rt_cxx_string, _ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv, \
      (const void *a), (a), TEXT_BEHIND(a, 8)) \
    X(struct rt_cxx_string, _ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv, \
      (const void *a), (a), TEXT_BEHIND(a, 24)) \
    X(struct rt_cxx_string, _ZNKSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv, \
      (const void *a), (a), TEXT_BEHIND(a, 16)) \
    X(struct rt_cxx_string, _ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv, \
      (const void *a), (a), TEXT_BEHIND(a, 0)) \
    X(long, _ZNSt15basic_streambufIcSt11char_traitsIcEE5sputnEPKcl, \
      (void *a, const char *b, long c), (a, b, c), R(b, (size_t)c) W((char *)a + OUTPUT_AT, POINTER)) \
    X(int, _ZNSt15basic_streambufIcSt11char_traitsIcEE5sputcEc, \
      (void *a, char b), (a, b), W((char *)a + OUTPUT_AT, POINTER)) \
    X(int, _ZNSt15basic_streambufIcSt11char_traitsIcEE5sgetcEv, (void *a), (a), R((char *)a + INPUT_AT, POINTER)) \
    X(int, _ZNSt15basic_streambufIcSt11char_traitsIcEE6sbumpcEv, (void *a), (a), W((char *)a + INPUT_AT, POINTER))

#endif
