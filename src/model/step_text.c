/* The text of step_int.h, for the front of generated models. */
#include "model/internal.h"

__asm__(".section .rodata\n"
        ".global heddle_step_text\n"
        ".global heddle_step_text_end\n"
        "heddle_step_text: .incbin \"src/model/step_int.h\"\n"
        "heddle_step_text_end: .byte 0\n"
        ".previous\n");
extern const char heddle_step_text[], heddle_step_text_end[];

const char *model_step_text(void) { return heddle_step_text; }
