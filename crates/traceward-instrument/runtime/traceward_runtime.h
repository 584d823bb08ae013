/*
 * The runtime of programs that `traceward instrument` has prepared. C99, nothing beside the system's
 * library.
 *
 * The program's files include `traceward_watch.h`, which says what is watched and includes this. They
 * see the first part only: it includes nothing, so that what a program defines before its own
 * includes still counts. `traceward_watch.c` defines TRACEWARD_IMPLEMENTATION and gets the rest.
 *
 * The environment tells where events go:
 *   TRACEWARD_OUT=file:PATH        a file, mapped: what was written stays, however the program ends
 *   TRACEWARD_OUT=unix:PATH        a socket of `traceward monitor --listen unix:PATH`
 *   TRACEWARD_OUT=tcp:HOST:PORT    the same on the net
 *   TRACEWARD_OUT=fd:N             an open descriptor, such as a pipe
 *   TRACEWARD_GONE=stop            ends the program where nobody takes its events any more; else it
 *                                  goes on without
 *   TRACEWARD_ANSWER=each          waits after each state for `ok`; at `stop` the program stops there
 *   TRACEWARD_STOP=trap            stops by SIGTRAP, for a debugger; else by SIGTERM
 *   TRACEWARD_TOKEN=SECRET         the first line for an observer that asks for one
 * Without TRACEWARD_OUT nothing is sent.
 *
 * A process that forks: the child's events are a trace of its own, which begins with its first write.
 * A file's name gets the child's number (PATH.PID), a socket is connected anew, and to a descriptor
 * only the parent writes.
 */
#ifndef TRACEWARD_RUNTIME_H
#define TRACEWARD_RUNTIME_H

#ifdef __cplusplus
#error "traceward instruments C"
#endif

/* What the last value of a variable is. */
enum traceward_kind {
    TRACEWARD_MISSING,
    TRACEWARD_INT,
    TRACEWARD_UNSIGNED,
    TRACEWARD_DOUBLE,
    TRACEWARD_BOOL,
    TRACEWARD_TEXT
};

/* The image of a watched variable. */
struct traceward_slot {
    enum traceward_kind kind;
    union {
        long long i;
        unsigned long long u;
        double d;
        char *text;
    } value;
};

/* Whether it is the program that writes, or somebody looks what has become of a value. */
enum traceward_cause { TRACEWARD_WRITTEN, TRACEWARD_SEEN };

/* How the value of a variable is read by its address, where its type cannot be named. */
enum traceward_form {
    TRACEWARD_AS_SIGNED,
    TRACEWARD_AS_UNSIGNED,
    TRACEWARD_AS_FLOAT,
    TRACEWARD_AS_BOOL,
    TRACEWARD_AS_TEXT,
    TRACEWARD_AS_POINTER_TO_TEXT
};

/* What a local variable is like where it is declared: without a value, with one, or static. */
enum traceward_birth { TRACEWARD_UNWRITTEN, TRACEWARD_INITIAL, TRACEWARD_STATIC };

/* Where a local variable is whose address is taken. */
struct traceward_seat {
    /* None where the variable is not. */
    volatile void *place;
    unsigned long size;
    enum traceward_form form;
    enum traceward_birth birth;
    /* The thread whose stack it is on. */
    const void *thread;
};

/* What a variable was in the activation around this one. The first of several has their number, the
 * end of the function, and the event that its return is, if returns are told. */
struct traceward_saved {
    unsigned slot;
    struct traceward_slot image;
    struct traceward_seat seat;
    const char *at;
    const char *event;
};

extern struct traceward_slot traceward_slots[];
extern struct traceward_seat traceward_seats[];

void traceward_take_int(unsigned slot, long long value, const char *at, enum traceward_cause cause);
void traceward_take_unsigned(unsigned slot, unsigned long long value, const char *at, enum traceward_cause cause);
void traceward_take_double(unsigned slot, double value, const char *at, enum traceward_cause cause);
void traceward_take_bool(unsigned slot, int value, const char *at, enum traceward_cause cause);
/* At most `size` bytes, or up to the end of the text where size is 0. */
void traceward_take_text(unsigned slot, const volatile char *text, unsigned long size, const char *at,
                         enum traceward_cause cause);
void traceward_enter(struct traceward_saved *saved, const char *at, const char *event, unsigned count, ...);
void traceward_leave(void *saved);
/* A local variable has a place from here on. One without a value is missing until a byte of it
 * differs from what is put there. */
void traceward_settle(unsigned slot, volatile void *place, unsigned long size, enum traceward_form form,
                      enum traceward_birth birth);
void traceward_unsettle(unsigned slot);
/* Something was written at an address, or at one that is not known. */
void traceward_take_through(unsigned slot, const volatile void *place, const char *at);
void traceward_hold(void);
void traceward_release(const char *at);
void traceward_lock(void);
void traceward_unlock(void);
/* The program is about to end without running what it has registered for its end. */
void traceward_ends(void);
/* The program is about to be aborted, or to become another. */
void traceward_flush(void);
void traceward_event(const char *event, const char *at);

/* A value that is as it was is nothing new, unless every write counts. */
#define TRACEWARD_IS_NEWS(cause, same) ((TRACEWARD_EVERY_WRITE && (cause) == TRACEWARD_WRITTEN) || !(same))

static inline void traceward_int(unsigned slot, long long value, const char *at, enum traceward_cause cause)
{
    const struct traceward_slot *image = &traceward_slots[slot];
    if (TRACEWARD_IS_NEWS(cause, image->kind == TRACEWARD_INT && image->value.i == value))
        traceward_take_int(slot, value, at, cause);
}

static inline void traceward_unsigned(unsigned slot, unsigned long long value, const char *at,
                                      enum traceward_cause cause)
{
    const struct traceward_slot *image = &traceward_slots[slot];
    if (TRACEWARD_IS_NEWS(cause, image->kind == TRACEWARD_UNSIGNED && image->value.u == value))
        traceward_take_unsigned(slot, value, at, cause);
}

static inline void traceward_double(unsigned slot, double value, const char *at, enum traceward_cause cause)
{
    const struct traceward_slot *image = &traceward_slots[slot];
    if (TRACEWARD_IS_NEWS(cause, image->kind == TRACEWARD_DOUBLE && image->value.d == value))
        traceward_take_double(slot, value, at, cause);
}

static inline void traceward_bool(unsigned slot, int value, const char *at, enum traceward_cause cause)
{
    const struct traceward_slot *image = &traceward_slots[slot];
    if (TRACEWARD_IS_NEWS(cause, image->kind == TRACEWARD_BOOL && image->value.i == value))
        traceward_take_bool(slot, value, at, cause);
}

/* What is done to a local variable's slot after a write through a pointer. */
static inline void traceward_through(unsigned slot, const volatile void *place, const char *at)
{
    if (traceward_seats[slot].place)
        traceward_take_through(slot, place, at);
}

/*
 * Of a type that only the compiler knows: it is a float if halves count, and unsigned if 1 - 2 is
 * positive. Types that are narrower than int become int here, which keeps their values.
 */
#define TRACEWARD_IS_FLOAT(value) ((1 ? 1 : (value)) / 2 > 0)
#define TRACEWARD_IS_UNSIGNED(value) ((1 ? 1 : (value)) - 2 > 0)
#define TRACEWARD_ANY(slot, value, at, cause) \
    (TRACEWARD_IS_FLOAT(value) ? traceward_double((slot), (double)(value), (at), (cause)) \
     : TRACEWARD_IS_UNSIGNED(value) ? traceward_unsigned((slot), (unsigned long long)(value), (at), (cause)) \
                                    : traceward_int((slot), (long long)(value), (at), (cause)))

/* The form of an integer, and that of a number of a type that only the compiler knows. */
#define TRACEWARD_AS_INTEGER(value) ((__typeof__(value))-1 > 0 ? TRACEWARD_AS_UNSIGNED : TRACEWARD_AS_SIGNED)
#define TRACEWARD_AS_ANY(value) (TRACEWARD_IS_FLOAT(value) ? TRACEWARD_AS_FLOAT : TRACEWARD_AS_INTEGER(value))
#define TRACEWARD_SETTLE(slot, value, form, birth) \
    traceward_settle((slot), (volatile void *)&(value), sizeof(value), (form), (birth))

/* Keeps what the variables of the activation around this one were, until the function returns. */
#define TRACEWARD_FRAME(count) \
    struct traceward_saved traceward_frame[(count) + 1] __attribute__((cleanup(traceward_leave)))

/* The place of a write, as the members of a JSON object. TRACEWARD_FILE is the file's name. */
#define TRACEWARD_AT(line, function) "\"@at\":\"" TRACEWARD_FILE ":" #line "\",\"@in\":\"" #function "\""

#endif

#if defined(TRACEWARD_IMPLEMENTATION) && !defined(TRACEWARD_IMPLEMENTED)
#define TRACEWARD_IMPLEMENTED

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef TRACEWARD_THREADS
#include <pthread.h>
#endif

/* The size of the first piece of the file that is mapped, of each later one, and of the buffer for
 * sockets and pipes. */
#define TRACEWARD_FIRST_WINDOW ((size_t)1 << 20)
#define TRACEWARD_WINDOW ((size_t)1 << 24)
#define TRACEWARD_BUFFER ((size_t)1 << 16)
/* A buffer is passed on with the first event that comes so much later than the last one did. */
#define TRACEWARD_PAUSE 1000000ull
/* Longer texts have no value. */
#define TRACEWARD_LONGEST_TEXT ((size_t)1 << 16)

/* What the spec makes of this program stands before this in `traceward_watch.c`: the names, truths
 * and functions that are used here and not defined. */
__attribute__((unused)) static void traceward_differs(unsigned predicate);

#ifdef TRACEWARD_IN_PROCESS
/* With TRACEWARD_IN_PROCESS the program carries its monitor: traceward_in_process.h. It is given the
 * spec and the names of the slots as members of JSON objects (`"x":`), and returns 0 if it cannot
 * watch; then the slots that changed since the state before (all of them at first), and where. */
static int traceward_in_process_begin(const char *spec, const char *const *names, unsigned count);
static void traceward_in_process_state(const unsigned *changed, unsigned count, const char *at, const char *event);
static void traceward_in_process_end(void);
#endif

enum traceward_sink {
    TRACEWARD_NOWHERE,
    TRACEWARD_TO_FILE,
    TRACEWARD_TO_SOCKET,
    TRACEWARD_TO_PIPE,
    TRACEWARD_TO_MONITOR
};

static struct {
    enum traceward_sink sink;
    int is_begun;
    int is_silent_in_child;
    int waits_for_answers;
    int fd;
    pid_t owner;
    char path[4096];
    /* The memory that lines are written to, how much of it there is and is used, and, of a file,
     * where it begins there. */
    char *memory;
    size_t size, used;
    off_t offset;
    unsigned long long flushed_at;
    char answer[256];
    size_t answered;
    /* A word that is wiped where the process forks. */
    volatile int *is_owner;
} traceward_out = { .fd = -1 };

static unsigned char traceward_is_changed[TRACEWARD_SLOTS + 1];
static unsigned traceward_changes[TRACEWARD_SLOTS + 1];
static unsigned traceward_change_count;
/* Predicates that were looked at with another truth since the last state, and the truths told. */
static unsigned char traceward_is_differing[TRACEWARD_PREDICATES + 1];
static unsigned traceward_differing[TRACEWARD_PREDICATES + 1];
static unsigned traceward_differing_count;
static unsigned char traceward_told[TRACEWARD_PREDICATES + 1];
static unsigned traceward_held;
static int traceward_held_state;
static volatile sig_atomic_t traceward_is_busy;
static volatile sig_atomic_t traceward_is_late;

static void traceward_differs(unsigned predicate)
{
    traceward_truth[predicate] ^= 1;
    if (!traceward_is_differing[predicate]) {
        traceward_is_differing[predicate] = 1;
        traceward_differing[traceward_differing_count++] = predicate;
    }
}

/* Whether a predicate has another truth than in the state before. */
static int traceward_has_news(void)
{
    unsigned i;
    for (i = 0; i < traceward_differing_count; i++)
        if (traceward_truth[traceward_differing[i]] != traceward_told[traceward_differing[i]])
            return 1;
    return 0;
}

/* ---- threads ---- */

#ifdef TRACEWARD_THREADS
static pthread_mutex_t traceward_mutex;

static void traceward_make_lock(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&traceward_mutex, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

/* Whoever forks holds the lock, so that the child finds everything whole. */
static void traceward_before_fork(void) { pthread_mutex_lock(&traceward_mutex); }
static void traceward_after_fork(void) { pthread_mutex_unlock(&traceward_mutex); }
static void traceward_in_child(void) { traceward_make_lock(); }

void traceward_lock(void) { pthread_mutex_lock(&traceward_mutex); }
void traceward_unlock(void) { pthread_mutex_unlock(&traceward_mutex); }
#else
void traceward_lock(void) { }
void traceward_unlock(void) { }
#endif

/* ---- output ---- */

/* The time of an event, and the digits of its second, which are the same for many. */
struct traceward_time {
    long long second;
    unsigned nanosecond;
    size_t digits;
    char text[24];
};

static struct traceward_time traceward_clock = { -1, 0, 0, "" };

static unsigned long long traceward_nanoseconds(void)
{
    return (unsigned long long)traceward_clock.second * 1000000000ull + traceward_clock.nanosecond;
}

static void traceward_complain(const char *what, const char *why)
{
    char message[512];
    int length = snprintf(message, sizeof message, "traceward: %s%s%s\n", what, why ? ": " : "", why ? why : "");
    if (length > 0 && write(2, message, (size_t)length < sizeof message ? (size_t)length : sizeof message - 1) < 0)
        return;
}

/* Nobody takes events any more. */
static void traceward_gone(const char *what, const char *why)
{
    const char *policy = getenv("TRACEWARD_GONE");
    traceward_out.sink = TRACEWARD_NOWHERE;
    if (policy && strcmp(policy, "stop") == 0) {
        traceward_complain(what, why);
        traceward_complain("the program stops, as TRACEWARD_GONE=stop asks", NULL);
        signal(SIGTERM, SIG_DFL);
        raise(SIGTERM);
        _exit(143);
    }
    traceward_complain(what, why);
}

/* Maps the piece of the file behind what was written, with room for this many bytes. */
static int traceward_map(size_t room)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    off_t written = traceward_out.offset + (off_t)traceward_out.used;
    off_t offset = written - written % (off_t)page;
    size_t size = offset > 0 ? TRACEWARD_WINDOW : TRACEWARD_FIRST_WINDOW;
    void *memory;
    int error;
    while (size < (size_t)(written - offset) + room)
        size *= 2;
    /* Without blocks of its own, a full disk would kill the program at some write to memory. */
    do
        error = posix_fallocate(traceward_out.fd, offset, (off_t)size);
    while (error == EINTR);
    if (error != 0) {
        traceward_gone("no more room in the file of events", strerror(error));
        return 0;
    }
    /* To take all pages at once costs half as much as one by one. A short trace needs few. */
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | (offset > 0 ? MAP_POPULATE : 0), traceward_out.fd,
                  offset);
    if (memory == MAP_FAILED) {
        traceward_gone("the file of events cannot be mapped", strerror(errno));
        return 0;
    }
    if (traceward_out.memory)
        munmap(traceward_out.memory, traceward_out.size);
    traceward_out.memory = memory;
    traceward_out.size = size;
    traceward_out.used = (size_t)(written - offset);
    traceward_out.offset = offset;
    return 1;
}

/* Writes to a pipe whose reader may have gone. The program must not die of it. */
static ssize_t traceward_write_pipe(const char *bytes, size_t length)
{
    sigset_t broken, before, pending;
    struct timespec at_once = { 0, 0 };
    ssize_t written;
    int was_pending, error;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&pending);
    was_pending = sigismember(&pending, SIGPIPE);
    sigprocmask(SIG_BLOCK, &broken, &before);
    written = write(traceward_out.fd, bytes, length);
    error = errno;
    if (written < 0 && error == EPIPE && !was_pending)
        while (sigtimedwait(&broken, NULL, &at_once) < 0 && errno == EINTR) { }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

static void traceward_pass_on(void)
{
    const char *bytes = traceward_out.memory;
    size_t left = traceward_out.used;
    int is_socket = traceward_out.sink == TRACEWARD_TO_SOCKET;
    if (!is_socket && traceward_out.sink != TRACEWARD_TO_PIPE)
        return;
    traceward_out.used = 0;
    while (left > 0) {
        ssize_t written = is_socket ? send(traceward_out.fd, bytes, left, MSG_NOSIGNAL)
                                    : traceward_write_pipe(bytes, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            traceward_gone("the observer has gone", strerror(errno));
            return;
        }
        bytes += written;
        left -= (size_t)written;
    }
}

/* Memory for a line of at most this many bytes; none if nothing is sent. */
static char *traceward_room(size_t length)
{
    if (traceward_out.size - traceward_out.used >= length)
        return traceward_out.memory + traceward_out.used;
    if (traceward_out.sink == TRACEWARD_TO_FILE)
        return traceward_map(length) ? traceward_out.memory + traceward_out.used : NULL;
    traceward_pass_on();
    if (traceward_out.sink == TRACEWARD_NOWHERE)
        return NULL;
    if (traceward_out.size < length) {
        char *larger = realloc(traceward_out.memory, length);
        if (!larger) {
            traceward_gone("no memory for an event", NULL);
            return NULL;
        }
        traceward_out.memory = larger;
        traceward_out.size = length;
    }
    return traceward_out.memory;
}

/* Ends a line that has been written up to `end`. Whoever reads the file as it grows waits for the
 * line's end, so it comes last. */
static void traceward_written(const char *line, char *end)
{
    __atomic_store_n(end, '\n', __ATOMIC_RELEASE);
    traceward_out.used += (size_t)(end + 1 - line);
}

static char *traceward_put(char *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

/* A text whose length the compiler knows. */
#define TRACEWARD_PUT(out, text) (memcpy((out), (text), sizeof(text) - 1), (out) + sizeof(text) - 1)

static const char traceward_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                      "8081828384858687888990919293949596979899";

static char *traceward_put_unsigned(char *out, unsigned long long value)
{
    char digits[20];
    size_t at = sizeof digits;
    while (value >= 100) {
        at -= 2;
        memcpy(digits + at, traceward_pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, traceward_pairs + value * 2, 2);
    } else {
        digits[--at] = (char)('0' + value);
    }
    memcpy(out, digits + at, sizeof digits - at);
    return out + sizeof digits - at;
}

/* Reads the clock, and writes it in nanoseconds. */
static char *traceward_put_time(char *out)
{
    struct timespec now;
    unsigned rest, i;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec != traceward_clock.second) {
        char *end = traceward_clock.text;
        if (now.tv_sec > 0)
            end = traceward_put_unsigned(end, (unsigned long long)now.tv_sec);
        traceward_clock.second = now.tv_sec;
        traceward_clock.digits = (size_t)(end - traceward_clock.text);
    }
    traceward_clock.nanosecond = rest = (unsigned)now.tv_nsec;
    memcpy(out, traceward_clock.text, sizeof traceward_clock.text);
    out += traceward_clock.digits;
    if (traceward_clock.digits == 0)
        return traceward_put_unsigned(out, rest);
    out[8] = (char)('0' + rest % 10);
    rest /= 10;
    for (i = 8; i > 0; i -= 2) {
        memcpy(out + i - 2, traceward_pairs + rest % 100 * 2, 2);
        rest /= 100;
    }
    return out + 9;
}

static char *traceward_put_int(char *out, long long value)
{
    if (value < 0) {
        *out++ = '-';
        return traceward_put_unsigned(out, 0ull - (unsigned long long)value);
    }
    return traceward_put_unsigned(out, (unsigned long long)value);
}

/* A byte that is no ASCII character is shown as its number where it is not part of UTF-8. */
static size_t traceward_utf8_length(const unsigned char *text)
{
    size_t length, i;
    if (text[0] < 0x80)
        return 1;
    length = text[0] >= 0xc2 && text[0] < 0xe0 ? 2 : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
             : text[0] >= 0xf0 && text[0] < 0xf5 ? 4 : 0;
    for (i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if (length == 3 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0)))
        return 0;
    if (length == 4 && ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90)))
        return 0;
    return length;
}

static char *traceward_put_text(char *out, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *at = (const unsigned char *)text;
    *out++ = '"';
    while (*at) {
        size_t length = traceward_utf8_length(at);
        if (length > 1) {
            memcpy(out, at, length);
            out += length;
            at += length;
        } else if (length == 0) {
            out = traceward_put(out, "\xef\xbf\xbd");
            at++;
        } else if (*at < 0x20 || *at == 0x7f) {
            out = traceward_put(out, "\\u00");
            *out++ = hex[*at >> 4];
            *out++ = hex[*at++ & 15];
        } else {
            if (*at == '"' || *at == '\\')
                *out++ = '\\';
            *out++ = (char)*at++;
        }
    }
    *out++ = '"';
    return out;
}

static char *traceward_put_double(char *out, double value)
{
    int length = snprintf(out, 40, "%.17g", value), i, is_float = 0;
    for (i = 0; i < length; i++) {
        if (out[i] == ',')
            out[i] = '.';
        is_float |= out[i] == '.' || out[i] == 'e';
    }
    out += length;
    return is_float ? out : traceward_put(out, ".0");
}

/* Integers end with those of 63 bits and a sign. What is beyond them is told as a float. */
#define TRACEWARD_IS_BEYOND(value) ((value) > 9223372036854775807ull)

static char *traceward_put_value(char *out, const struct traceward_slot *image)
{
    switch (image->kind) {
    case TRACEWARD_INT: return traceward_put_int(out, image->value.i);
    case TRACEWARD_UNSIGNED:
        out = traceward_put_unsigned(out, image->value.u);
        return TRACEWARD_IS_BEYOND(image->value.u) ? traceward_put(out, ".0") : out;
    case TRACEWARD_DOUBLE: return traceward_put_double(out, image->value.d);
    case TRACEWARD_BOOL: return traceward_put(out, image->value.i ? "true" : "false");
    case TRACEWARD_TEXT: return traceward_put_text(out, image->value.text);
    case TRACEWARD_MISSING: break;
    }
    return traceward_put(out, "null");
}

static size_t traceward_bound(unsigned slot)
{
    const struct traceward_slot *image = &traceward_slots[slot];
    size_t value = image->kind == TRACEWARD_TEXT ? strlen(image->value.text) * 6 + 2 : 40;
    return traceward_name_lengths[slot] + value + 2;
}

/* ---- answers ---- */

/* A line of the observer, without its end; 0 where it has gone. */
static int traceward_line(void)
{
    size_t length = 0;
    for (;;) {
        char byte;
        ssize_t count = read(traceward_out.fd, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return 0;
        if (byte == '\n')
            break;
        if (length + 1 < sizeof traceward_out.answer)
            traceward_out.answer[length++] = byte;
    }
    traceward_out.answer[length] = 0;
    return 1;
}

static void traceward_stop(void)
{
    const char *how = getenv("TRACEWARD_STOP");
    int is_trap = how && strcmp(how, "trap") == 0;
    /* Of the states after this one nothing more is asked. */
    traceward_out.waits_for_answers = 0;
    if (is_trap) {
        raise(SIGTRAP);
        return;
    }
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
}

static void traceward_await(void)
{
    traceward_pass_on();
    while (traceward_out.sink != TRACEWARD_NOWHERE) {
        if (!traceward_line()) {
            traceward_gone("the observer has gone", NULL);
            return;
        }
        if (strcmp(traceward_out.answer, "ok") == 0)
            return;
        if (strncmp(traceward_out.answer, "stop", 4) == 0) {
            traceward_stop();
            return;
        }
        if (strncmp(traceward_out.answer, "error", 5) == 0) {
            traceward_gone(traceward_out.answer, NULL);
            return;
        }
    }
}

/* ---- opening ---- */

static void traceward_hello(void)
{
    const char *token = getenv("TRACEWARD_TOKEN");
    char *line = traceward_room(1024 + strlen(traceward_program) + (token ? strlen(token) : 0)), *out = line;
    if (!line)
        return;
    if (token && traceward_out.sink == TRACEWARD_TO_SOCKET) {
        out = traceward_put(out, "token ");
        out = traceward_put(out, token);
        *out++ = '\n';
    }
    out = traceward_put(out, "traceward 1 {\"name\":\"");
    out = traceward_put(out, traceward_program);
    out = traceward_put(out, "\",\"time\":\"ns\",\"pid\":");
    out = traceward_put_int(out, (long long)traceward_out.owner);
    out = traceward_put(out, TRACEWARD_EVERY_WRITE ? ",\"states\":\"writes\"" : ",\"states\":\"changes\"");
    out = traceward_put(out, ",\"spec\":\"" TRACEWARD_SPEC "\"");
    if (traceward_out.waits_for_answers)
        out = traceward_put(out, ",\"answer\":\"each\"");
    out = traceward_put(out, "}");
    traceward_written(line, out);
}

/* Whether the file was begun by this process, before it became another program. */
static int traceward_is_own(int fd)
{
    char text[512], pid[64];
    ssize_t length = pread(fd, text, sizeof text - 1, 0);
    if (length <= 0)
        return 0;
    text[length] = 0;
    snprintf(pid, sizeof pid, "\"pid\":%ld", (long)getpid());
    {
        const char *found = strstr(text, pid);
        return found && (found[strlen(pid)] == ',' || found[strlen(pid)] == '}');
    }
}

/* Opens the file of events, unless another process writes to it, or this one did as another program.
 * The lock goes with the process. */
static int traceward_open_at(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 || traceward_is_own(fd)) {
        close(fd);
        errno = EBUSY;
        return -1;
    }
    if (ftruncate(fd, 0) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void traceward_open_file(int is_child)
{
    char path[sizeof traceward_out.path + 64];
    unsigned attempt;
    int fd = is_child ? -1 : traceward_open_at(traceward_out.path);
    if (fd < 0 && !is_child && errno != EBUSY) {
        traceward_gone(traceward_out.path, strerror(errno));
        return;
    }
    for (attempt = 1; fd < 0 && attempt < 1000; attempt++) {
        int length = snprintf(path, sizeof path, "%s.%ld", traceward_out.path, (long)traceward_out.owner);
        if (attempt > 1)
            snprintf(path + length, sizeof path - (size_t)length, ".%u", attempt);
        fd = traceward_open_at(path);
        if (fd < 0 && errno != EBUSY)
            break;
    }
    if (fd < 0) {
        traceward_gone(path, strerror(errno));
        return;
    }
    traceward_out.fd = fd;
    traceward_out.sink = TRACEWARD_TO_FILE;
    traceward_out.memory = NULL;
    traceward_out.size = traceward_out.used = 0;
    traceward_out.offset = 0;
}

static int traceward_connect_unix(const char *path)
{
    struct sockaddr_un address;
    int fd;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static int traceward_connect_tcp(const char *place)
{
    char host[256];
    const char *port = strrchr(place, ':');
    struct addrinfo hints, *found, *one;
    int fd = -1;
    if (!port || (size_t)(port - place) >= sizeof host) {
        errno = EINVAL;
        return -1;
    }
    memcpy(host, place, (size_t)(port - place));
    host[port - place] = 0;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port + 1, &hints, &found) != 0) {
        errno = EHOSTUNREACH;
        return -1;
    }
    for (one = found; one && fd < 0; one = one->ai_next) {
        fd = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
        if (fd >= 0 && connect(fd, one->ai_addr, one->ai_addrlen) < 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

static void traceward_use_buffer(int fd, enum traceward_sink sink)
{
    if (fd < 0) {
        traceward_gone("TRACEWARD_OUT cannot be opened", strerror(errno));
        return;
    }
    traceward_out.memory = malloc(TRACEWARD_BUFFER);
    traceward_out.size = traceward_out.memory ? TRACEWARD_BUFFER : 0;
    traceward_out.used = 0;
    traceward_out.fd = fd;
    traceward_out.sink = sink;
}

static void traceward_open(int is_child)
{
    const char *where = getenv("TRACEWARD_OUT");
    const char *answer = getenv("TRACEWARD_ANSWER");
    traceward_out.sink = TRACEWARD_NOWHERE;
#ifdef TRACEWARD_IN_PROCESS
    /* A forked process has a copy of the monitor, which goes on. */
    if (is_child || traceward_in_process_begin(traceward_spec_text, traceward_names, TRACEWARD_SLOTS))
        traceward_out.sink = TRACEWARD_TO_MONITOR;
    return;
#endif
    if (!where || !*where)
        return;
    traceward_out.waits_for_answers = answer && strcmp(answer, "each") == 0;
    if (strncmp(where, "file:", 5) == 0 && strlen(where) < sizeof traceward_out.path) {
        traceward_out.waits_for_answers = 0;
        memcpy(traceward_out.path, where + 5, strlen(where + 5) + 1);
        traceward_open_file(is_child);
    } else if (strncmp(where, "unix:", 5) == 0) {
        traceward_use_buffer(traceward_connect_unix(where + 5), TRACEWARD_TO_SOCKET);
    } else if (strncmp(where, "tcp:", 4) == 0) {
        where += strncmp(where, "tcp://", 6) == 0 ? 6 : 4;
        traceward_use_buffer(traceward_connect_tcp(where), TRACEWARD_TO_SOCKET);
    } else if (strncmp(where, "fd:", 3) == 0) {
        traceward_out.waits_for_answers = 0;
        if (!is_child)
            traceward_use_buffer(atoi(where + 3), TRACEWARD_TO_PIPE);
    } else {
        traceward_gone("TRACEWARD_OUT is file:PATH, unix:PATH, tcp:HOST:PORT or fd:N, and not", where);
    }
    if (traceward_out.sink != TRACEWARD_NOWHERE)
        traceward_hello();
}

/* ---- states ---- */

static void traceward_forget_changes(void)
{
    unsigned i;
    for (i = 0; i < traceward_change_count; i++)
        traceward_is_changed[traceward_changes[i]] = 0;
    traceward_change_count = 0;
    for (i = 0; i < traceward_differing_count; i++) {
        traceward_is_differing[traceward_differing[i]] = 0;
        traceward_told[traceward_differing[i]] = traceward_truth[traceward_differing[i]];
    }
    traceward_differing_count = 0;
}

static void traceward_mark(unsigned slot)
{
    if (!traceward_is_changed[slot]) {
        traceward_is_changed[slot] = 1;
        traceward_changes[traceward_change_count++] = slot;
    }
}

/* Writes a state: all that changed since the one before, and where. */
static void traceward_state(const char *word, const char *at, const char *event)
{
    size_t at_length = at ? strlen(at) : 0;
    size_t bound = 128 + at_length + (event ? strlen(event) + 16 : 0);
    char *line, *out;
    unsigned i;
#ifdef TRACEWARD_IN_PROCESS
    (void)word;
    (void)traceward_put_time;
    traceward_in_process_state(traceward_changes, traceward_change_count, at, event);
    return;
#endif
    for (i = 0; i < traceward_change_count; i++)
        bound += traceward_bound(traceward_changes[i]);
    bound += (size_t)traceward_differing_count * 24;
    line = traceward_room(bound);
    if (!line)
        return;
    memcpy(line, word, 4);
    out = TRACEWARD_PUT(line + 4, " {\"@time\":");
    out = traceward_put_time(out);
    if (at) {
        *out++ = ',';
        memcpy(out, at, at_length);
        out += at_length;
    }
    if (event) {
        out = TRACEWARD_PUT(out, ",\"event\":\"");
        out = traceward_put(out, event);
        *out++ = '"';
    }
    for (i = 0; i < traceward_change_count; i++) {
        unsigned slot = traceward_changes[i];
        size_t length = traceward_name_lengths[slot];
        *out++ = ',';
        memcpy(out, traceward_names[slot], length);
        out = traceward_put_value(out + length, &traceward_slots[slot]);
    }
    for (i = 0; i < traceward_differing_count; i++) {
        unsigned predicate = traceward_differing[i];
        if (traceward_truth[predicate] == traceward_told[predicate])
            continue;
        *out++ = ',';
        out = traceward_put(out, traceward_predicate_names[predicate]);
        out = traceward_put(out, traceward_truth[predicate] ? "true" : "false");
    }
    *out++ = '}';
    traceward_written(line, out);
    if (traceward_out.waits_for_answers) {
        traceward_await();
    } else if (traceward_out.sink != TRACEWARD_TO_FILE) {
        unsigned long long now = traceward_nanoseconds();
        if (traceward_out.used > TRACEWARD_BUFFER / 2 || now - traceward_out.flushed_at > TRACEWARD_PAUSE) {
            traceward_pass_on();
            traceward_out.flushed_at = now;
        }
    }
}

/* The first state of a trace has all values. */
static void traceward_first_state(const char *at, const char *event)
{
    unsigned slot, predicate;
    traceward_forget_changes();
    for (slot = 0; slot < TRACEWARD_SLOTS; slot++) {
        traceward_mark(slot);
        traceward_look(slot);
    }
    traceward_differing_count = 0;
    for (predicate = 0; predicate < TRACEWARD_PREDICATES; predicate++) {
        if (traceward_predicate_names[predicate]) {
            traceward_is_differing[predicate] = 1;
            traceward_differing[traceward_differing_count++] = predicate;
            traceward_told[predicate] = !traceward_truth[predicate];
        }
    }
    traceward_state("init", at, event);
}

static void traceward_tell(const char *at, const char *event)
{
    if (traceward_out.sink == TRACEWARD_NOWHERE) {
        if (!traceward_out.is_owner || *traceward_out.is_owner) {
            traceward_forget_changes();
            return;
        }
    }
    if (!*traceward_out.is_owner) {
        /* A child that has a trace of its own. */
        *traceward_out.is_owner = 1;
        traceward_out.owner = getpid();
        if (traceward_out.sink == TRACEWARD_TO_FILE)
            munmap(traceward_out.memory, traceward_out.size);
        else
            free(traceward_out.memory);
        if (traceward_out.sink == TRACEWARD_TO_FILE || traceward_out.sink == TRACEWARD_TO_SOCKET)
            close(traceward_out.fd);
        traceward_out.memory = NULL;
        traceward_out.size = traceward_out.used = 0;
        traceward_open(1);
        if (traceward_out.sink == TRACEWARD_TO_MONITOR)
            traceward_state("next", at, event);
        else if (traceward_out.sink != TRACEWARD_NOWHERE)
            traceward_first_state(at, event);
    } else {
        traceward_state("next", at, event);
    }
    traceward_forget_changes();
}

/* A slot has another value, or was written to. It is a state if a predicate differs, or if values
 * themselves count. */
static void traceward_changed(unsigned slot, int is_other, const char *at, enum traceward_cause cause)
{
    int is_state;
    if (!traceward_out.is_begun)
        return;
    if (traceward_is_busy) {
        /* A signal's handler writes while an event is being written. */
        traceward_is_late = 1;
        return;
    }
    traceward_is_busy = 1;
    traceward_mark(slot);
    is_state = (TRACEWARD_EVERY_WRITE && (cause == TRACEWARD_WRITTEN || is_other)) || (is_other && traceward_by_value[slot]);
    if (is_other)
        traceward_look(slot);
    if (traceward_held)
        traceward_held_state |= is_state;
    else if (is_state || traceward_has_news())
        traceward_tell(at, NULL);
    traceward_is_busy = 0;
    if (traceward_is_late) {
        unsigned other;
        traceward_is_late = 0;
        for (other = 0; other < TRACEWARD_SLOTS; other++) {
            traceward_mark(other);
            traceward_look(other);
        }
        traceward_tell(at, NULL);
    }
}

void traceward_hold(void)
{
    traceward_lock();
    traceward_held++;
}

void traceward_release(const char *at)
{
    if (--traceward_held == 0 && (traceward_held_state || traceward_has_news())) {
        traceward_held_state = 0;
        traceward_is_busy = 1;
        traceward_tell(at, NULL);
        traceward_is_busy = 0;
    }
    traceward_unlock();
}

static void traceward_forget_text(struct traceward_slot *image)
{
    if (image->kind == TRACEWARD_TEXT)
        free(image->value.text);
}

void traceward_take_int(unsigned slot, long long value, const char *at, enum traceward_cause cause)
{
    struct traceward_slot *image = &traceward_slots[slot];
    int is_other;
    traceward_lock();
    is_other = image->kind != TRACEWARD_INT || image->value.i != value;
    image->kind = TRACEWARD_INT;
    image->value.i = value;
    traceward_changed(slot, is_other, at, cause);
    traceward_unlock();
}

void traceward_take_unsigned(unsigned slot, unsigned long long value, const char *at, enum traceward_cause cause)
{
    struct traceward_slot *image = &traceward_slots[slot];
    int is_other;
    traceward_lock();
    is_other = image->kind != TRACEWARD_UNSIGNED || image->value.u != value;
    image->kind = TRACEWARD_UNSIGNED;
    image->value.u = value;
    traceward_changed(slot, is_other, at, cause);
    traceward_unlock();
}

/* What is no number is missing, and so is what JSON has no number for, which is told once. */
static int traceward_is_finite(double value)
{
    static int is_told;
    int is_finite = value >= -1.7976931348623157e308 && value <= 1.7976931348623157e308;
    if (!is_finite && value == value && !is_told) {
        is_told = 1;
        traceward_complain("an infinite value cannot be told: it counts as missing", NULL);
    }
    return is_finite;
}

void traceward_take_double(unsigned slot, double value, const char *at, enum traceward_cause cause)
{
    struct traceward_slot *image = &traceward_slots[slot];
    enum traceward_kind kind = traceward_is_finite(value) ? TRACEWARD_DOUBLE : TRACEWARD_MISSING;
    int is_other;
    traceward_lock();
    is_other = image->kind != kind || (kind == TRACEWARD_DOUBLE && image->value.d != value);
    image->kind = kind;
    image->value.d = value;
    traceward_changed(slot, is_other, at, cause);
    traceward_unlock();
}

void traceward_take_bool(unsigned slot, int value, const char *at, enum traceward_cause cause)
{
    struct traceward_slot *image = &traceward_slots[slot];
    int is_other;
    traceward_lock();
    is_other = image->kind != TRACEWARD_BOOL || image->value.i != value;
    image->kind = TRACEWARD_BOOL;
    image->value.i = value;
    traceward_changed(slot, is_other, at, cause);
    traceward_unlock();
}

void traceward_take_text(unsigned slot, const volatile char *text, unsigned long size, const char *at,
                         enum traceward_cause cause)
{
    struct traceward_slot *image = &traceward_slots[slot];
    const char *bytes = (const char *)text;
    size_t length = 0, most = size ? size : TRACEWARD_LONGEST_TEXT + 1;
    int is_other, is_same_kind;
    while (bytes && length < most && bytes[length])
        length++;
    traceward_lock();
    is_same_kind = image->kind == TRACEWARD_TEXT;
    if (!bytes || length > TRACEWARD_LONGEST_TEXT) {
        if (bytes)
            traceward_complain("a text is too long to be sent: it counts as missing", traceward_names[slot]);
        is_other = image->kind != TRACEWARD_MISSING;
        traceward_forget_text(image);
        image->kind = TRACEWARD_MISSING;
    } else {
        is_other = !is_same_kind || strlen(image->value.text) != length || memcmp(image->value.text, bytes, length) != 0;
        if (is_other) {
            char *copy = malloc(length + 1);
            if (copy) {
                memcpy(copy, bytes, length);
                copy[length] = 0;
            }
            traceward_forget_text(image);
            image->kind = copy ? TRACEWARD_TEXT : TRACEWARD_MISSING;
            image->value.text = copy;
        }
    }
    if (TRACEWARD_IS_NEWS(cause, !is_other))
        traceward_changed(slot, is_other, at, cause);
    traceward_unlock();
}

/* ---- local variables ---- */

/* What a variable without a value is filled with, and how much of it if it is long. */
#define TRACEWARD_PATTERN 0xa5
#define TRACEWARD_PATTERNED ((size_t)16)

/* Its address is another in each thread. */
static __thread char traceward_thread;

static size_t traceward_patterned(const struct traceward_seat *seat)
{
    return seat->size < TRACEWARD_PATTERNED ? seat->size : TRACEWARD_PATTERNED;
}

void traceward_settle(unsigned slot, volatile void *place, unsigned long size, enum traceward_form form,
                      enum traceward_birth birth)
{
    struct traceward_seat *seat = &traceward_seats[slot];
    traceward_lock();
    seat->place = place;
    seat->size = size;
    seat->form = form;
    seat->birth = birth;
    seat->thread = &traceward_thread;
    if (birth == TRACEWARD_UNWRITTEN)
        memset((void *)place, TRACEWARD_PATTERN, traceward_patterned(seat));
    traceward_unlock();
}

void traceward_unsettle(unsigned slot)
{
    traceward_lock();
    traceward_seats[slot].place = NULL;
    traceward_unlock();
}

static int traceward_is_unwritten(struct traceward_seat *seat)
{
    const unsigned char *bytes = (const unsigned char *)seat->place;
    size_t i;
    for (i = 0; seat->birth == TRACEWARD_UNWRITTEN && i < traceward_patterned(seat); i++)
        if (bytes[i] != TRACEWARD_PATTERN)
            seat->birth = TRACEWARD_INITIAL;
    return seat->birth == TRACEWARD_UNWRITTEN;
}

static unsigned long long traceward_unsigned_at(const void *place, size_t size)
{
    unsigned char byte;
    unsigned short small;
    unsigned middle;
    unsigned long long large;
    switch (size) {
    case sizeof byte: return memcpy(&byte, place, size), byte;
    case sizeof small: return memcpy(&small, place, size), small;
    case sizeof middle: return memcpy(&middle, place, size), middle;
    default: return memcpy(&large, place, sizeof large), large;
    }
}

static long long traceward_signed_at(const void *place, size_t size)
{
    unsigned long long value = traceward_unsigned_at(place, size);
    unsigned unused = size < sizeof value ? 8u * (unsigned)(sizeof value - size) : 0;
    return (long long)(value << unused) >> unused;
}

static double traceward_float_at(const void *place, size_t size)
{
    float small;
    double middle;
    long double large;
    switch (size) {
    case sizeof small: return memcpy(&small, place, size), small;
    case sizeof middle: return memcpy(&middle, place, size), middle;
    default: return memcpy(&large, place, sizeof large), (double)large;
    }
}

/* Takes the value that is at the place of a variable. */
static void traceward_take_seat(unsigned slot, const char *at, enum traceward_cause cause)
{
    struct traceward_seat *seat = &traceward_seats[slot];
    const void *place = (const void *)seat->place;
    const char *text;
    if (traceward_is_unwritten(seat))
        return;
    switch (seat->form) {
    case TRACEWARD_AS_SIGNED: traceward_int(slot, traceward_signed_at(place, seat->size), at, cause); break;
    case TRACEWARD_AS_UNSIGNED: traceward_unsigned(slot, traceward_unsigned_at(place, seat->size), at, cause); break;
    case TRACEWARD_AS_FLOAT: traceward_double(slot, traceward_float_at(place, seat->size), at, cause); break;
    case TRACEWARD_AS_BOOL: traceward_bool(slot, traceward_unsigned_at(place, seat->size) != 0, at, cause); break;
    case TRACEWARD_AS_TEXT: traceward_take_text(slot, place, seat->size, at, cause); break;
    case TRACEWARD_AS_POINTER_TO_TEXT:
        memcpy(&text, place, sizeof text);
        traceward_take_text(slot, text, 0, at, cause);
        break;
    }
}

void traceward_take_through(unsigned slot, const volatile void *place, const char *at)
{
    const struct traceward_seat *seat = &traceward_seats[slot];
    int is_safe;
    traceward_lock();
    /* The stack of another thread may be gone, unless it is what was written to. */
    is_safe = seat->birth == TRACEWARD_STATIC || seat->thread == &traceward_thread;
    if (seat->place && place == seat->place)
        traceward_take_seat(slot, at, TRACEWARD_WRITTEN);
    else if (seat->place && is_safe)
        traceward_take_seat(slot, at, TRACEWARD_SEEN);
    traceward_unlock();
}

/* A function begins: its variables have no value yet, and those of the activation around it wait. */
void traceward_enter(struct traceward_saved *saved, const char *at, const char *event, unsigned count, ...)
{
    va_list slots;
    unsigned i;
    traceward_hold();
    saved[0].slot = count;
    saved[0].at = at;
    saved[0].event = event;
    va_start(slots, count);
    for (i = 1; i <= count; i++) {
        unsigned slot = va_arg(slots, unsigned);
        saved[i].slot = slot;
        saved[i].image = traceward_slots[slot];
        saved[i].seat = traceward_seats[slot];
        traceward_slots[slot].kind = TRACEWARD_MISSING;
        traceward_seats[slot].place = NULL;
        if (saved[i].image.kind != TRACEWARD_MISSING)
            traceward_changed(slot, 1, at, TRACEWARD_SEEN);
    }
    va_end(slots);
    traceward_release(at);
}

void traceward_leave(void *frame)
{
    struct traceward_saved *saved = frame;
    unsigned i;
    traceward_hold();
    for (i = 1; i <= saved[0].slot; i++) {
        struct traceward_slot *image = &traceward_slots[saved[i].slot];
        int is_other = image->kind != TRACEWARD_MISSING || saved[i].image.kind != TRACEWARD_MISSING;
        traceward_forget_text(image);
        *image = saved[i].image;
        traceward_seats[saved[i].slot] = saved[i].seat;
        if (is_other)
            traceward_changed(saved[i].slot, 1, saved[0].at, TRACEWARD_SEEN);
        /* Meanwhile somebody may have written to it. */
        traceward_through(saved[i].slot, NULL, saved[0].at);
    }
    if (saved[0].event)
        traceward_event(saved[0].event, saved[0].at);
    traceward_release(saved[0].at);
}

void traceward_event(const char *event, const char *at)
{
    traceward_lock();
    if (traceward_out.is_begun && !traceward_is_busy) {
        traceward_is_busy = 1;
        traceward_tell(at, event);
        traceward_is_busy = 0;
        /* What was held back has been told with it. */
        traceward_held_state = 0;
    }
    traceward_unlock();
}

/* ---- beginning and end ---- */

void traceward_flush(void)
{
    if (!traceward_out.is_owner || !*traceward_out.is_owner || getpid() != traceward_out.owner)
        return;
    traceward_pass_on();
}

void traceward_ends(void)
{
    char *line;
    if (traceward_out.sink == TRACEWARD_NOWHERE || !*traceward_out.is_owner || getpid() != traceward_out.owner)
        return;
    traceward_lock();
#ifdef TRACEWARD_IN_PROCESS
    traceward_in_process_end();
#else
    line = traceward_room(8);
    if (line)
        traceward_written(line, traceward_put(line, "end"));
    if (traceward_out.sink == TRACEWARD_TO_FILE) {
        off_t length = traceward_out.offset + (off_t)traceward_out.used;
        munmap(traceward_out.memory, traceward_out.size);
        traceward_out.memory = NULL;
        if (ftruncate(traceward_out.fd, length) < 0)
            traceward_complain("the file of events keeps its spare room", strerror(errno));
        close(traceward_out.fd);
    } else {
        traceward_pass_on();
        /* The observer may have something to say about the end. */
        if (traceward_out.waits_for_answers)
            while (traceward_line() && strncmp(traceward_out.answer, "done", 4) != 0) { }
    }
#endif
    (void)line;
    traceward_out.sink = TRACEWARD_NOWHERE;
    traceward_unlock();
}

/* Passes on what is left, and lets the signal do what it does. */
static void traceward_fatal(int number)
{
    traceward_flush();
    signal(number, SIG_DFL);
    raise(number);
}

/* A file needs none of this: it is mapped. A program that takes a signal itself keeps it. */
static void traceward_take_signals(void)
{
    static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT };
    static char stack_memory[1 << 15];
    stack_t stack, before;
    size_t i;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = stack_memory;
    stack.ss_size = sizeof stack_memory;
    if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE))
        sigaltstack(&stack, NULL);
    for (i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        struct sigaction now, action;
        if (sigaction(fatal[i], NULL, &now) < 0 || now.sa_handler != SIG_DFL)
            continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = traceward_fatal;
        action.sa_flags = (int)(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
        sigaction(fatal[i], &action, NULL);
    }
}

/* Before anything of the program runs, so that its first values are seen. */
__attribute__((constructor(101))) static void traceward_begin(void)
{
    long page = sysconf(_SC_PAGESIZE);
    void *word = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (word == MAP_FAILED) {
        traceward_complain("no memory: nothing is sent", NULL);
        return;
    }
#ifdef MADV_WIPEONFORK
    if (madvise(word, (size_t)page, MADV_WIPEONFORK) < 0)
        traceward_complain("this system cannot tell a forked process: let no process fork", strerror(errno));
#else
#error "traceward needs a system that tells forked processes (MADV_WIPEONFORK)"
#endif
    traceward_out.is_owner = word;
    *traceward_out.is_owner = 1;
    traceward_out.owner = getpid();
#ifdef TRACEWARD_THREADS
    traceward_make_lock();
    pthread_atfork(traceward_before_fork, traceward_after_fork, traceward_in_child);
#endif
    traceward_globals();
    traceward_open(0);
    traceward_out.is_begun = 1;
    if (traceward_out.sink == TRACEWARD_NOWHERE) {
        unsigned slot;
        for (slot = 0; slot < TRACEWARD_SLOTS; slot++)
            traceward_look(slot);
        traceward_forget_changes();
        return;
    }
    traceward_first_state(NULL, NULL);
    traceward_forget_changes();
    if (traceward_out.sink == TRACEWARD_TO_SOCKET || traceward_out.sink == TRACEWARD_TO_PIPE)
        traceward_take_signals();
    atexit(traceward_ends);
}

/* ---- comparisons by exact value ---- */

static inline int traceward_compare_ii(long long a, long long b) { return (a > b) - (a < b); }
static inline int traceward_compare_dd(double a, double b) { return (a > b) - (a < b); }

/* A float as large as the integers end is beyond them all; otherwise its whole part is one of them. */
static inline int traceward_compare_id(long long a, double b)
{
    long long whole;
    if (b >= 9223372036854775808.0)
        return -1;
    if (b < -9223372036854775808.0)
        return 1;
    whole = (long long)b;
    return a != whole ? traceward_compare_ii(a, whole) : traceward_compare_dd(0.0, b - (double)whole);
}

static inline int traceward_compare_ud(unsigned long long a, double b)
{
    return TRACEWARD_IS_BEYOND(a) ? traceward_compare_dd((double)a, b) : traceward_compare_id((long long)a, b);
}

static inline int traceward_compare_iu(long long a, unsigned long long b)
{
    return TRACEWARD_IS_BEYOND(b) ? traceward_compare_id(a, (double)b) : traceward_compare_ii(a, (long long)b);
}

static inline int traceward_compare_uu(unsigned long long a, unsigned long long b)
{
    return TRACEWARD_IS_BEYOND(b) ? traceward_compare_ud(a, (double)b) : -traceward_compare_iu((long long)b, a);
}

#ifdef TRACEWARD_IN_PROCESS
#include "traceward_in_process.h"
#endif

#endif
