byte a[4], i; chan c = [3] of { byte, short };
active [2] proctype P() {
  byte k;
  d_step { k = 0; do :: k < 4 -> a[k] = a[k] + 1; k++ :: else -> break od };
  d_step { c!k,300; c!1,2; if :: len(c) > 1 -> c?k,_ :: else -> k = 9 fi; goto in; k = 55; in: k++ };
  d_step { i < 3 -> i++; if :: i == 1 -> skip :: i == 2 -> k = 4 :: else fi };
  c?k,_
}
