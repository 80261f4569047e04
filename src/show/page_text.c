/* The page without its trace: page/ put together by the Makefile (page/assemble.awk). */
#include "show/show_int.h"

__asm__(".section .rodata\n"
        ".global heddle_page_text\n"
        "heddle_page_text: .incbin \"" PAGE_FILE "\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char heddle_page_text[];

const char *page_text(void) { return heddle_page_text; }
