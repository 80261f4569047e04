c_decl { typedef struct { int a; } Thing; }
c_state "Thing t" "Global" "{ 3 }"
c_state "int h" "Hidden"
c_code { static int twice(int x) { return 2 * x; /* } */ } }
int x;
init { c_code { now.x = 3; { int y = '}'; (void)y; } }; c_code [now.x < 5] { now.x = twice(now.x); now.t.a = "}"[0]; };
	if :: c_expr { now.x > 2 && now.t.a == 1 } -> skip :: c_expr [now.x] { now.x } :: else fi }
