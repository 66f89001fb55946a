/* Does a program keep its vector registers over page faults, system calls, signals and other programs' turns?
 *
 * vectors NUMBER ROUNDS: status 0 and "kept"; 1 where a register had lost what was put into it. NUMBER makes the
 * contents of programs that run side by side differ. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

static volatile unsigned long signals;

static void on_signal(int number)
{
    double product = number;

    for (int i = 1; i < 20; i++)
        product *= 1.0000001 * i;
    signals += product > 0;
}

int main(int argc, char **argv)
{
    unsigned long number = argc > 1 ? strtoul(argv[1], 0, 10) : 1, rounds = argc > 2 ? strtoul(argv[2], 0, 10) : 1;
    struct itimerval often = {{0, 7000}, {0, 7000}};
    unsigned char put[96], got[96];

    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, 0);
    for (unsigned long round = 0; round < rounds; round++) {
        unsigned char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            return 2;
        for (unsigned i = 0; i < sizeof put; i++)
            put[i] = (unsigned char)(number * 31 + round * 7 + i * 13);
        __asm__ volatile(
            "movdqu (%[put]), %%xmm0\n movdqu 16(%[put]), %%xmm1\n movdqu 32(%[put]), %%xmm7\n"
            "movdqu 48(%[put]), %%xmm8\n movdqu 64(%[put]), %%xmm14\n movdqu 80(%[put]), %%xmm15\n"
            "movb $1, (%[pages])\n movb $2, 4096(%[pages])\n" /* two page faults */
            "movl $24, %%eax\n syscall\n"                     /* sched_yield: another program's turn */
            "movl $39, %%eax\n syscall\n"                     /* getpid: this one's own */
            "movdqu %%xmm0, (%[got])\n movdqu %%xmm1, 16(%[got])\n movdqu %%xmm7, 32(%[got])\n"
            "movdqu %%xmm8, 48(%[got])\n movdqu %%xmm14, 64(%[got])\n movdqu %%xmm15, 80(%[got])\n"
            :
            : [put] "r"(put), [got] "r"(got), [pages] "r"(pages)
            : "rax", "rcx", "r11", "memory", "xmm0", "xmm1", "xmm7", "xmm8", "xmm14", "xmm15");
        if (memcmp(put, got, sizeof put)) {
            printf("lost in round %lu\n", round);
            return 1;
        }
        munmap(pages, 8192);
    }
    puts(signals ? "kept" : "no signal came");
    return 0;
}
