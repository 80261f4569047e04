/* The words of doc/concepts.md, for the terminal. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

__asm__(".section .rodata\n"
        ".global heddle_concepts\n"
        "heddle_concepts: .incbin \"doc/concepts.md\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char heddle_concepts[];

/* The next "## name" at the beginning of a line, or NULL. */
static const char *next_heading(const char *at)
{
    const char *found = strstr(at, "\n## ");
    return found ? found + 4 : NULL;
}

static void print_section(const char *heading)
{
    const char *end = next_heading(heading);
    size_t len = end ? (size_t)(end - 4 - heading) : strlen(heading);
    while (len && isspace((unsigned char)heading[len - 1])) len--;
    printf("%.*s\n", (int)len, heading);
}

bool topic_print(const char *name)
{
    size_t len = strlen(name);
    for (const char *h = next_heading(heddle_concepts); h; h = next_heading(h))
        if (!strncasecmp(h, name, len) && h[len] == '\n') {
            print_section(h);
            return true;
        }
    return false;
}

void topics_list(void)
{
    const char *separator = "";
    for (const char *h = next_heading(heddle_concepts); h; h = next_heading(h)) {
        printf("%s%.*s", separator, (int)strcspn(h, "\n"), h);
        separator = ", ";
    }
    putchar('\n');
}
