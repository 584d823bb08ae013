/* Libraries that write through pointers they are handed on, and variables of many declarations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 5

struct point {
    int x, y;
};

struct point at = { 1, 2 };
int count;
char name[8] = "first";

static int read_number(const char *text, int *out)
{
    return sscanf(text, "%d", out) == 1;
}

static void copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

static void label(char *text, struct point *p)
{
    strcpy(text, "other");
    memset(&p->y, 0, sizeof p->y);
    memcpy(text + 1, "TH", 2);
}

static int cleaned(int n)
{
    int status = -1;
    int value;
    char *buffer = malloc(8);
    if (!buffer)
        goto out;
    if (!read_number(n ? "12" : "no", &value))
        goto out;
    status = value;
out:
    free(buffer);
    return status;
}

static int statics(int n)
{
    static enum { OFF, ON } mode = ON;
    static int table[3] = { LIMIT, LIMIT + 1, sizeof(int) }, *where = &table[1];
    static const char *word = "first";
    *where += n;
    mode = n ? OFF : ON;
    word = n ? "other" : "first";
    return table[1] + mode + (int)strlen(word);
}

static int kinds(void)
{
    const int fixed = 3;
    __extension__ __auto_type deduced = fixed * 2;
    __attribute__((unused)) int marked = 1, second = 2;
    unsigned char small = 250;
    int8_t tiny = 127;
    float single = 0.5f;
    long double wide = 0.5L;
    unsigned char *bytes = &small;
    read_number("3", &deduced);
    read_number("4", &second);
    *bytes += 10;
    tiny = (int8_t)(tiny + 1);
    single *= 2;
    wide += 1;
    return deduced + small + tiny + (int)single + (int)wide + second;
}

int main(void)
{
    struct point other = { 8, 9 };
    int sum = 0;
    if (!read_number("41", &count))
        return 1;
    copy(&at, &other, sizeof at);
    label(name, &at);
    sum += cleaned(1) + cleaned(0);
    sum += statics(0) + statics(2) + kinds();
    printf("%d %d %d %s %d\n", count, at.x, at.y, name, sum);
    return 0;
}
