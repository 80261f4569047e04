/* Judges the strategies that draw at random. Returns the number of complaints, and prints them. */
#ifndef HEDDLE_TEST_SAMPLES_H
#define HEDDLE_TEST_SAMPLES_H

#include <stdint.h>

int judge_samples(uint64_t from, uint64_t count);

#endif
