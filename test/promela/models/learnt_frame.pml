/* A frame of more bytes than one part has. */
byte g;

active [2] proctype p()
{
	byte a[90];
	byte i;
	do
	:: i < 4 -> a[i * 20] = g; g = a[(i * 20 + 20) % 90] + 1; i++
	:: i == 4 -> break
	od;
	assert(g < 4)
}
