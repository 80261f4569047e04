byte a[5]; byte i;
active proctype P() { do :: i < 5 -> a[i] = i * i; i++ :: i > 2 -> a[a[1] + a[0]] = 7; break od; a[i - 1] = a[a[2] - a[2]] }
active proctype Q() { (i == 2); a[0] = 1; i = 3 }
