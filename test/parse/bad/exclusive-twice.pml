/* expect: both */
chan q = [1] of { byte };
active proctype A() { xr q; q?1 }
active proctype B() { xr q; q?1; q!1 }
