/* what C code touches is not known: here both processes count in one variable */
c_decl { int count; }
c_track "&count" "sizeof(int)"
active [2] proctype p() { c_code { count++; }; c_code { count--; }; assert(c_expr { count == 0 }) }
