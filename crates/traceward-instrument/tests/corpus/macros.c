/* Macros that write: seen once all of them has run. */
#include <stdio.h>

#define INCREASE(v) ((v)++)
#define RESET x = 0
#define SWAP(a, b) do { int keep_ = (a); (a) = (b); (b) = keep_; } while (0)
#define TWICE INCREASE(x), INCREASE(x)
#define LIMIT 5

int x = 1, y = 2;

int main(void)
{
    int sum = 0;
    INCREASE(x);
    sum += INCREASE(y);
    RESET;
    if (sum)
        SWAP(x, y);
    else
        RESET;
    TWICE;
    if (x < LIMIT)
        INCREASE(y);
    printf("%d %d %d\n", x, y, sum);
    return 0;
}
