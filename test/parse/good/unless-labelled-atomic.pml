/* Spin numbers the states of this otherwise. */
int x;
active proctype A() {
M:	atomic { x = 4; x = 5 } unless { x = 5 };
	if :: x == 3 -> goto M :: else fi
}
