#!/bin/sh
# What a bound costs, and how simple counterexamples are, beside Spin's -DBCS: see bounds.py.
exec python3 "$(dirname "$0")/bounds.py"
