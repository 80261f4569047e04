int x;
active proctype A() {
	{ x = 1; x = 2 } unless { x == 5 -> x = 6 };
	x = 3 unless x == 7;
L:	{ x = 4 } unless { x = 5 };
	do :: x = 1 od unless { x == 1 -> goto L };
	atomic { x = 1 } unless { atomic { x == 1; x = 2 } };
	x = 9
}
active proctype B() { x = 5 }
