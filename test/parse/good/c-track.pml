c_decl { extern int data[2]; }
c_track "data" "sizeof(data)" "UnMatched"
c_code { int data[2]; }
init { c_code { data[0] = 1; } }
