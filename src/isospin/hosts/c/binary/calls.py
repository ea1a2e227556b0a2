"""What functions of libraries do with the values that they are given: what is not here may do anything."""

from __future__ import annotations

import re

ATOMIC = re.compile(r"__tsan_atomic(\d+)_(load|store|exchange|fetch_\w+|compare_exchange_\w+)$")
SAYS = "isospin_outcome"
# Functions of libraries, and what they do with their arguments: a, touch memory there; v, use the value; o, print it.
LIBRARY = {
    **dict.fromkeys(
        ("pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_trylock", "pthread_mutex_destroy",
         "pthread_spin_lock", "pthread_spin_unlock", "pthread_spin_trylock", "pthread_rwlock_rdlock",
         "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_cond_signal", "pthread_cond_broadcast",
         "pthread_cond_destroy", "pthread_barrier_wait", "pthread_barrier_destroy", "sem_wait", "sem_post",
         "sem_trywait", "sem_destroy", "mtx_lock", "mtx_unlock", "mtx_trylock", "mtx_destroy", "cnd_signal",
         "cnd_broadcast", "cnd_destroy", "pthread_attr_init", "pthread_attr_destroy"), "a"),
    **dict.fromkeys(("pthread_mutex_init", "pthread_cond_wait", "pthread_cond_init", "pthread_rwlock_init",
                     "cnd_wait"), "aa"),
    **dict.fromkeys(("pthread_barrier_init", "sem_init"), "avv"),
    **dict.fromkeys(("pthread_spin_init", "mtx_init"), "av"),
    **dict.fromkeys(("pthread_join", "thrd_join"), "va"),
    **dict.fromkeys(("pthread_self", "rand", "random", "sched_yield", "thrd_yield", "abort", "__assert_fail",
                     "__assert", "isospin_assert_failed", "isospin_fence_of_waiting", "__tsan_func_exit",
                     "__tsan_func_entry", "__stack_chk_fail"), ""),
    **dict.fromkeys(("usleep", "sleep", "exit", "_exit", "malloc", "free", "isospin_toss", "pthread_detach",
                     "pthread_exit", "thrd_exit"), "v"),
    **dict.fromkeys(("printf", "puts", "putchar", "fflush"), "oooooo"),
    **dict.fromkeys(("fprintf", "fputs"), "vooooo"),
    SAYS: "vvvvvv",  # what is said tells threads apart
    "calloc": "vv", "pthread_equal": "vv",
}  # fmt: skip
# SOUND: a format with which nothing but values of integers is said; behind others memory would be read.
SAYS_VALUES = re.compile(rb"(?:[^%\0]|%%|%[-+ #0]*\d*(?:hh|h|ll|l|j|z|t)?[diouxXc])*\0")
# With one of these in it, a program may get at what it has printed, or at how much that was.
READS_BACK = frozenset((
    "fopen", "fopen64", "fdopen", "freopen", "freopen64", "tmpfile", "tmpfile64", "fmemopen", "open_memstream",
    "open_wmemstream", "fopencookie", "popen", "setbuf", "setbuffer", "setvbuf", "dup", "dup2", "dup3", "ftell",
    "ftello", "ftello64", "fgetpos", "fgetpos64", "__fpending", "lseek", "lseek64", "fstat", "fstat64",
))  # fmt: skip
CREATES = {"pthread_create": ("rdx", "rcx", "aa"), "thrd_create": ("rsi", "rdx", "a")}
ALLOCATES = ("malloc", "calloc")
