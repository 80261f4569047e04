int x
byte a[2]
inline twice(n) {
	n = n + 1
	n = n + 1
}
active proctype A()
{
	byte y = 3
	x = 1
	x++
	a[0] = y
	if
	:: x == 1
	   x = 2
	:: else
	   x = 3
	fi
	twice(x)
	do
	:: x > 3
		break
	:: else
		x++
	od
	atomic {
		x = 1
		x = 2
	}
	(x == 2)
	assert(x == 2 &&
	       y == 3)
	for (y : 1 .. 2)
	{
		x = y
	}
	goto done
done:
	skip
}
