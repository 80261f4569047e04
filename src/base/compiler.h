/* Which compiler is used, for models, preprocessing and programs alike: the one that was asked for, else $CC or $CXX,
 * else cc or c++. It is a command and may have several words ("ccache gcc"): see words_split(). */
#ifndef HEDDLE_COMPILER_H
#define HEDDLE_COMPILER_H

#include "base/base.h"

enum language { LANGUAGE_C, LANGUAGE_CXX };
const char *compiler_choose(enum language language, const char *wanted); /* wanted may be NULL or "" */
bool compiler_is_clang(const char *compiler); /* whatever it is called: cc may be clang */
/* Adds what tells this compiler from others and from other versions of itself: its words, and the file that each
 * of them stands for, with its size and age. Nothing is run. */
void compiler_identify(const char *compiler, struct str *out);

#endif
