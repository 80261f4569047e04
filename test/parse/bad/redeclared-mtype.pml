/* expect: declared twice */
mtype = { a, b };
mtype = { c, a };
init { skip }
