/* Read before each C++ file that is compiled for control.
 *
 * libstdc++ keeps the code of std::string in its library, which is not compiled for control.  Without the promise that
 * it is there, the compiler makes that code anew, in the program, where each access is announced.  Streams stay in the
 * library: what they touch is known (runtime/strangers/familiar.c).
 */
#pragma GCC system_header
#if defined __cplusplus && defined __has_include
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#ifdef _GLIBCXX_EXTERN_TEMPLATE
#include <bits/ostream_insert.h>
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include <string>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
#endif
#endif
#if __cplusplus > 201703L && __has_include(<bits/atomic_wait.h>) && defined __ATOMIC_SEQ_CST
/* What libstdc++ does to wait and to notify is enough on every processor, but not by the rules of C++: a store with
 * release, or a relaxed one, may come behind the question whether anybody waits. */
extern "C" void isospin_fence_of_waiting(void);
#include <bits/functional_hash.h>
#include <bits/gthr.h>
#include <ext/numeric_traits.h>
#pragma push_macro("__ATOMIC_SEQ_CST")
#undef __ATOMIC_SEQ_CST
#define __ATOMIC_SEQ_CST (isospin_fence_of_waiting(), 5)
#include <bits/atomic_wait.h>
#pragma pop_macro("__ATOMIC_SEQ_CST")
#endif
#endif
