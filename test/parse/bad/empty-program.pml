/* expect: nothing to run */
/* nothing */
