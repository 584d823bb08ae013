/* Values at the edges of their types, for predicates of every form. */
#include <limits.h>
#include <math.h>

int i;
unsigned u;
long long w;
unsigned long long z;
short s;
unsigned char b;
double d;
float f;
_Bool t, o;
int *p;
enum { FIRST, SECOND } e;

static void nothing(void)
{
    int local = 4;
    local = -4;
    (void)local;
}

int main(void)
{
    static const int numbers[] = { 0, 1, -1, 2, 5, 6, 7, -7, 100, INT_MAX, INT_MIN, INT_MAX - 1 };
    static const long long wide[] = { 0, 1, -1, LLONG_MAX, LLONG_MIN, 9007199254740993ll, 9007199254740992ll, 5 };
    static const unsigned long long huge[] = { 0, 1, 5, ULLONG_MAX, 9223372036854775808ull, 9223372036854775807ull };
    static const double reals[] = { 0.0, -0.0, 0.5, 2.5, -2.5, 5.0, 1e300, -1e300, 9007199254740992.0, 0.1 };
    unsigned k, j;
    for (k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        i = numbers[k];
        u = (unsigned)numbers[k];
        s = (short)numbers[k];
        b = (unsigned char)numbers[k];
        e = numbers[k] & 1 ? SECOND : FIRST;
        t = numbers[k] > 3;
        o = !t;
        for (j = 0; j < sizeof wide / sizeof *wide; j++)
            w = wide[j];
        for (j = 0; j < sizeof huge / sizeof *huge; j++)
            z = huge[j];
    }
    for (k = 0; k < sizeof reals / sizeof *reals; k++) {
        d = reals[k];
        f = (float)reals[k];
        w = (long long)(reals[k] > 1e18 || reals[k] < -1e18 ? 0 : reals[k]);
    }
    d = NAN;
    p = &i;
    p = 0;
    nothing();
    return 0;
}
