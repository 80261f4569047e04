/* Fields and elements chosen by global and local variables. */
typedef T { byte a; short b[2] };
typedef U { T t[2]; bit z };
U u[2];
byte k;

active [2] proctype p()
{
	byte i;
	do
	:: u[k].t[i].b[_pid] = k; i = 1 - i
	:: k = 1 - k
	:: u[i].z -> u[i].z = 0
	:: u[1].t[0].b[0] == 1 -> u[k].z = 1
	:: break
	od;
	assert(!(u[0].z && u[1].z))
}
