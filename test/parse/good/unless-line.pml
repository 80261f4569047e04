int x;
init {
	{
		x = 1
	}
	unless {
		x == 2
	}
	x = 3
}
