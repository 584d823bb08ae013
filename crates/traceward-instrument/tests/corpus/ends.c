/* Ends in the way that its argument says. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int x;

static int deeper(int depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return depth < 0 ? 0 : deeper(depth + 1) + room[0];
}

static void forks(int is_quiet)
{
    pid_t child = fork();
    if (child == 0) {
        if (is_quiet)
            exit(0);
        x = -1;
        x = -2;
        exit(3);
    }
    if (!is_quiet)
        x = 2000;
    waitpid(child, NULL, 0);
    x = 2001;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    int i;
    if (argc > 2 && strcmp(argv[2], "patient") == 0)
        usleep(100000);
    for (i = 1; i <= 1000; i++)
        x = i;
    if (strcmp(how, "segv") == 0) {
        raise(SIGSEGV);
    } else if (strcmp(how, "overflow") == 0) {
        return deeper(0);
    } else if (strcmp(how, "abort") == 0) {
        abort();
    } else if (strcmp(how, "exit") == 0) {
        exit(4);
    } else if (strcmp(how, "_exit") == 0) {
        _exit(7);
    } else if (strcmp(how, "kill") == 0) {
        kill(getpid(), SIGKILL);
    } else if (strcmp(how, "term") == 0) {
        raise(SIGTERM);
    } else if (strcmp(how, "exec") == 0) {
        execlp("true", "true", (char *)NULL);
    } else if (strcmp(how, "fork") == 0) {
        forks(0);
    } else if (strcmp(how, "fork-quiet") == 0) {
        forks(1);
    } else if (strcmp(how, "self") == 0 && argc < 3) {
        execl("/proc/self/exe", argv[0], "self", "again", (char *)NULL);
    }
    return 0;
}
