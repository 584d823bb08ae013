/* Several files with one runtime: a global that two files write, and statics of the same name. */
#include "shared.h"
#include <stdio.h>

int level = 1;
static int hidden = 3;

int main(void)
{
    level = 2;
    hidden = 4;
    raise_level(5);
    lower_level(2);
    machine.phase = RUNNING;
    stop();
    printf("%d %d %d %d\n", level, hidden, machine.phase, peek());
    return 0;
}
