/* Judges the predictions of the strategy `estimate`. Prints one line and returns the number of complaints. */
#ifndef HEDDLE_TEST_ESTIMATES_H
#define HEDDLE_TEST_ESTIMATES_H

#include <stdint.h>

int judge_estimates(uint64_t from, uint64_t count);

#endif
