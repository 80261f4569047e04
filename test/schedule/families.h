/* Programs with a parameter whose number of traces is known by reasoning. */
#ifndef HEDDLE_TEST_FAMILIES_H
#define HEDDLE_TEST_FAMILIES_H

int judge_families(void); /* prints ok and FAIL lines; how many failed */

#endif
