/* A tank that is filled in rounds, and a valve that opens when it is too full. */
static int level = 0;
static int valve = 0;

static void fill(int amount)
{
    level += amount;
    valve = level > 8;
    if (valve)
        level = 0;
}

int main(void)
{
    for (int round = 0; round < 5; round++)
        fill(round);
    return 0;
}
