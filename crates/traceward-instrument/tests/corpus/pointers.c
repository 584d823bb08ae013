/* Addresses that are passed and kept, and writes through them. */
#include <stdio.h>
#include <string.h>

struct point {
    int x, y;
};

int v = 1;
int list[4] = { 1, 2, 3, 4 };
struct point at = { 1, 2 };
double ratio = 0.5;
int *kept;

static void set(int *p, int n)
{
    *p = n;
    p[0] += 1;
}

static void move(struct point *p)
{
    p->x++;
    (*p).y = p->x * 2;
}

static void fill(int *all, int n)
{
    int i;
    for (i = 0; i < n; i++)
        all[i] = 9 - i;
}

static int store(int *p)
{
    return *p = 30;
}

int main(void)
{
    int local = 5;
    int sum = 0;
    int *q = &v;
    struct point other = { 8, 9 };
    struct point *pp = &at;
    set(&v, 10);
    *q = 11;
    (*q)++;
    ++*q;
    *&v = 20;
    sum += *q = 21;
    kept = &list[2];
    *kept = 33;
    kept++;
    *kept-- = 44;
    *kept = 55;
    fill(list, 4);
    move(&at);
    *pp = other;
    pp->x = -1;
    (&at)->y = 7;
    memset(&at, 0, sizeof at);
    if (sscanf("42 1.5", "%d %lf", &v, &ratio) == 2)
        sum += v;
    set(&local, 6);
    q = &local;
    *q = 60;
    sum += store(&v);
    (sum ? &at : &other)->x = 4;
    *(list + 2) = 8;
    printf("%d %d %d %d %d %g %d\n", v, list[2], at.x, at.y, local, ratio, sum);
    return 0;
}
