/* expect: preprocessor */
#define F(a, b) a + b
int x;
init { x = F(1 }
