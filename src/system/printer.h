/* printer.h - text that is printed to memory. A zeroed printer is empty. */
#ifndef PRINTER_H
#define PRINTER_H

#include <stddef.h>
#include <stdint.h>

struct printer {
    char *text; /* owned; not ended by '\0' unless printer_string says so */
    size_t size, room;
};

/* Appends, as printf does. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void print(struct printer *printer, const char *format, ...);

/* Makes the room larger, for printer_room. */
char *printer_grow(struct printer *printer, size_t size);

/* Room for `size` bytes behind the text. What was written there is appended by adding its length to
 * printer->size. */
static inline char *printer_room(struct printer *printer, size_t size) {
    if (printer->text && size <= printer->room - printer->size) /* mostly */
        return printer->text + printer->size;
    return printer_grow(printer, size);
}

static inline void print_char(struct printer *printer, char c) {
    *printer_room(printer, 1) = c;
    printer->size++;
}

void print_text(struct printer *printer, const char *text);
void print_number(struct printer *printer, uint32_t number);

/* The text with '\0' behind it. */
char *printer_string(struct printer *printer);

void printer_free(struct printer *printer);

/* Write to a file descriptor. Return 0, or the errno of what went wrong. */
int write_all(int fd, const char *text, size_t size);
int printer_write(const struct printer *printer, int fd);

#endif
