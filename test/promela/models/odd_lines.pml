byte x; \
byte y;
init { x = 1 + \
	3; y = x*/**/2; assert(y == 8 && x == 4); */ skip }
