/* printer.h - text that is printed to memory. What there is no memory for is noticed.
 *
 * A zeroed printer is empty. Once memory has run out, `failed` is true for good, and nothing more
 * is printed: whoever uses the text asks that first. */
#ifndef PRINTER_H
#define PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct printer {
    char *text; /* owned; not ended by '\0' unless printer_string says so */
    size_t size, room;
    bool failed;
};

/* Appends, as printf does. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void print(struct printer *printer, const char *format, ...);

void print_text(struct printer *printer, const char *text);
void print_char(struct printer *printer, char c);
void print_number(struct printer *printer, uint32_t number);

/* Room for `size` bytes behind the text; NULL if there is no memory. What was written there is
 * appended by adding its length to printer->size. */
char *printer_room(struct printer *printer, size_t size);

/* The text with '\0' behind it; NULL if there was no memory for all of it. */
char *printer_string(struct printer *printer);

void printer_free(struct printer *printer);

/* Writes the text to a file descriptor. Returns 0, or the errno of what went wrong. */
int printer_write(const struct printer *printer, int fd);

#endif
