chan s = [4] of { byte, bit }; chan t = [2] of { short }; byte x; short y;
active proctype A() { s!!3,1; s!!1,0; s!!2,1; s!!1,1; t!-5; t!300; }
active proctype B() { byte v; bit b;
  s??2,b; s?<v,b>; if :: s??[3,_] -> s??3,b :: s?[1,0] -> s?v,b :: full(t) -> t?y fi;
  do :: s?v,b -> x = x + v :: empty(s) && nfull(t) -> break :: t??-5 -> x = 9 :: nempty(t) -> t?<y> ; t?y od }
