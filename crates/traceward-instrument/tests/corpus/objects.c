/* Parts of objects: members, elements, bit-fields, unions, and whole structs at once. */
#include <stdio.h>

struct inner {
    int k;
    int list[4];
};

typedef struct {
    int f;
    unsigned g : 3;
    struct inner in;
    struct {
        int nameless;
    };
} whole;

union number {
    int i;
    unsigned char bytes[4];
};

static whole s = { 1, 2, { 3, { 4, 5, 6, 7 } }, { 8 } };
int a[5] = { 0, 1, 2, 3, 4 };
int grid[2][3];
union number u;
enum color { RED, GREEN = 5, BLUE } hue = GREEN;

static whole changed(whole w)
{
    w.f += 10;
    w.in.list[2] = -1;
    return w;
}

int main(void)
{
    whole t = { 7, 1, { 0, { 0, 0, 9, 0 } }, { 1 } };
    int i, sum = 0;
    s.f = 2;
    s.g = 7;
    s.g++;
    s.in.k++;
    s.in.list[2] = 60;
    s.in.list[1] = 61;
    s.nameless = 80;
    s = t;
    s.in = (struct inner) { .k = 1, .list = { 1, 2, 3, 4 } };
    s = changed(s);
    for (i = 0; i < 5; i++)
        a[i] = i * 10;
    i = 2;
    a[i++] = 5;
    sum += a[i] = 77;
    a[2 + 1] += 1;
    sum += a[i]++;
    grid[1][2] = 3;
    grid[i - 2][i - 1]++;
    grid[0][2] = 9;
    u.i = 1;
    u.bytes[0] = 4;
    hue = BLUE;
    hue = RED;
    printf("%d %d %d %d %d %d %d %d %d\n", s.f, s.g, s.in.k, s.in.list[2], a[3], grid[1][2], u.bytes[0], hue, sum);
    return s.f = 3;
}
