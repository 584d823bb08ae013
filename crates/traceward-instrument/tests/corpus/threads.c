/* Four threads that count together. */
#include <pthread.h>

int x;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static int one(void)
{
    return 1;
}

static void *count(void *unused)
{
    int i;
    for (i = 0; i < 500; i++) {
        pthread_mutex_lock(&guard);
        x = x + one();
        x++;
        pthread_mutex_unlock(&guard);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    int i;
    for (i = 0; i < 4; i++)
        if (pthread_create(&threads[i], 0, count, 0) != 0)
            return 2;
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return x != 4000;
}
