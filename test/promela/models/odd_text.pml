/* What Spin's lexer and preprocessor make of odd text. */ */
#define two \
	2
byte x; \
byte y; */
init { x = two; \
	y = x */ ; \
	select (x :
	1 .. 3);
	assert(y == 2 && x < 4)
}
