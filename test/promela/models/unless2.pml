/* escapes from loops, selections and atomic sequences */
byte n, m; chan c = [1] of { byte };
active proctype A() {
  do
  :: n < 3 -> n++
  :: m == 2 -> break
  :: atomic { m == 1 -> m = 2; n = 0 }
  od unless { c?n };
  L: { n = 1; goto L2; n = 2; L2: n = 3 } unless { m == 3 -> skip };
  if :: n = 4 :: n = 5 fi unless { len(c) > 0 -> n = 9 }
}
active proctype B() { m = 1; c!7; m = 3; c!8 }
