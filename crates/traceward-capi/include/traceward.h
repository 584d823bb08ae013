/*
 * traceward.h: monitors in a program.
 *
 * A monitor is made from a spec, takes one state after the other, and knows after each of them
 * what can be said of every property. In ten lines:
 *
 *     char *why = NULL;
 *     traceward_monitor *monitor = traceward_create("G(load < 10)", 0, &why);
 *     if (monitor == NULL) { fputs(why, stderr); traceward_free_text(why); return 2; }
 *     int load = traceward_variable(monitor, "load");
 *     while (running()) {
 *         traceward_set_int(monitor, load, current_load());
 *         if (traceward_step(monitor) != TRACEWARD_OK) fputs(traceward_error(monitor), stderr);
 *     }
 *     traceward_end(monitor);
 *     int violated = traceward_verdict_of(monitor, 0) == TRACEWARD_VIOLATED;
 *     traceward_destroy(monitor);
 *
 * Link with -ltraceward_c (static: add -lpthread -ldl -lm). Works in C99 and later, and in C++.
 *
 * Threads: a monitor is used by one thread at a time; different monitors do not know each other.
 * Texts are UTF-8 and end with a zero. A text that is returned as `const char *` belongs to the
 * monitor, and lasts until the next call with that monitor; a `char *` belongs to the caller, who
 * gives it back by traceward_free_text.
 *
 * No function ends the process, and none prints.
 */
#ifndef TRACEWARD_H
#define TRACEWARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface; traceward_interface() has that of the library. */
#define TRACEWARD_INTERFACE 1

typedef struct traceward_monitor traceward_monitor;

/* What a call came to. */
typedef enum traceward_status {
    TRACEWARD_OK = 0,
    /* The state was refused: the monitor is as if it had not been offered. */
    TRACEWARD_REFUSED = 1,
    /* The call makes no sense: no monitor, no such number, a trace that has ended. */
    TRACEWARD_MISUSE = 2,
    /* A defect of the library; the monitor can only be destroyed. */
    TRACEWARD_DEFECT = 3,
    /* The trace has ended, and a variable that the spec needs was never set: its verdicts mean
     * little. traceward_error names the variable. */
    TRACEWARD_NEVER_SET = 4
} traceward_status;

/* What can be said of a property. The last two are final: no later state can change them. */
typedef enum traceward_verdict {
    /* If the trace ended here, the property would be violated. */
    TRACEWARD_PENDING = 0,
    /* If the trace ended here, the property would be satisfied. */
    TRACEWARD_HOLDING = 1,
    TRACEWARD_SATISFIED = 2,
    TRACEWARD_VIOLATED = 3,
    /* The property was given up: a limit was reached, or a value could not be computed. */
    TRACEWARD_UNKNOWN = 4
} traceward_verdict;

/* Options of traceward_create, joined by |. */
/* A state holds only what has changed: what is not set keeps its value. */
#define TRACEWARD_CHANGES 1u
/* States have timestamps (traceward_step_at), so bounds such as [0,250ms] mean something. */
#define TRACEWARD_TIMED 2u

/* The number of the interface that the library was built with. */
unsigned traceward_interface(void);

/*
 * Makes a monitor from a spec: a formula, or the text of a spec file. If the spec is wrong, returns
 * NULL and, unless `error` is NULL, stores a message there, with line and caret, that is to be
 * given back by traceward_free_text.
 */
traceward_monitor *traceward_create(const char *spec, unsigned options, char **error);

/* Ends the life of a monitor. NULL is nothing to do. */
void traceward_destroy(traceward_monitor *monitor);

/* Gives back a text that the caller owns. NULL is nothing to do. */
void traceward_free_text(char *text);

/* ---- Variables: what a state says ------------------------------------------------------- */

/* The number of a variable; negative if no property speaks of it. Setting a variable of a negative
 * number is no error and does nothing, so a program may offer more than a spec asks for. */
int traceward_variable(const traceward_monitor *monitor, const char *name);

/* The variables that can make a difference to a verdict, so that nothing else need be sent. */
size_t traceward_needed_count(const traceward_monitor *monitor);
const char *traceward_needed_name(traceward_monitor *monitor, size_t index);

/* Sets a variable of the next state, by its number or by its name. */
traceward_status traceward_set_bool(traceward_monitor *monitor, int variable, int value);
traceward_status traceward_set_int(traceward_monitor *monitor, int variable, int64_t value);
traceward_status traceward_set_double(traceward_monitor *monitor, int variable, double value);
traceward_status traceward_set_text(traceward_monitor *monitor, int variable, const char *value);
/* The variable has no value. */
traceward_status traceward_set_missing(traceward_monitor *monitor, int variable);

traceward_status traceward_set_bool_named(traceward_monitor *monitor, const char *name, int value);
traceward_status traceward_set_int_named(traceward_monitor *monitor, const char *name, int64_t value);
traceward_status traceward_set_double_named(traceward_monitor *monitor, const char *name, double value);
traceward_status traceward_set_text_named(traceward_monitor *monitor, const char *name, const char *value);
traceward_status traceward_set_missing_named(traceward_monitor *monitor, const char *name);

/* ---- States ----------------------------------------------------------------------------- */

/* Takes the state that was set. Whatever comes of it, the next state begins with nothing set. */
traceward_status traceward_step(traceward_monitor *monitor);

/* Takes the state that was set, at so many nanoseconds of a clock that never goes back. */
traceward_status traceward_step_at(traceward_monitor *monitor, int64_t nanoseconds);

/* The trace ends: every verdict becomes satisfied or violated, unless it is unknown. */
traceward_status traceward_end(traceward_monitor *monitor);

/* The number of states that were taken. */
uint64_t traceward_states(const traceward_monitor *monitor);

/* ---- Verdicts --------------------------------------------------------------------------- */

size_t traceward_property_count(const traceward_monitor *monitor);
const char *traceward_property_name(traceward_monitor *monitor, size_t property);
traceward_verdict traceward_verdict_of(const traceward_monitor *monitor, size_t property);

/* The trigger that no state has met, if the property is or would be satisfied only because of that,
 * as `request` in G(request -> F grant); NULL otherwise. */
const char *traceward_vacuous(traceward_monitor *monitor, size_t property);

/* The number of properties that are violated for good. */
size_t traceward_violated_count(const traceward_monitor *monitor);

/* A verdict that has just changed. */
typedef struct traceward_change {
    size_t property;
    const char *name;
    traceward_verdict verdict;
    /* Whether no later state can change it. */
    int is_final;
    /* The position of the state that brought it, counted from 0; at the end the number of states. */
    uint64_t position;
} traceward_change;

/* Is called with every verdict that changes, in the call that brings it. It must not use the
 * monitor. A NULL function is none. */
typedef void (*traceward_callback)(void *context, const traceward_change *change);
traceward_status traceward_on_verdict(traceward_monitor *monitor, traceward_callback callback, void *context);

/* ---- Queries ---------------------------------------------------------------------------- */

size_t traceward_query_count(const traceward_monitor *monitor);
const char *traceward_query_name(traceward_monitor *monitor, size_t query);

/* The value over the states so far as JSON (`null` if there is none); NULL if it could not be
 * computed, and traceward_error tells why. The caller owns the text. */
char *traceward_query_json(traceward_monitor *monitor, size_t query);

/* ---- Errors ----------------------------------------------------------------------------- */

/* Why the last call that failed did; empty if none has. */
const char *traceward_error(const traceward_monitor *monitor);

#ifdef __cplusplus
}
#endif

#endif
