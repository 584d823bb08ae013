/* A state machine: enumerations, static variables of them, switches in switches, jumps. */
#include <stdio.h>
#include <string.h>

enum state { IDLE, DIALING = 5, CONNECTED, ERROR_STATE };
enum event { EV_DIAL, EV_ANSWER, EV_HANGUP, EV_FAIL };

static const char *const names[] = { [IDLE] = "idle", [DIALING] = "dialing", [CONNECTED] = "connected" };

static enum state step(enum state now, enum event ev)
{
    static enum state previous = IDLE;
    static unsigned transitions;
    enum state next = now;
    switch (now) {
    case IDLE:
        if (ev == EV_DIAL)
            next = DIALING;
        break;
    case DIALING:
        switch (ev) {
        case EV_ANSWER:
            next = CONNECTED;
            break;
        case EV_FAIL:
            next = ERROR_STATE;
            break;
        default:
            next = IDLE;
        }
        break;
    case CONNECTED:
        if (ev == EV_HANGUP) {
            next = IDLE;
            goto counted;
        }
        break;
    case ERROR_STATE:
        next = IDLE;
    }
    if (next == now)
        return now;
counted:
    previous = now;
    transitions++;
    return next;
}

int main(void)
{
    static const enum event script[] = { EV_DIAL, EV_ANSWER, EV_ANSWER, EV_HANGUP, EV_DIAL, EV_FAIL, EV_DIAL };
    enum state state = IDLE;
    char label[16] = "";
    size_t i = 0;
    do {
        state = step(state, script[i]);
        strcpy(label, state < ERROR_STATE && names[state] ? names[state] : "?");
    } while (++i < sizeof script / sizeof *script);
    printf("%d %s\n", state, label);
    return 0;
}
