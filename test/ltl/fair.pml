/* Only an unfair scheduler keeps `once` from moving. */
bit done, toggle;
active proctype once() { done = 1 }
active proctype loop() { do :: toggle = 1 - toggle od }
ltl gets_done { <> done }
ltl toggles { []<> toggle }
