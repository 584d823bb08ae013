/* ABP: the alternating bit protocol, the program of abp.spl with threads. Channels lose one item of
 * five.
 *
 *   traceward run abp-c.tw --threads abp.c
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { ITEMS = 40, PATIENCE_NS = 2000000 };

struct item {
    int data;
    bool bit;
};

/* A channel for one item, which is overwritten by the next. */
struct channel {
    pthread_mutex_t guard;
    pthread_cond_t filled;
    bool is_full, is_closed;
    unsigned chance;
    struct item item;
};

static struct channel data_channel = { .guard = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .chance = 7 };
static struct channel ack_channel = { .guard = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .chance = 11 };

/* The number of the item that is sent, and of the one that is awaited. */
static int i = 1, j = 1;
static bool sender_bit = true, receiver_bit = true;
static bool timeout;
static int transmissions;
static int received[ITEMS + 2];

static void put(struct channel *channel, struct item item)
{
    pthread_mutex_lock(&channel->guard);
    channel->chance = channel->chance * 1103515245u + 12345u;
    if ((channel->chance >> 16) % 5 != 0) {
        channel->item = item;
        channel->is_full = true;
        pthread_cond_signal(&channel->filled);
    }
    pthread_mutex_unlock(&channel->guard);
}

static void close_channel(struct channel *channel)
{
    pthread_mutex_lock(&channel->guard);
    channel->is_closed = true;
    pthread_cond_signal(&channel->filled);
    pthread_mutex_unlock(&channel->guard);
}

/* Waits for an item, for some time or as long as the channel is open. */
static bool take(struct channel *channel, struct item *item, long patience)
{
    struct timespec until;
    int late = 0;
    bool is_there;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += patience;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&channel->guard);
    while (!channel->is_full && !channel->is_closed && late == 0) {
        if (patience > 0)
            late = pthread_cond_timedwait(&channel->filled, &channel->guard, &until);
        else
            pthread_cond_wait(&channel->filled, &channel->guard);
    }
    is_there = channel->is_full;
    *item = channel->item;
    channel->is_full = false;
    pthread_mutex_unlock(&channel->guard);
    return is_there;
}

static void *sender(void *unused)
{
    while (i <= ITEMS) {
        struct item item = { 10 * i, sender_bit }, answer;
        put(&data_channel, item);
        transmissions++;
        timeout = !take(&ack_channel, &answer, PATIENCE_NS);
        if (!timeout && answer.bit == sender_bit) {
            sender_bit = !sender_bit;
            i++;
        }
        timeout = false;
    }
    close_channel(&data_channel);
    return unused;
}

static void *receiver(void *unused)
{
    struct item item;
    while (take(&data_channel, &item, 0)) {
        if (item.bit == receiver_bit) {
            received[j] = item.data;
            receiver_bit = !receiver_bit;
            j++;
        }
        put(&ack_channel, item);
    }
    return unused;
}

int main(void)
{
    pthread_t one, other;
    int k, wrong = 0;
    if (pthread_create(&one, NULL, sender, NULL) != 0 || pthread_create(&other, NULL, receiver, NULL) != 0)
        return 2;
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    for (k = 1; k <= ITEMS; k++)
        wrong += received[k] != 10 * k;
    printf("%d items, %d wrong\n", j - 1, wrong);
    return wrong != 0;
}
