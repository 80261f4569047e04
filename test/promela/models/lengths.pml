/* A message of the wrong length is an error only when it is executed; a look at a message may leave out its last fields. */
chan c = [1] of { byte, byte };
chan big = [1] of { byte, byte, byte };
chan meet = [0] of { byte, byte };
byte x, y, z;

active proctype p() {
	if :: false -> c!1 :: false -> c?x,y,z :: true fi;
	if :: c?x :: c?x,y,z :: c?[1,2,3] :: c?<x,y,z> :: true fi;
	c!7,8;
	if :: c!1 :: c!1,2,3 :: c?9 :: c?9,9,9 :: true fi;
	c?[7]; c?[7,8]; c?<x>; assert(x == 7);
	if :: meet!1,2 :: true fi
}

active proctype q() { if :: meet?7 :: meet?7,7,7 :: true fi }
