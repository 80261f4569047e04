chan a = [1] of { byte }; chan b = [1] of { byte }; chan ctl = [1] of { chan, chan };
active proctype M() { ctl!a,b; ctl!b,a }
active [2] proctype W() { chan in, out; byte v; ctl?in,out; out!_pid; in?v; xr in; v = len(in) + len(out) }
