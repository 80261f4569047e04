/* escapes: simple, nested, with a guard that becomes true in the middle */
byte x, y;
active proctype A() {
  { x = 1; x = 2; x = 3; x = 4 } unless { y == 1 -> x = 100 };
  { { x = 5; x = 6 } unless { y == 2 -> x = 50 }; x = 7 } unless { y == 3 -> x = 60; x = 61 };
  y = 9
}
active proctype B() { y = 1; y = 2; y = 3; y = 0 }
