typedef T { byte a };
proctype P(byte n; int k, j) { byte first = 3; chan c; int second[2]; first = n;
	int third = first + 1; byte fourth; int fifth[3]; T sixth; chan seventh; int eighth[2] = 5;
	{ int third2 = 3; byte b; b = third2 };
	{ byte b = third; fourth = b };
	if :: int inner = 4; fourth = inner :: skip fi;
	fifth[1] = k; sixth.a = j; seventh = c; eighth[1] = second[0] }
init { run P(1, 2, 3) }
