/* Preloaded into linux.uml (User-Mode Linux 6.1), for two things that it does not know of the host.
 *
 * ptrace: processors whose extended state is larger than its buffer. The kernel keeps a guest task's FPU
 * state in a buffer of fixed size (about 2.7 KB) and moves it with PTRACE_GETREGSET and PTRACE_SETREGSET
 * of NT_X86_XSTATE. With AMX the state is about 11 KB: the host refuses the short SETREGSET, and the
 * guest's first task dies ("put_fp_registers"). This reads the whole state and hands on the part that
 * the kernel has room for; on the way back it completes that part, and marks the AMX components as "in
 * their initial state" (bits 17 and 18 of XSTATE_BV clear). Where the state fits, calls go through
 * unchanged.
 *
 * lstat64, fstat64: in the user namespace of somebody who is not root, root's files seem to be nobody's.
 * In the guest they must be root's, or a set-uid program such as mount would make its root a nobody.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif

enum { XSTATE_BV_OFFSET = 512, LARGEST_STATE = 65536, OVERFLOW_ID = 65534 };
static const uint64_t AMX_COMPONENTS = 3ull << 17;

typedef long (*ptrace_function)(int, ...);

long ptrace(enum __ptrace_request request, ...)
{
    static ptrace_function next;
    static size_t host_size; /* 0 until the first read; the kernel reads before it writes */
    static _Alignas(64) unsigned char state[LARGEST_STATE]; /* linux.uml has one thread that traces */

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
    if ((uintptr_t)address != NT_X86_XSTATE ||
        (request != PTRACE_GETREGSET && request != PTRACE_SETREGSET))
        return next(request, pid, address, data);

    struct iovec *kernels = data;
    struct iovec whole = {state, sizeof state};
    if (request == PTRACE_GETREGSET) {
        long result = next(request, pid, address, &whole);
        if (result)
            return result;
        host_size = whole.iov_len;
        if (kernels->iov_len > host_size)
            kernels->iov_len = host_size;
        memcpy(kernels->iov_base, state, kernels->iov_len);
        return 0;
    }
    if (kernels->iov_len >= host_size)
        return next(request, pid, address, data);

    uint64_t present;
    memset(state, 0, host_size);
    memcpy(state, kernels->iov_base, kernels->iov_len);
    memcpy(&present, state + XSTATE_BV_OFFSET, sizeof present);
    present &= ~AMX_COMPONENTS;
    memcpy(state + XSTATE_BV_OFFSET, &present, sizeof present);
    whole.iov_len = host_size;
    return next(request, pid, address, &whole);
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
