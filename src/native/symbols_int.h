/* What the readers of debugging information share: symbols.c (variables and values), frames.c (code), paths.c (what
 * lies behind pointers). */
#ifndef HEDDLE_NATIVE_SYMBOLS_INT_H
#define HEDDLE_NATIVE_SYMBOLS_INT_H

#include "native/native.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

struct variable {
    uint64_t address, size;
    const char *name;
    Dwarf_Die type;
    bool typed;
};

/* What is known of one code address; looking it up takes long. */
struct code { uint64_t pc; const struct source_place *frames; size_t count; };

struct symbols {
    struct arena arena;
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf_Addr bias;
    char *here; /* the working directory, NULL: unknown */
    VEC(struct variable) variables, thread_locals; /* by address; that of the latter is an offset */
    VEC(struct code) code;
};

bool symbols_type_of(Dwarf_Die *die, Dwarf_Die *type); /* without qualifiers and names, which say nothing of layout */
uint64_t symbols_size_of(Dwarf_Die *type);
const struct variable *symbols_variable_at(const struct symbols *s, uint64_t address);
const struct variable *symbols_thread_local_at(const struct symbols *s, uint64_t offset);
/* Descends from a variable of the type to the member or element at the offset; appends to the name. */
void symbols_descend(struct str *name, Dwarf_Die *type, uint64_t offset);
/* The variable of the function at pc that lies at an offset from its canonical frame address: adds its name, as far
 * down as the offset goes, and says the type there. */
bool symbols_local_at(struct symbols *s, uint64_t pc, int64_t offset, struct str *name, Dwarf_Die *type);

#endif
