/* the same in what a receive compares with */
chan c = [2] of { byte }; byte a[2], x, i = 7;
active proctype p() { c!1; if :: c?eval(a[i]) :: c?1 fi; assert(x == 0) }
