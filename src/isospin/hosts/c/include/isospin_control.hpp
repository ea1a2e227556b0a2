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
#endif
