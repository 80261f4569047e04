int x;
init { if :: else -> x = 1 :: x == 3 -> x = 2 :: x == 4 fi; if :: skip; x = 2 :: x = 3 fi }
