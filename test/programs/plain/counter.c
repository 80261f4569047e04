/* A part of a program that is built without heddle. */
extern int counter;
void update(void);
void unused(void);

void update(void) { counter++; }
void unused(void) { counter = 0; }
