/* Uses every function of traceward.h, and says what came of it. Compiled as C and as C++. */
#include "traceward.h"
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char *what, int line) {
    if (!holds) {
        fprintf(stderr, "line %d: %s\n", line, what);
        failures++;
    }
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

struct told {
    int count;
    traceward_verdict last;
    uint64_t position;
    int is_final;
};

static void tell(void *context, const traceward_change *change) {
    struct told *told = (struct told *)context;
    told->count++;
    told->last = change->verdict;
    told->position = change->position;
    told->is_final = change->is_final;
    EXPECT(strcmp(change->name, "answered") == 0 && change->property == 0);
}

static void numbered_values(void) {
    char *why = NULL;
    traceward_monitor *monitor =
        traceward_create("property answered = G(request -> F grant)", TRACEWARD_CHANGES, &why);
    EXPECT(monitor != NULL && why == NULL);
    struct told told = {0, TRACEWARD_UNKNOWN, 0, 0};
    EXPECT(traceward_on_verdict(monitor, tell, &told) == TRACEWARD_OK);
    EXPECT(traceward_property_count(monitor) == 1);
    EXPECT(strcmp(traceward_property_name(monitor, 0), "answered") == 0);
    EXPECT(traceward_property_name(monitor, 1) == NULL);
    EXPECT(traceward_needed_count(monitor) == 2);
    EXPECT(strcmp(traceward_needed_name(monitor, 0), "request") == 0);
    int request = traceward_variable(monitor, "request"), grant = traceward_variable(monitor, "grant");
    EXPECT(request >= 0 && grant >= 0 && request != grant);
    EXPECT(traceward_variable(monitor, "nothing") < 0);

    EXPECT(traceward_set_bool(monitor, request, 0) == TRACEWARD_OK);
    EXPECT(traceward_set_bool(monitor, grant, 0) == TRACEWARD_OK);
    EXPECT(traceward_step(monitor) == TRACEWARD_OK);
    EXPECT(traceward_verdict_of(monitor, 0) == TRACEWARD_HOLDING);
    EXPECT(strcmp(traceward_vacuous(monitor, 0), "request") == 0);
    EXPECT(traceward_set_bool(monitor, request, 7) == TRACEWARD_OK);
    EXPECT(traceward_set_int(monitor, -1, 7) == TRACEWARD_OK);
    EXPECT(traceward_step(monitor) == TRACEWARD_OK);
    EXPECT(told.last == TRACEWARD_PENDING && told.position == 1 && !told.is_final);
    EXPECT(traceward_vacuous(monitor, 0) == NULL);
    /* What is not set keeps its value: the request is still there. */
    EXPECT(traceward_set_bool(monitor, grant, 1) == TRACEWARD_OK);
    EXPECT(traceward_step(monitor) == TRACEWARD_OK);
    EXPECT(traceward_verdict_of(monitor, 0) == TRACEWARD_HOLDING);
    /* A state that is refused has not happened. */
    EXPECT(traceward_set_text(monitor, request, "perhaps") == TRACEWARD_OK);
    EXPECT(traceward_step(monitor) == TRACEWARD_REFUSED);
    EXPECT(strstr(traceward_error(monitor), "perhaps") != NULL);
    EXPECT(traceward_states(monitor) == 3);
    EXPECT(traceward_set_bool(monitor, 99, 1) == TRACEWARD_MISUSE);
    EXPECT(traceward_end(monitor) == TRACEWARD_OK);
    EXPECT(told.last == TRACEWARD_SATISFIED && told.is_final && told.position == 3 && told.count == 3);
    EXPECT(traceward_step(monitor) == TRACEWARD_MISUSE);
    EXPECT(strcmp(traceward_error(monitor), "the trace has ended") == 0);
    traceward_destroy(monitor);
}

static void named_values(void) {
    const char *spec = "property low = G(load <= limit)\n"
                       "property calm = G(mode != \"alarm\")\n"
                       "query highest = max(load)\n";
    traceward_monitor *monitor = traceward_create(spec, TRACEWARD_TIMED, NULL);
    EXPECT(monitor != NULL);
    for (int i = 0; i < 1000; i++) {
        EXPECT(traceward_set_double_named(monitor, "load", i / 8.0) == TRACEWARD_OK);
        EXPECT(traceward_set_int_named(monitor, "limit", INT64_C(9007199254740993)) == TRACEWARD_OK);
        EXPECT(traceward_set_text_named(monitor, "mode", i == 500 ? "alarm" : "calm") == TRACEWARD_OK);
        EXPECT(traceward_set_bool_named(monitor, "unknown", 1) == TRACEWARD_OK);
        EXPECT(traceward_step_at(monitor, i * INT64_C(1000000)) == TRACEWARD_OK);
    }
    EXPECT(traceward_verdict_of(monitor, 0) == TRACEWARD_HOLDING);
    EXPECT(traceward_verdict_of(monitor, 1) == TRACEWARD_VIOLATED);
    EXPECT(traceward_violated_count(monitor) == 1);
    EXPECT(traceward_verdict_of(monitor, 2) == TRACEWARD_UNKNOWN);
    EXPECT(traceward_query_count(monitor) == 1);
    EXPECT(strcmp(traceward_query_name(monitor, 0), "highest") == 0);
    char *value = traceward_query_json(monitor, 0);
    EXPECT(value != NULL && strcmp(value, "124.875") == 0);
    traceward_free_text(value);
    EXPECT(traceward_query_json(monitor, 1) == NULL);
    /* The clock does not go back. */
    EXPECT(traceward_set_missing_named(monitor, "load") == TRACEWARD_OK);
    EXPECT(traceward_step_at(monitor, 5) == TRACEWARD_REFUSED);
    EXPECT(traceward_end(monitor) == TRACEWARD_OK);
    EXPECT(traceward_verdict_of(monitor, 0) == TRACEWARD_SATISFIED);
    traceward_destroy(monitor);
}

static void mistakes(void) {
    char *why = NULL;
    EXPECT(traceward_create("G(request ->", 0, &why) == NULL);
    EXPECT(why != NULL && strstr(why, "^") != NULL);
    traceward_free_text(why);
    EXPECT(traceward_create("G p", 64, &why) == NULL && strstr(why, "0x40") != NULL);
    traceward_free_text(why);
    EXPECT(traceward_create(NULL, 0, &why) == NULL);
    traceward_free_text(why);
    EXPECT(traceward_create("\xff\xfe", 0, &why) == NULL && strstr(why, "UTF-8") != NULL);
    traceward_free_text(why);
    EXPECT(traceward_create("G(", 0, NULL) == NULL);
    traceward_free_text(NULL);
    traceward_destroy(NULL);
    EXPECT(traceward_step(NULL) == TRACEWARD_MISUSE);
    EXPECT(traceward_error(NULL) != NULL);
    EXPECT(traceward_verdict_of(NULL, 0) == TRACEWARD_UNKNOWN);

    /* A name that the program misspells is told at the end. */
    traceward_monitor *monitor = traceward_create("G !alarm", 0, NULL);
    EXPECT(traceward_set_bool_named(monitor, "alram", 1) == TRACEWARD_OK);
    EXPECT(traceward_step(monitor) == TRACEWARD_OK);
    EXPECT(traceward_end(monitor) == TRACEWARD_NEVER_SET);
    EXPECT(strstr(traceward_error(monitor), "`alarm`") != NULL);
    traceward_destroy(monitor);

    /* Integers overflow in a state, which is refused. */
    monitor = traceward_create("G(x + 1 > 0)", 0, NULL);
    EXPECT(traceward_set_int_named(monitor, "x", INT64_MAX) == TRACEWARD_OK);
    EXPECT(traceward_step(monitor) == TRACEWARD_REFUSED);
    EXPECT(strstr(traceward_error(monitor), "overflow") != NULL);
    traceward_destroy(monitor);
}

int main(void) {
    EXPECT(traceward_interface() == TRACEWARD_INTERFACE);
    numbered_values();
    named_values();
    mistakes();
    if (failures == 0) puts("all as expected");
    return failures != 0;
}
