/* A message that goes round, and clocks that nobody needs: some thousand states. Twenty numbers that change together make
 * codes of states that do not fit into one word. `comes` holds; `dies` does not, since nobody has to take the message out. */
#define N 3
chan ring[N] = [1] of { byte };
byte round, gone, clock;
byte a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t;
active [N] proctype station()
{   byte age;
    if :: _pid == 0 -> ring[1]!0 :: else fi;
    do
    :: ring[_pid]?age;
       if
       :: _pid == 0 -> round = (round + 1) % 5; age = (age + 1) % 7
       :: else
       fi;
       if
       :: age == 6 && !gone -> gone = 1
       :: true -> ring[(_pid + 1) % N]!age
       fi
    od
}
active proctype ticks()
{
    do
    :: d_step { clock = (clock + 1) % 16; a = clock; b = clock; c = clock; d = clock; e = clock; f = clock; g = clock;
                h = clock; i = clock; j = clock; k = clock; l = clock; m = clock; n = clock; o = clock; p = clock;
                q = clock; r = clock; s = clock; t = clock }
    :: d_step { a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t == 300 -> clock = 0 }
    od
}
ltl comes { []<> (clock == 15) -> []<> (a == 15) }
ltl dies { <> (gone == 1) }
ltl turns { []<> (round == 1) || <> (gone == 1) }
