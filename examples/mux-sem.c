/* MUX-SEM: mutual exclusion by a semaphore, the program of mux-sem.spl with threads.
 *
 *   traceward run mux-sem-c.tw --threads mux-sem.c
 *   CFLAGS=-DBROKEN traceward run mux-sem-c.tw --threads mux-sem.c
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 50 };

/* Where each process is: 1 noncritical, 2 request, 3 critical, 4 release. */
static int l = 1, m = 1;
static int r = 1;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static int visits;

static void request(void)
{
    pthread_mutex_lock(&guard);
#ifndef BROKEN
    while (r == 0)
        pthread_cond_wait(&released, &guard);
#endif
    r--;
    pthread_mutex_unlock(&guard);
}

static void release(void)
{
    pthread_mutex_lock(&guard);
    r++;
    pthread_cond_signal(&released);
    pthread_mutex_unlock(&guard);
}

static void work(void)
{
    struct timespec moment = { 0, 200000 };
    nanosleep(&moment, NULL);
    visits++;
}

static void *first(void *unused)
{
    int round;
    for (round = 0; round < ROUNDS; round++) {
        l = 1;
        l = 2;
        request();
        l = 3;
        work();
        l = 4;
        release();
    }
    return unused;
}

static void *second(void *unused)
{
    int round;
    for (round = 0; round < ROUNDS; round++) {
        m = 1;
        m = 2;
        request();
        m = 3;
        work();
        m = 4;
        release();
    }
    return unused;
}

int main(void)
{
    pthread_t one, other;
    if (pthread_create(&one, NULL, first, NULL) != 0 || pthread_create(&other, NULL, second, NULL) != 0)
        return 2;
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("done\n");
    return 0;
}
