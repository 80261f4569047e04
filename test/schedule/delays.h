/* Judges delay bounding by brute force. Returns the number of programs on which it is wrong, and prints them. */
#ifndef HEDDLE_TEST_DELAYS_H
#define HEDDLE_TEST_DELAYS_H

#include <stdint.h>

int judge_delays(uint64_t from, uint64_t count);

#endif
