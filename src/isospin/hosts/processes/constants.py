"""The sizes and words that the server of processes and the runtime inside them share."""

from __future__ import annotations

import struct
from enum import StrEnum

from ...core import c_header

MOST_ARGUMENTS = 6  # of a call
KIND_SIZE = 16  # bytes: the name of a call, and a zero behind it
CALL = struct.Struct(f"<{KIND_SIZE}sQ{MOST_ARGUMENTS}qII")  # kind, place, arguments, sizes of stored bytes and of data
ANSWER = struct.Struct("<qiI")  # value, error, size of the data


class CallKind(StrEnum):
    """What a process asks for."""

    FORK = "fork"
    END = "end"
    ASSERT = "assert"
    CRASH = "crash"
    DIVERGE = "diverge"
    OUTSIDE = "outside"
    WAIT = "wait"
    KILL = "kill"
    PAUSE = "pause"
    GETPID = "getpid"
    GETPPID = "getppid"
    TOSS = "toss"
    SEMGET = "semget"
    SEMCTL = "semctl"
    SEMOP = "semop"
    SEMCOUNT = "semcount"
    SEM_OPEN = "sem_open"
    SEM_UNLINK = "sem_unlink"
    SEM_INIT = "sem_init"
    SEM_WAIT = "sem_wait"
    SEM_TRYWAIT = "sem_trywait"
    SEM_TIMEDWAIT = "sem_timedwait"
    SEM_POST = "sem_post"
    SEM_GETVALUE = "sem_getvalue"
    MSGGET = "msgget"
    MSGCTL = "msgctl"
    MSGSND = "msgsnd"
    MSGRCV = "msgrcv"
    MQ_OPEN = "mq_open"
    MQ_UNLINK = "mq_unlink"
    MQ_SEND = "mq_send"
    MQ_RECEIVE = "mq_receive"
    MQ_GETATTR = "mq_getattr"
    PIPE = "pipe"
    PIPE_READ = "pipe read"
    PIPE_WRITE = "pipe write"
    DUP = "dup"
    CLOSE = "close"
    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    MAP = "map"
    FTRUNCATE = "ftruncate"
    SHMGET = "shmget"
    SHMAT = "shmat"
    SHMCTL = "shmctl"
    SHM_OPEN = "shm_open"
    SHM_UNLINK = "shm_unlink"


def header() -> str:
    sizes = c_header.numbers(
        MOST_ARGUMENTS=MOST_ARGUMENTS, KIND_SIZE=KIND_SIZE, CALL_SIZE=CALL.size, ANSWER_SIZE=ANSWER.size
    )
    return c_header.header(sizes, c_header.words(CallKind, "CALL_"))
