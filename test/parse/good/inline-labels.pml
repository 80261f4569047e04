int x;
inline again2(n) { skip; M: x = n; if :: x < 3 -> goto M :: else fi }
init { skip; again2(1); again2(2); if :: x == 3 -> goto M :: else fi; M: skip }
