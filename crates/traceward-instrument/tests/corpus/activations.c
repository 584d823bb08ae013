/* Locals of every kind of call and block: loops, jumps, early ends, parts of them, and calls that get their address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int a;
    int b[2];
};

typedef struct {
    struct pair in;
    unsigned bits : 4;
    double ratio;
} deep;

int shared;

static int odd(int rest);

static int even(int rest)
{
    int seen = rest, later;
    if (rest == 0)
        return 1;
    later = odd(rest - 1);
    seen += later;
    return later;
}

static int odd(int rest)
{
    int seen;
    seen = -rest;
    return rest == 0 ? 0 : even(rest - 1) + 0 * seen;
}

static int loops(int most)
{
    int sum = 0;
    for (int i = 0; i < most; i++) {
        int square = i * i, late;
        if (square % 2 == 0)
            continue;
        late = square + 1;
        sum += late;
    }
    for (int low = 0, high = 4; low < high; low++, high--)
        sum += high;
    for (struct pair p = { 1, { 2, 3 } }; p.a < 3; p.a++)
        p.b[1] += p.a;
    while (sum > 10) {
        int half = sum / 2;
        sum = half;
        do {
            int half = 100;
            half++;
            sum -= half - 100;
        } while (sum > 20);
    }
    return sum;
}

static int jumps(int n)
{
    int tries = 0;
again:
    {
        int inner = n - tries;
        tries++;
        if (inner > 1)
            goto again;
        if (inner == 0)
            goto out;
        for (;;) {
            int deepest = inner;
            switch (deepest) {
                int odd_place;
            case 1: {
                int chosen = 4;
                chosen <<= 2;
                odd_place = chosen;
                inner = odd_place;
                break;
            }
            default:
                deepest = 7;
                goto out;
            }
            if (deepest == 1)
                break;
        }
    }
    return tries;
out:
    tries = -1;
    return tries;
}

static int searched(const int *list, int count, int wanted)
{
    for (int at = 0; at < count; at++) {
        int now = list[at];
        if (now == wanted)
            return at;
    }
    return -1;
}

static int arguments(char letter, _Bool flag, unsigned long wide, double real, struct pair p, int rest)
{
    while (rest-- > 0)
        letter++;
    flag = !flag;
    wide = wide * 2 + flag;
    real /= 4;
    p.a = letter;
    p.b[1] ^= 5;
    return p.a + p.b[1] + (int)wide;
}

static struct pair made(int a)
{
    struct pair result = { .b = { 7, a } };
    result.a = a;
    return result;
}

static int parts(int n)
{
    int cells[3] = { 1, 2, 3 }, after = cells[1] + made(n).a, index = 2;
    deep d = { { n, { 8, 9 } }, 3, 0.5 }, copy;
    char label[8] = "new";
    cells[n] = 5;
    cells[index--] = 6;
    cells[index] += cells[2];
    memcpy(cells, (int[]) { 4, 4, 4 }, sizeof cells);
    d.in = made(11);
    d.in.b[1]++;
    d.bits += 4;
    d.ratio *= 3;
    copy = d;
    copy.in.b[1] = after;
    label[0] = 'N';
    strcpy(label, "old");
    return copy.in.b[1] + d.in.a + (int)strlen(label);
}

static int expressions(int n)
{
    int t, u = 1, v = 2, w = (u = 5, u + 1);
    t = u = v += 3;
    t > 3 ? (t = 1) : (u = 2);
    v = t ? u++ : u--;
    if ((t = n * 2) > 3 && (u = t) != 0)
        w %= 4;
    t = 1, u = t + 1;
    (void)(w -= t);
    return t + u + v + w;
}

/* Its own address goes down: what the inner call writes is the outer call's once that counts again. */
static void down(int depth, int *outer)
{
    int own = depth * 10;
    int first;
    if (outer)
        *outer = depth + 5;
    if (depth > 0) {
        down(depth - 1, &own);
        down(0, &first);
        shared += first;
    }
    own++;
}

static void first_value(int *result, int kind)
{
    if (kind)
        *result = 11 + kind;
}

static int addresses(void)
{
    int got, missed, scanned, *where = &got;
    struct pair p;
    *where = 3;
    if (sscanf("41", "%d", &scanned) != 1)
        return 1;
    first_value(&got, 1);
    first_value(&missed, 0);
    if (sscanf("nothing", "%d", &missed) == 1)
        return 1;
    p.a = 1;
    first_value(&p.b[1], 1);
    (*where)++;
    for (int k = 0; k < 2; k++) {
        int block;
        first_value(&block, k);
        if (k)
            got += block;
    }
    {
        int other;
        first_value(&other, 2);
        got += other;
    }
    return got + p.b[1] + scanned;
}

static int compared(const void *a, const void *b)
{
    int difference = *(const int *)a - *(const int *)b;
    return difference;
}

static int remembered(int n)
{
    static int most = 2;
    static struct pair last;
    if (n > most)
        first_value(&most, n > 5);
    last.b[1] = n;
    return most;
}

int main(int argc, char **argv)
{
    int list[4] = { 4, 3, 8, 1 };
    struct pair p = { 1, { 2, 3 } };
    int sum = even(3);
    (void)argv;
    sum += loops(4);
    sum += jumps(3) + jumps(0);
    sum += searched(list, 4, 8) + searched(list, 4, 9);
    sum += arguments('a', 1, 4294967296ul, 2.0, p, 2);
    sum += parts(1) + expressions(4);
    down(2, NULL);
    sum += addresses();
    sum += bsearch(&sum, list, 1, sizeof *list, compared) == NULL;
    sum += remembered(3) + remembered(9);
    shared = sum;
    printf("%d %d %d\n", argc, sum, list[0]);
    if (sum > 0)
        exit(0);
    return 1;
}
