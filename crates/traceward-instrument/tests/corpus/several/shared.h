#ifndef SHARED_H
#define SHARED_H

enum phase { IDLE, RUNNING, STOPPED };

struct machine {
    enum phase phase;
    unsigned stops;
};

extern int level;
extern struct machine machine;

void raise_level(int by);
void stop(void);
int peek(void);

static inline int lower_level(int by)
{
    int before = level;
    level -= by;
    return before;
}

#endif
