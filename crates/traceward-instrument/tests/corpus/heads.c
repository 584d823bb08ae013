/* Macros that are heads of loops and conditions, and statements that bring their semicolon. */
#include <stdio.h>

#define EACH(i, n) for ((i) = 0; (i) < (n); (i)++)
#define ODD(i, n) \
    EACH(i, n) \
        if ((i) % 2)
#define FOREVER for (;;)
#define WHEN(c) if (c)
#define RESET x = 0;
#define NEXT(v) (v = v + 1)
#define PAIR { 4, 5 }

int x, total;
int pair[2] = PAIR;

int main(void)
{
    int i, rest = 2;
    EACH(x, 3) {
        total += x;
    }
    EACH(x, 2)
        total += 10;
    EACH(i, 2)
        EACH(x, 2)
            pair[x] += i;
    ODD(x, 4)
        total -= x;
    else
        total++;
    if (rest)
        EACH(i, 2) total++;
    else
        total = 0;
    RESET
    total *= 2;
    FOREVER {
        WHEN(NEXT(x) > 2)
            break;
        else
            RESET
        WHEN(--rest < 0) {
            x = 7;
        }
    }
    EACH(x,
         3)
        continue;
    printf("%d %d %d\n", x, total, pair[1]);
    return 0;
}
