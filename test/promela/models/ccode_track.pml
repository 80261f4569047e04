/* Tracked memory belongs to the state, on the way forth and back, also to an error. */
c_decl { int count; int hidden; }
c_track "&count" "sizeof(int)"
c_track "&hidden" "sizeof(int)" "UnMatched"
byte x;
active [2] proctype p() {
	do
	:: c_expr { count < 3 } -> c_code { count++; hidden = count; }
	:: else -> break
	od;
	x++;
	assert(c_expr { count == hidden });
	assert(x < 2 || c_expr { count == 4 })
}
