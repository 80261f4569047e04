int x;
init {
start:	x = 1;
	if
	:: x == 1 -> x = 2
	:: x == 2; x = 3
	:: else -> goto start
	fi;
	do
	:: x < 10 -> x++
	:: x > 5 -> break
	:: else -> skip
	od;
end:	skip;
progress: accept: x = 0
}
