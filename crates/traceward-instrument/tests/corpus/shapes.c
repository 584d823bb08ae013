/* Memory of many shapes, written through pointers: bit-fields, unions, bytes of other objects, nested types. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct header {
    unsigned version : 4;
    unsigned length : 12;
    int delta : 5;
    bool last : 1;
} header_t;

typedef union {
    uint32_t word;
    struct {
        uint16_t low, high;
    } half;
    uint8_t bytes[4];
} word_t;

typedef struct {
    header_t header;
    struct {
        struct {
            word_t value;
        } inner;
        int depth;
    } body;
    uint64_t stamp;
} packet_t;

static packet_t packet = { .header = { .version = 1, .length = 20 }, .stamp = UINT64_MAX };
volatile uint32_t control;
int plain = 7;
double real = 0.5;

static void set_header(header_t *h, unsigned length)
{
    h->length = length;
    h->delta--;
    h->last = !h->last;
}

static void mangle(packet_t *p)
{
    uint16_t *low = &p->body.inner.value.half.low;
    p->body.inner.value.word = 0x01020304;
    p->body.inner.value.bytes[3] = 9;
    p->body.inner.value.half.low++;
    *low = 17;
    p->body.depth |= 6;
    p->stamp += 1;
    p->stamp--;
}

static void clear(void *object, int size)
{
    unsigned char *bytes = object;
    while (size-- > 0)
        bytes[size] = 0;
}

int main(void)
{
    packet_t local = packet, *alias = &packet;
    word_t word;
    set_header(&packet.header, 40);
    set_header(&alias->header, 41);
    mangle(&packet);
    mangle(&local);
    packet = (packet_t) { .header.version = 2, .body.depth = 3 };
    alias->header = local.header;
    packet.stamp = (uint64_t)1 << 63;
    control |= 0x80;
    control &= ~0x80u;
    word.half.low = word.half.high = 1;
    word.bytes[3] = 2;
    word.half.high++;
    *(uint16_t *)&word = 5;
    clear(&plain, 1);
    clear(&real, 8);
    printf("%u %u %d %d %u %u %g\n", packet.header.version, packet.header.length, packet.header.delta,
           packet.header.last, packet.body.inner.value.word, word.word, real);
    return 0;
}
