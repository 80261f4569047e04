int x;
init { x == 0 -> x = 1 -> x == 1; x = (x == 1 -> 2 : 3) -> skip }
