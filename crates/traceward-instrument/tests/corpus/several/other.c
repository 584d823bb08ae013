#include "shared.h"

static int hidden = 7;
struct machine machine;

void raise_level(int by)
{
    lower_level(1);
    level += by;
    hidden++;
}

void stop(void)
{
    machine.phase = STOPPED;
    machine.stops++;
}

int peek(void)
{
    return hidden;
}
