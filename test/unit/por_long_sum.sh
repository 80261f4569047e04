#!/bin/sh
# por_long_sum.sh FILE...: what the parts of `make por-long` printed, added up by class.
echo "$# parts"
sed -n 's/^ *\([0-9]*\) states, \([0-9]*\) operations: \([0-9]*\) programs ([^)]*) with [0-9]* \(.*\): \([0-9]*\) pairs, \([0-9]*\) with errors, \([0-9]*\) reduced searches$/\1,\2,\4,\3,\5,\6,\7/p' "$@" |
    awk -F, '{ key = $3 ": " $1 " states, " $2 " operations"; if (!(key in n)) order[count++] = key; n[key] += $4; pairs[key] += $5; errors[key] += $6; ways[key] += $7 }
             END { for (i = 0; i < count; i++) { k = order[i]; printf "%s: %d programs, %d pairs, %d with errors, %d reduced\n", k, n[k], pairs[k], errors[k], ways[k] } }'
