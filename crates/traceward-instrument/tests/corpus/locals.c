/* Scopes, shadowing, recursion, static variables, parameters and loops with variables of their own. */
#include <stdio.h>

int x = 100;

static int factorial(int n)
{
    int result = 1, unused = n + 1;
    if (n > 1)
        result = n * factorial(n - 1);
    (void)unused;
    return result;
}

static int counted(void)
{
    static int calls;
    static unsigned char wraps = 255;
    calls++;
    wraps++;
    return calls + wraps;
}

static void shadow(void)
{
    int x = 1;
    x++;
    {
        int x = 5;
        x = 6;
        (void)x;
    }
    x = 3;
    (void)x;
}

static int early(int depth)
{
    int level = depth;
    if (depth == 0)
        return level = -1;
    for (int step = 0, other = 2; step < other; step++)
        level += step;
    return level;
}

int main(void)
{
    int total = 0;
    total += factorial(4);
    total += counted();
    total += counted();
    shadow();
    total += early(0) + early(3);
    x = 101;
    printf("%d %d\n", total, x);
    return 0;
}
