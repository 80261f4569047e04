int i, under_score, lo = 1; byte a[2];
inline pick(v) { select (v : 1 .. 3) }
init {
	select (i : 1 .. 3);
	select (i : 0 .. 40);
	select (under_score : 1 .. 3);
	select (i : lo .. lo + 2);
	select (i :
		1 .. 3);
	pick(i);
	do :: select (i : 4 .. 5) -> break od
}
