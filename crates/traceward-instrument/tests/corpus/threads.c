/* Four threads that count together, and that write what nobody guards. */
#include <pthread.h>

int x, y, z;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static int one(void)
{
    return 1;
}

static int mark(const int *number, int i)
{
    return *number * 1000 + i;
}

static void *count(void *number)
{
    int i;
    for (i = 0; i < 500; i++) {
        pthread_mutex_lock(&guard);
        x = x + one();
        x++;
        pthread_mutex_unlock(&guard);
        y = mark(number, i);
        z = *(int *)number * 1000 + i;
    }
    return number;
}

int main(void)
{
    pthread_t threads[4];
    int numbers[4] = { 1, 2, 3, 4 };
    int i;
    for (i = 0; i < 4; i++)
        if (pthread_create(&threads[i], 0, count, &numbers[i]) != 0)
            return 2;
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return x != 4000;
}
