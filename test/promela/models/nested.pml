byte x, y;
active [2] proctype P() { do :: if :: x == 0 -> x = 1 :: do :: x == 1 -> x = 2 :: x == 2 -> { y = 1; if :: y == 1 -> break :: y == 2 fi } od fi :: { x == 2; atomic { x = 0; y = 0 } } :: x == 0 && y == 0 -> break od }
