/* expect: outside of proctypes */
init { mtype = { red }; skip }
