byte x;
active [2] proctype P() { do :: skip; skip; x++; skip; true; 1; printf("a"); skip; if :: x > 4 -> break :: skip :: else fi :: x > 2 -> skip; skip; break od; skip; skip }
