int x, i;
init { do :: do :: break od; break :: x = 1 od; for (i : 1 .. 3) { do :: x > 1 -> break :: else -> x++ od; break }; do :: x == 9 od unless { skip } }
