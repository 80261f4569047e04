/* Calls back into code that is observed, and a constructor. */
void twice(void (*call)(void));

static int calls;
__attribute__((constructor)) static void begin(void) { calls = 0; }

void twice(void (*call)(void))
{
    call();
    calls++;
    call();
}
