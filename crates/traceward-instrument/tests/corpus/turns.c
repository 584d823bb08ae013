/* Threads that take turns: each is waited for before anybody else goes on. */
#include <pthread.h>
#include <stdio.h>

int total;

static int doubled(int n)
{
    int twice = n;
    twice *= 2;
    return twice;
}

static void *work(void *argument)
{
    static int turns;
    int number = *(int *)argument;
    int half;
    turns++;
    total += doubled(number);
    half = total / 2;
    *(int *)argument = half;
    return NULL;
}

int main(void)
{
    int given = 3, round;
    for (round = 0; round < 3; round++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, &given) != 0)
            return 1;
        pthread_join(thread, NULL);
        total += given;
    }
    printf("%d %d\n", total, given);
    return 0;
}
