/* an index out of range while it is found out that the receive is blocked: the error of that statement */
chan link[2] = [0] of { byte };
active proctype client() { link[1]!1 }
active proctype server() { byte n; do :: link[5]?n :: link[1]?n od }
