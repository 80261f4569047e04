int a, b, c; bool p;
init { p = a + b == c && a - b < c || a & b == c; p = a | b ^ c & a; p = a << 1 + b; p = !a == b; p = -a * b; p = ~a + b; p = a == b == c; a = a - b - c }
