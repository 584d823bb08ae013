/* Every form of write: assignments, compound and incremental ones, in every kind of expression. */
#include <stdio.h>

int x = 1;
static int y;
double d = 0.5;
_Bool flag;
unsigned long big = 18446744073709551615ul;
char c = 'a';

static int twice(int n)
{
    return n * 2;
}

int main(void)
{
    int i, sum = 0;
    x = 2;
    x += 3, y = x;
    x++;
    ++x;
    x--;
    sum += x++ + 1;
    sum += --x;
    y = x = 4;
    if ((x = twice(3)) == 6)
        y = 1;
    else
        y = 2;
    for (x = 0, y = 5; x < 3; x++, y--)
        sum += x;
    for (i = 0; i < 2; i++)
        x <<= 1;
    while (x-- > 0)
        sum++;
    do
        x += 2;
    while (x < 4);
    sum += x > 3 ? (y = 10) : (y = 20);
    x > 100 ? (x = 0) : (x = 50);
    sum += (x = 7, y + 1);
    sum += twice(x = 8);
    switch (x) {
    case 8:
        x = 9;
        break;
    default:
        x = 10;
    }
    d *= 3;
    d = d / 7;
    flag = x;
    flag = !flag;
    big++;
    big -= 1;
    c += 1;
    c = 'z';
    (void)(x = 11);
    goto end;
end:
    x = 12;
    printf("%d %d %d %g %d %lu %c\n", x, y, sum, d, flag, big, c);
    return x = 0;
}
