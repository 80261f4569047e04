/* expect: predefined */
int _pid;
init { skip }
