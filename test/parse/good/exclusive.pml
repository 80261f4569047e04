chan q = [2] of { byte }; chan r[2] = [1] of { byte };
active proctype P() { xs q; chan mine = [1] of { byte }; xr mine; q!1; mine!1; mine?1 }
active proctype Q() { byte x; xr q; q?x }
