/* system.h - the services of the operating system: text in memory, threads, files, the temporary
 * folder, signals, time limits, tools and the terminal. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include "system/arena.h"
#include "system/error.h"

#include <dirent.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* The FNV-1a hash of some bytes. It is never 0. */
static inline uint64_t hash_of(const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t b = 0; b < size; b++)
        hash = (hash ^ byte[b]) * UINT64_C(1099511628211);
    return hash ? hash : 1;
}

/* ---- Text that is printed to memory ---- */

/* An empty printer is zeroed. */
struct printer {
    char *text; /* only printer_string terminates it with '\0' */
    size_t size, capacity;
};

/* Appends, as printf does. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void print(struct printer *printer, const char *format, ...);

/* Enlarges the buffer, for printer_room. */
char *printer_grow(struct printer *printer, size_t size);

/* A buffer for `size` bytes after the text. Bytes that were written there are appended by adding
 * their number to printer->size. */
static inline char *printer_room(struct printer *printer, size_t size) {
    if (printer->text && size <= printer->capacity - printer->size) /* the usual case */
        return printer->text + printer->size;
    return printer_grow(printer, size);
}

static inline void print_char(struct printer *printer, char c) {
    *printer_room(printer, 1) = c;
    printer->size++;
}

void print_text(struct printer *printer, const char *text);
void print_raw(struct printer *printer, const char *bytes, size_t size);
void print_number(struct printer *printer, uint32_t number);

/* Each on a line of its own. */
void print_strings(struct printer *printer, const struct strings *strings);

/* How a text is wrapped: in lines of at most `width` characters, of which `column` are printed
 * before it. Lines may end behind `at`, such as " " or "; ", whose last character is not printed
 * there, and is a blank elsewhere. Further lines begin with `next`. */
struct wrapping {
    size_t column, width;
    const char *at, *next;
};

/* Prints `length` bytes so. */
void print_wrapped(struct printer *printer, const char *text, size_t length,
                   const struct wrapping *how);

/* The text with '\0' behind it. */
char *printer_string(struct printer *printer);

/* Frees the text before the arena ends. */
void printer_free(struct printer *printer);

/* ---- Threads ---- */

/* Calls work(context, index) for each index below `count`, in any order and in parallel. The caller
 * executes a few calls alone, or all of them if no thread can be created. Each thread allocates
 * from its own arena, which the caller's arena joins. If memory runs out in a thread, control goes
 * to the entry of the caller's arena after all threads have ended. */
void parallel_for(size_t count, void (*work)(void *context, size_t index), void *context);

/* ---- Files ---- */

enum { FILE_MAX = 64 << 20 }; /* files of this size or more are refused */

/* Reads a whole text file; "-" is standard input. In messages, `kind` describes the file, such as
 * "results file". Fails with MAPPING_UNAVAILABLE if the file cannot be opened or read,
 * MAPPING_FAILED if descriptors run out or the disk fails, and MAPPING_INVALID if it is empty, has
 * FILE_MAX bytes or more, or is not text; then `content` has the bytes that were read. The text is
 * terminated by '\0'. */
enum mapping_status file_read(const char *path, const char *kind, struct printer *content,
                              struct mapping_error *error);

/* A file that is read line by line. */
struct lines {
    int fd;
    const char *name;
    struct printer buffer;
    size_t start, seen; /* offsets in the buffer: the start of the next line, and the end of the
                           part that was searched for its end */
    bool is_over;       /* the end of the file was reached */
    bool is_long;       /* a piece of the line was already returned */
};

/* A line without its line break, terminated by '\0'. */
struct line {
    char *text;
    size_t size;
    const char *end; /* "\n", "\r\n", or "" for the last line, or for a piece */
    bool is_piece;   /* it is part of a line of more than LINE_SIZE_MAX bytes */
};
enum { LINE_SIZE_MAX = 16 << 20 };

/* Opens a file, "-" for standard input; lines_close closes it. Fails as file_read, also for a
 * folder. */
enum mapping_status lines_open(const char *path, struct lines *lines, struct mapping_error *error);
void lines_close(struct lines *lines);

/* Replaces the rest of the file by a text. */
void lines_replace(struct lines *lines, const char *text, size_t size);

/* Reads the next line, which is valid until the next call. line->text is NULL at the end. Fails as
 * file_read does. */
enum mapping_status lines_next(struct lines *lines, struct line *line, struct mapping_error *error);

/* Returns the first bytes without consuming them: at least 20 if there are so many, up to a zero
 * byte. *size is their number. Fails as file_read does. */
enum mapping_status lines_peek(struct lines *lines, const char **text, size_t *size,
                               struct mapping_error *error);

/* True if the next line has not arrived yet. */
bool lines_must_wait(struct lines *lines);

/* Writes to a file descriptor. Returns 0 or an errno. */
int write_all(int fd, const char *text, size_t size);

/* ---- The temporary folder ---- */

struct temporary_folder {
    char path[4064]; /* short enough that the path of a file in it fits 4096 bytes */
    DIR *list;       /* the open folder */
};

/* Makes a folder that only this user can enter, in $TMPDIR or /tmp. A thread has at most one. With
 * `catches_signals`, a signal that arrives before the folder is removed ends the program only in
 * temporary_folder_remove. */
enum mapping_status temporary_folder_make(struct temporary_folder *folder, bool catches_signals,
                                          struct mapping_error *error);

/* Removes the folder of this thread, if there is one, after memory ran out. */
void temporary_folder_clean(void);

/* Removes the folder and its content; this allocates no memory unless there are folders in it. If a
 * signal has arrived, it ends the program here. Returns `status`; if that is MAPPING_OK and the
 * folder could not be removed, MAPPING_FAILED with its path. */
enum mapping_status temporary_folder_remove(const struct temporary_folder *folder,
                                            enum mapping_status status,
                                            struct mapping_error *error);

/* True if a signal has arrived since the folder was made. */
bool interrupted(void);

/* Waits as ppoll does, and returns its result. Signals are delivered during the wait. */
int interrupt_poll(struct pollfd *polled, nfds_t count, const struct timespec *limit);

/* ---- Time limits ----
 *
 * Long work checks its limit from time to time. */

struct limit {
    double seconds; /* the limit in seconds, as in --timeout */
    double end;     /* by CLOCK_MONOTONIC */
};

/* Begins a time limit now. */
struct limit limit_begin(double seconds);

/* MAPPING_FAILED with a message if the time is over, or if a signal has arrived since the temporary
 * folder was made. */
enum mapping_status limit_check(const struct limit *limit, struct mapping_error *error);

/* ---- Tools ---- */

/* The output of a tool; both texts are terminated by '\0'. */
struct tool_output {
    int exit_status; /* exit status, 0 .. 255 */
    int ended_by;    /* the signal that ended it, or 0 */
    char *out, *err;
    size_t out_size, err_size;
};

/* Runs argv[0], a path, and waits for it. Standard input is empty, no other file is open, and the
 * only variables are PATH, TMPDIR and LC_ALL=C. `argv` ends with NULL. The tool and its children
 * are killed if it takes longer than `seconds`, prints more than 64 MiB, or a signal arrives.
 * MAPPING_OK for any exit status; MAPPING_FAILED if it could not be started or was killed. */
enum mapping_status tool_run(const char *const argv[], double seconds, struct tool_output *output,
                             struct mapping_error *error);

/* ---- The terminal ---- */

/* The size of the terminal that a file descriptor refers to; all 0 if it is not a terminal, or if
 * the number of rows is unknown. */
struct winsize terminal_size(int fd);

/* True if standard input is a file, and nothing was read from it yet. A shell loop, while read ...,
 * reads a line of its file before it starts a command, so there the result is false. */
bool file_is_waiting(void);

/* True if standard input is such a file, or a pipe that has data now. A pipe does not show whether
 * something was read from it before. Neither function reads or waits. */
bool input_is_waiting(void);

/* The number of rows that a text occupies on a terminal that wraps lines at `columns`. Escape
 * sequences that change colors, "ESC [ 0 m", have no width. */
size_t terminal_rows(const char *text, size_t size, unsigned columns);

/* Starts the pager on standard output, a terminal. Returns a file descriptor; the pager shows the
 * text that is written to it. -1 if it could not be started, or the user wants none: $PAGER is
 * empty or "cat". */
int pager_start(void);

/* Waits until the pager ends, and restores the terminal if it failed. False if the pager could not
 * be started, so that nothing was shown. If Ctrl-C ended the pager, it ends this program. */
bool pager_end(void);

#endif
