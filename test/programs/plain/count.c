static __thread int own;
static int shared_by_nobody;
int next_own(void) { return ++own; }
int next_static(void) { return ++shared_by_nobody; }
