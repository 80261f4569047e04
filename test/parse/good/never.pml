int x;
active proctype A() { byte y; y = 1; L: x = 1; x = 2 }
never { do :: x == 0 && !A@L :: A[0]@L -> break :: A[0]:y == 1 :: timeout :: np_ :: _last == 1 od; accept: do :: x != 3 od }
never named { do :: pc_value(0) > 1 :: enabled(0) :: else od }
