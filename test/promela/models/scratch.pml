/* a global that is only scratch, a local array by element, a structure, a counter nobody reads */
typedef T { byte a, b };
byte tmp, x;
chan c = [2] of { byte, byte };
active [2] proctype P()
{
	byte v[2]; T t;
	do
	:: atomic { tmp = x; tmp = (tmp + 1) % 2; x = tmp } 
	:: v[0] = x -> v[1] = v[0] + 1; c!v[1],v[0]
	:: c?t.a,t.b -> if :: t.a > 1 -> x = 0 :: else fi
	:: d_step { v[1] = x; v[0] = v[1]; x = (v[0] + 1) % 2 }
	od
}
