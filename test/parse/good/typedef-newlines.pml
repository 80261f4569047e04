typedef T {
	byte a
	byte b
	int c
}
T t;
init { t.a = 1; t.b = 2; t.c = 3 }
