byte x;
active D_proctype D() { do :: x < 3 -> x++ :: x == 3 -> break od }
active proctype E() { x = 3 - x }
