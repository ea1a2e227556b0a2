/* Functions of libraries of which is known what they touch; strangers.h says what the letters mean.
 *
 * SOUND: what stands here without letters touches nothing of the program that another thread could touch too: values,
 * constants, memory of the calling thread, or what is under our control elsewhere (locks, blocks, threads).  To add a
 * function, read what it does to its arguments and whether it keeps anything between two calls; if it does, it does not
 * belong here.  A * stands for any letters, and is for names that nobody else may have; the first that fits counts.
 */
#include "strangers/strangers.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct familiar {
    const char *name, *touches;
};

/* clang-format off */ /* tables, several words a line */

/* Nothing more to say of them. */
static const char *const by_value[] = {
    /* the compiler's own */
    "__libc_start_main", "__gmon_start__", "__stack_chk_fail", "__errno_location", "_setjmp", "setjmp", "__sigsetjmp",
    "longjmp", "siglongjmp", "_longjmp", "__longjmp_chk",
    /* ctype.h, wctype.h */
    "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "isalnum", "isalpha", "isblank", "iscntrl",
    "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit", "isascii", "toascii",
    "tolower", "toupper", "iswalnum", "iswalpha", "iswblank", "iswcntrl", "iswdigit", "iswgraph", "iswlower",
    "iswprint", "iswpunct", "iswspace", "iswupper", "iswxdigit", "towlower", "towupper",
    /* fenv.h: the registers of the thread */
    "fegetround", "fesetround", "feclearexcept", "feraiseexcept", "fetestexcept",
    /* stdlib.h: of numbers, or by functions of the program that are given */
    "abs", "labs", "llabs", "imaxabs", "div", "ldiv", "lldiv", "ffs", "ffsl", "ffsll", "bsearch", "strerror",
    "strsignal", "strerrorname_np", "strerrordesc_np", "sigabbrev_np", "sigdescr_np", "difftime", "imaxdiv",
    "gnu_dev_major", "gnu_dev_minor", "gnu_dev_makedev", "nl_langinfo",
    /* netinet/in.h, and what is TLS in libc */
    "htons", "htonl", "ntohs", "ntohl", "inet_ntoa", "gai_strerror", "hstrerror",
    /* stdio.h: standard output is nobody's */
    "putchar",
    /* of the process, which stay as they are */
    "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getpagesize", "sysconf", "get_nprocs",
    "get_nprocs_conf", "isatty", "fileno", "dirfd", "getpgrp", "getpgid", "getsid", "getpriority", "getauxval",
    "pthread_setconcurrency", "pthread_getconcurrency", "gnu_get_libc_version",
    /* C++: memory, exceptions, threads and what they are made of */
    "_Zn[wa]*", "_Zd[la]*", "__cxa_*", "__gxx_personality*", "__gcc_personality_v0", "_Unwind_*", "__dynamic_cast",
    "__once_proxy",
    "_ZSt*__throw_*", "_ZSt9terminatev", "_ZSt17rethrow_exception*", "_ZSt17current_exceptionv",
    "_ZSt18uncaught_exceptionv", "_ZSt19uncaught_exceptionsv", "_ZNSt15__exception_ptr*", "_ZNKSt15__exception_ptr*",
    "_ZNSt9exception*", "_ZNKSt9exception*", "_ZNSt*_error[CD]*", "_ZNKSt*_error4whatEv", "_ZNSt12out_of_range[CD]*",
    "_ZNSt16invalid_argument[CD]*", "_ZNSt*bad_*[CD]*", "_ZNKSt*bad_*4whatEv", "_ZNSt6thread*",
    "_ZNSt18condition_variable*", "_ZNSt22condition_variable_any*", "_ZNSt13__future_base*",
    "_ZNSt28__atomic_futex_unsigned_base*", "_ZNSt3_V2*_categoryEv", "_ZSt15future_categoryv", "_ZNSt6chrono3_V2*",
    "_ZNSt8ios_base4Init[CD]*", "_ZNKSt5ctypeIcE13_M_widen_initEv", "_ZNSt13random_device*",
};

/* math.h: of numbers, for double; with an f behind it for float, with an l for long double. */
static const char *const numeric[] = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "exp10", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "ilogb",
    "ldexp", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "nearbyint", "nextafter",
    "nexttoward", "pow", "remainder", "rint", "round", "roundeven", "scalbln", "scalbn", "sin", "sinh", "sqrt", "tan",
    "tanh", "tgamma", "trunc", "j0", "j1", "jn", "y0", "y1", "yn", "__fpclassify", "__isnan", "__isinf", "__finite",
    "__signbit",
};

static const struct familiar familiar[] = {
    /* attributes of pthreads */
    {"pthread_attr_*", "w56"}, {"pthread_mutexattr_*", "w4"}, {"pthread_condattr_*", "w4"},
    {"pthread_rwlockattr_*", "w8"}, {"pthread_barrierattr_*", "w4"},
    /* stdio.h, string.h */
    {"perror", "t"}, {"psignal", "-t"}, {"ferror", "f"}, {"feof", "f"}, {"clearerr", "f"}, {"fdopen", "-t"},
    {"setlinebuf", "f"}, {"fgetpos", "fw16"},
    {"fsetpos", "fr16"}, {"fseeko", "f"}, {"ftello", "f"}, {"putw", "-f"}, {"getw", "f"}, {"strerror_r", "-W"},
    {"__xpg_strerror_r", "-W"},
    {"index", "t"}, {"rindex", "t"}, {"basename", "t"}, {"fnmatch", "tt"}, {"alphasort", "r8r8"},
    {"versionsort", "r8r8"},
    /* stdlib.h, search.h */
    {"erand48", "w6"}, {"nrand48", "w6"}, {"jrand48", "w6"}, {"lfind", "--r8"}, {"a64l", "t"},
    /* signal.h: sets */
    {"sigemptyset", "w128"}, {"sigfillset", "w128"}, {"sigaddset", "w128"}, {"sigdelset", "w128"},
    {"sigismember", "r128"}, {"sigisemptyset", "r128"},
    /* of the machine, which stays as it is */
    {"gethostname", "W"}, {"getdomainname", "W"}, {"uname", "w390"}, {"confstr", "-W"},
    /* arpa/inet.h */
    {"inet_addr", "t"}, {"inet_network", "t"}, {"inet_aton", "tw4"},
    /* math.h, by pointers */
    {"sincos", "w8w8"}, {"sincosf", "w4w4"}, {"remquo", "w4"}, {"remquof", "w4"}, {"remquol", "w4"}, {"nan", "t"},
    {"nanf", "t"}, {"fegetenv", "w32"}, {"fesetenv", "r32"}, {"feholdexcept", "w32"}, {"feupdateenv", "r32"},
    /* std::list, std::map and std::set: their nodes, with 16 and 32 bytes of pointers.
     * SOUND: only some of the nodes that are touched are told, but always the one that stands for the whole container,
     * or one next to it: two threads that may not be in a container at the same time are in a race there. */
    {"_ZNSt8__detail15_List_node_base7_M_hookEPS0_", "w16w16"}, {"_ZNSt8__detail15_List_node_base9_M_unhookEv", "w16"},
    {"_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", "w16w16w16"},
    {"_ZNSt8__detail15_List_node_base4swapERS0_S1_", "w16w16"},
    {"_ZNSt8__detail15_List_node_base10_M_reverseEv", "w16"},
    {"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", "-w32w32w32"},
    {"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", "w32w32"},
    {"_ZSt18_Rb_tree_incrementP*", "r32"}, {"_ZSt18_Rb_tree_decrementP*", "r32"},
    /* unordered containers */
    {"_ZSt11_Hash_bytesPKvmm", "R"}, {"_ZNKSt8__detail20_Prime_rehash_policy*", "w16"},
    /* streams: what is written, and the stream itself */
    {"_ZNSolsE*", "s"}, {"_ZNSo9_M_insertI*", "s"}, {"_ZNSo3putEc", "s"}, {"_ZNSo5flushEv", "s"},
    {"_ZNSo5writeEPKcl", "sR"}, {"_ZSt4endlIc*", "s"}, {"_ZSt4endsIc*", "s"}, {"_ZSt5flushIc*", "s"},
    {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "st"},
    {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c", "s"},
    {"_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l", "sR"},
    {"_ZNSt7__cxx1119basic_ostringstreamIc*C[12]Ev", "s"}, {"_ZNSt7__cxx1119basic_ostringstreamIc*D[012]Ev", "s"},
    {"_ZNK*St7__cxx1119basic_ostringstreamIc*3strEv", "-s"},
    {"_ZNSt7__cxx1118basic_stringstreamIc*C[12]Ev", "s"}, {"_ZNSt7__cxx1118basic_stringstreamIc*D[012]Ev", "s"},
    {"_ZNK*St7__cxx1118basic_stringstreamIc*3strEv", "-s"},
};

/* clang-format on */

static bool is_numeric(const char *name)
{
    for (size_t i = 0; i < sizeof numeric / sizeof *numeric; i++) {
        size_t length = strlen(numeric[i]);
        if (strncmp(name, numeric[i], length) == 0 &&
            (!name[length] || (strchr("fl", name[length]) && !name[length + 1])))
            return true;
    }
    return false;
}

const char *familiar_touches(const char *name)
{
    if (is_numeric(name))
        return "";
    for (size_t i = 0; i < sizeof by_value / sizeof *by_value; i++)
        if (fnmatch(by_value[i], name, 0) == 0)
            return "";
    for (size_t i = 0; i < sizeof familiar / sizeof *familiar; i++)
        if (fnmatch(familiar[i].name, name, 0) == 0)
            return familiar[i].touches;
    return NULL;
}
