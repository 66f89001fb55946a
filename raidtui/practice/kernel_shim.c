/* Preloaded into linux.uml (User-Mode Linux 6.1 to 7.2), for what it does not know of the host.
 *
 * ptrace, first: processors whose extended state is larger than its buffer. The kernel keeps a guest task's FPU
 * state in a buffer of fixed size (about 2.7 KB) and moves it with PTRACE_GETREGSET and PTRACE_SETREGSET
 * of NT_X86_XSTATE. With AMX the state is about 11 KB: the host refuses the short SETREGSET, and the
 * guest's first task dies ("put_fp_registers"). This reads the whole state and hands on the part that
 * the kernel has room for; on the way back it completes that part, and marks the AMX components as "in
 * their initial state" (bits 17 and 18 of XSTATE_BV clear).
 *
 * ptrace, second: most of these moves are for nothing, and each write costs the host an allocation. The
 * kernel reads the state whenever a guest task stops, and writes it before the task goes on, changed or
 * not. Here it is read once for each stop, and written only before guest code goes on (PTRACE_SYSEMU and
 * the like), and only if it is not what the task has. In between the kernel lets its own stub run in the
 * task (PTRACE_CONT): that uses none of these registers, but a signal to it resets them.
 *
 * ptrace, third: the kernel and its tasks take turns, one of them at work at any time. On two processors
 * each turn is an interrupt to the other, which may have to wake up for it. So the kernel stays where it
 * is, and a task is called to it before it goes on. Now and then the scheduler may move the kernel: to
 * where there is less to do.
 *
 * lstat64, fstat64, statx: in the user namespace of somebody who is not root, root's files seem to be nobody's.
 * In the guest they must be root's, or a set-uid program such as mount would make its root a nobody.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif

enum { XSTATE_BV_OFFSET = 512, LARGEST_STATE = 65536, OVERFLOW_ID = 65534, SEATS = 256, STAYS_MS = 250, OLD_SETOPTIONS = 21 };
static const uint64_t AMX_COMPONENTS = 3ull << 17;

typedef long (*ptrace_function)(int, ...);
static ptrace_function next;

/* A task of the host that guest code runs in. linux.uml has one thread that traces: no locks. */
struct seat {
    long pid;
    int processor;        /* the only one it may be on; -1: not said yet */
    bool known;           /* `state` is what the stopped task has */
    bool owed;            /* `state` is what the task is to have when guest code goes on */
    size_t size;          /* of `state`, as the host has it; 0: nothing was read or written yet */
    unsigned char *state; /* LARGEST_STATE bytes, aligned as XSAVE wants it */
};

static struct seat *seat_of(long pid)
{
    static struct seat seats[SEATS];
    struct seat *seat = &seats[pid % SEATS];

    if (seat->pid != pid) {
        if (seat->owed) /* a task that waits its turn, whose pid falls on the same seat */
            next(PTRACE_SETREGSET, seat->pid, (void *)NT_X86_XSTATE, &(struct iovec){seat->state, seat->size});
        if (!seat->state && posix_memalign((void **)&seat->state, 64, LARGEST_STATE))
            abort();
        *seat = (struct seat){.pid = pid, .processor = -1, .state = seat->state};
    }
    return seat;
}

static long read_state(struct seat *seat)
{
    struct iovec whole = {seat->state, LARGEST_STATE};
    long result;

    if (seat->known || seat->owed)
        return 0;
    result = next(PTRACE_GETREGSET, seat->pid, (void *)NT_X86_XSTATE, &whole);
    if (!result) {
        seat->size = whole.iov_len;
        seat->known = true;
    }
    return result;
}

/* The state as the kernel has it, made whole. */
static void owe_state(struct seat *seat, const struct iovec *kernels, size_t host_size)
{
    static _Alignas(64) unsigned char state[LARGEST_STATE];
    uint64_t present;

    memcpy(state, kernels->iov_base, kernels->iov_len);
    if (kernels->iov_len < host_size) {
        memset(state + kernels->iov_len, 0, host_size - kernels->iov_len);
        memcpy(&present, state + XSTATE_BV_OFFSET, sizeof present);
        present &= ~AMX_COMPONENTS;
        memcpy(state + XSTATE_BV_OFFSET, &present, sizeof present);
    }
    if (seat->size == host_size && (seat->known || seat->owed) && !memcmp(seat->state, state, host_size))
        return;
    memcpy(seat->state, state, host_size);
    seat->size = host_size;
    seat->known = false;
    seat->owed = true;
}

static long pay_state(struct seat *seat)
{
    struct iovec whole = {seat->state, seat->size};

    if (!seat->owed)
        return 0;
    seat->owed = false;
    return next(PTRACE_SETREGSET, seat->pid, (void *)NT_X86_XSTATE, &whole);
}

static void call_here(struct seat *seat)
{
    static cpu_set_t allowed, one;
    static int here = -1;
    static bool free_to_move = true;
    static int64_t came_ms;
    struct timespec time;
    int64_t now_ms;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    now_ms = time.tv_sec * 1000ll + time.tv_nsec / 1000000;
    if (here < 0 && sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    if (free_to_move) { /* since the turn before this: it has waited for a task, and has been woken */
        here = sched_getcpu();
        CPU_ZERO(&one);
        CPU_SET(here, &one);
        sched_setaffinity(0, sizeof one, &one);
        came_ms = now_ms;
        free_to_move = false;
    } else if (now_ms - came_ms > STAYS_MS) {
        sched_setaffinity(0, sizeof allowed, &allowed);
        free_to_move = true;
    }
    if (seat->processor != here && !sched_setaffinity(seat->pid, sizeof one, &one))
        seat->processor = here;
}

long ptrace(enum __ptrace_request request, ...)
{
    static size_t host_size; /* 0 until the first read; the kernel reads before it writes */

    va_list arguments;
    va_start(arguments, request);
    long pid = va_arg(arguments, long);
    void *address = va_arg(arguments, void *);
    void *data = va_arg(arguments, void *);
    va_end(arguments);

    if (!next && !(next = (ptrace_function)dlsym(RTLD_NEXT, "ptrace"))) {
        errno = ENOSYS;
        return -1;
    }

    struct seat *seat = seat_of((int)pid);
    struct iovec *kernels = data;
    switch ((int)request) {
    case PTRACE_GETREGSET:
        if ((uintptr_t)address != NT_X86_XSTATE)
            break;
        if (read_state(seat))
            return -1;
        host_size = seat->size;
        if (kernels->iov_len > host_size)
            kernels->iov_len = host_size;
        memcpy(kernels->iov_base, seat->state, kernels->iov_len);
        return 0;
    case PTRACE_SETREGSET:
        if ((uintptr_t)address != NT_X86_XSTATE)
            break;
        owe_state(seat, kernels, kernels->iov_len > host_size ? kernels->iov_len : host_size);
        return 0;
    case PTRACE_CONT: /* the kernel's stub: what is owed stays owed */
        call_here(seat);
        seat->known = false;
        break;
    case PTRACE_SYSEMU:
    case PTRACE_SYSEMU_SINGLESTEP:
    case PTRACE_SYSCALL:
    case PTRACE_SINGLESTEP:
        call_here(seat);
        if (pay_state(seat))
            return -1;
        seat->known = false;
        break;
    case PTRACE_SETOPTIONS:
    case OLD_SETOPTIONS: /* a new task, perhaps with the pid of an old one */
    case PTRACE_KILL:
        *seat = (struct seat){.pid = seat->pid, .processor = -1, .state = seat->state};
        break;
    default:
        break;
    }
    return next(request, pid, address, data);
}

static int owned_by_root(int result, struct stat64 *found)
{
    if (result == 0 && found->st_uid == OVERFLOW_ID)
        found->st_uid = 0;
    if (result == 0 && found->st_gid == OVERFLOW_ID)
        found->st_gid = 0;
    return result;
}

int lstat64(const char *path, struct stat64 *found)
{
    return owned_by_root(fstatat64(AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW), found);
}

int fstat64(int descriptor, struct stat64 *found)
{
    return owned_by_root(fstatat64(descriptor, "", found, AT_EMPTY_PATH), found);
}

int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *found)
{
    int result = (int)syscall(SYS_statx, folder, path, flags, mask, found);
    if (result == 0 && found->stx_uid == OVERFLOW_ID)
        found->stx_uid = 0;
    if (result == 0 && found->stx_gid == OVERFLOW_ID)
        found->stx_gid = 0;
    return result;
}
