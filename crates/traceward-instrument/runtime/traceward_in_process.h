/*
 * The monitor inside an instrumented program: compile with -DTRACEWARD_IN_PROCESS, with traceward.h
 * on the path of includes, and link with -ltraceward_c. `traceward_watch.c` includes this then.
 *
 * Violations are printed on standard error as they happen, and all verdicts at the end.
 *   TRACEWARD_STOP=term      stops the program by SIGTERM at the write that violates a property
 *   TRACEWARD_STOP=trap      stops by SIGTRAP, for a debugger
 */
#ifndef TRACEWARD_IN_PROCESS_H
#define TRACEWARD_IN_PROCESS_H

#include "traceward.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static traceward_monitor *traceward_own;
/* By slots, the numbers of their variables. */
static int *traceward_numbers;
static int traceward_event_number;
static int traceward_is_timed;
static int traceward_is_complaining = 1;
static const char *traceward_here;

/* Writes a text of JSON as it is meant, as far as names and places need it. */
static void traceward_unquoted(char *to, size_t size, const char *from)
{
    size_t length = 0;
    for (; *from && *from != '"' && length + 1 < size; from++) {
        if (*from == '\\' && from[1])
            from++;
        to[length++] = *from;
    }
    to[length] = '\0';
}

/* A member of a place, such as `"@at":"mux.c:17"`. */
static void traceward_member(char *to, size_t size, const char *at, const char *name)
{
    const char *found = at ? strstr(at, name) : NULL;
    to[0] = '\0';
    if (found)
        traceward_unquoted(to, size, found + strlen(name));
}

static void traceward_print_place(const char *at)
{
    char file[512], function[256];
    traceward_member(file, sizeof file, at, "\"@at\":\"");
    traceward_member(function, sizeof function, at, "\"@in\":\"");
    if (file[0])
        fprintf(stderr, " at %s in %s", file, function);
}

static void traceward_print_values(void)
{
    size_t index, count = traceward_needed_count(traceward_own);
    unsigned slot;
    const char *before = ": ";
    for (index = 0; index < count; index++) {
        const char *name = traceward_needed_name(traceward_own, index);
        int number = traceward_variable(traceward_own, name);
        for (slot = 0; slot < TRACEWARD_SLOTS; slot++) {
            const struct traceward_slot *image = &traceward_slots[slot];
            if (traceward_numbers[slot] != number)
                continue;
            fprintf(stderr, "%s%s = ", before, name);
            before = ", ";
            switch (image->kind) {
            case TRACEWARD_MISSING: fputs("none", stderr); break;
            case TRACEWARD_INT: fprintf(stderr, "%lld", image->value.i); break;
            case TRACEWARD_UNSIGNED: fprintf(stderr, "%llu", image->value.u); break;
            case TRACEWARD_DOUBLE: fprintf(stderr, "%.17g", image->value.d); break;
            case TRACEWARD_BOOL: fputs(image->value.i ? "true" : "false", stderr); break;
            case TRACEWARD_TEXT: fprintf(stderr, "\"%s\"", image->value.text); break;
            }
        }
    }
}

static void traceward_told_change(void *context, const traceward_change *change)
{
    const char *stop = getenv("TRACEWARD_STOP");
    (void)context;
    if (change->verdict != TRACEWARD_VIOLATED || !traceward_here)
        return;
    fprintf(stderr, "traceward: violated %s", change->name);
    traceward_print_place(traceward_here);
    traceward_print_values();
    fputc('\n', stderr);
    if (stop && strcmp(stop, "trap") == 0)
        raise(SIGTRAP);
    else if (stop && strcmp(stop, "term") == 0)
        raise(SIGTERM);
}

static int traceward_in_process_begin(const char *spec, const char *const *names, unsigned count)
{
    char name[1024], *why = NULL;
    unsigned slot;
    traceward_own = traceward_create(spec, TRACEWARD_CHANGES, NULL);
    if (!traceward_own) {
        /* To ask for the time takes longer than a step: it is asked for where it counts. */
        traceward_is_timed = 1;
        traceward_own = traceward_create(spec, TRACEWARD_CHANGES | TRACEWARD_TIMED, &why);
    }
    traceward_numbers = malloc((count + 1) * sizeof *traceward_numbers);
    if (!traceward_own || !traceward_numbers) {
        fprintf(stderr, "traceward: this program is not monitored: %s\n", why ? why : "there is no memory");
        traceward_free_text(why);
        return 0;
    }
    for (slot = 0; slot < count; slot++) {
        traceward_unquoted(name, sizeof name, names[slot] + 1);
        traceward_numbers[slot] = traceward_variable(traceward_own, name);
    }
    traceward_event_number = traceward_variable(traceward_own, "event");
    traceward_on_verdict(traceward_own, traceward_told_change, NULL);
    return 1;
}

static void traceward_hand_over(unsigned slot)
{
    const struct traceward_slot *image = &traceward_slots[slot];
    int number = traceward_numbers[slot];
    switch (image->kind) {
    case TRACEWARD_MISSING: traceward_set_missing(traceward_own, number); break;
    case TRACEWARD_INT: traceward_set_int(traceward_own, number, image->value.i); break;
    case TRACEWARD_DOUBLE: traceward_set_double(traceward_own, number, image->value.d); break;
    case TRACEWARD_BOOL: traceward_set_bool(traceward_own, number, image->value.i != 0); break;
    case TRACEWARD_TEXT: traceward_set_text(traceward_own, number, image->value.text); break;
    case TRACEWARD_UNSIGNED:
        if (image->value.u <= (unsigned long long)INT64_MAX)
            traceward_set_int(traceward_own, number, (int64_t)image->value.u);
        else
            traceward_set_double(traceward_own, number, (double)image->value.u);
        break;
    }
}

static void traceward_in_process_state(const unsigned *changed, unsigned count, const char *at, const char *event)
{
    traceward_status status;
    unsigned index;
    for (index = 0; index < count; index++)
        traceward_hand_over(changed[index]);
    if (traceward_event_number >= 0)
        traceward_set_text(traceward_own, traceward_event_number, event);
    traceward_here = at ? at : "";
    if (traceward_is_timed)
        status = traceward_step_at(traceward_own, (int64_t)traceward_nanoseconds());
    else
        status = traceward_step(traceward_own);
    if (status != TRACEWARD_OK && traceward_is_complaining) {
        traceward_is_complaining = 0;
        fputs("traceward: a state was refused, and there is no verdict that counts:", stderr);
        traceward_print_place(at);
        fprintf(stderr, ": %s\n", traceward_error(traceward_own));
    }
}

static void traceward_in_process_end(void)
{
    static const char *const names[] = { "pending", "holding", "satisfied", "violated", "unknown" };
    size_t property, query, count = traceward_property_count(traceward_own);
    traceward_here = NULL;
    if (traceward_end(traceward_own) == TRACEWARD_NEVER_SET)
        fprintf(stderr, "traceward: %s\n", traceward_error(traceward_own));
    for (property = 0; property < count; property++) {
        const char *trigger = traceward_vacuous(traceward_own, property);
        fprintf(stderr, "traceward: %s", names[traceward_verdict_of(traceward_own, property)]);
        if (trigger)
            fprintf(stderr, ", vacuously (`%s` never holds):", trigger);
        fprintf(stderr, " %s\n", traceward_property_name(traceward_own, property));
    }
    for (query = 0; query < traceward_query_count(traceward_own); query++) {
        char *value = traceward_query_json(traceward_own, query);
        fprintf(stderr, "traceward: %s = ", traceward_query_name(traceward_own, query));
        fprintf(stderr, "%s\n", value ? value : traceward_error(traceward_own));
        traceward_free_text(value);
    }
    traceward_destroy(traceward_own);
    free(traceward_numbers);
    traceward_own = NULL;
}

#endif
