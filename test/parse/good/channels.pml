mtype = { data, ack };
chan rendezvous = [0] of { byte }; chan buffered = [3] of { mtype, byte, bool }; chan many[2] = [1] of { byte };
chan carrier = [1] of { chan };
proctype reader(chan c) { byte x; c?x }
init { byte x; mtype m; bool b; chan mine = [1] of { byte };
	run reader(rendezvous); rendezvous!1;
	buffered!data,1,true; buffered!ack(2, false); buffered!!data(0, true);
	buffered?data,x,b; buffered?m(x, b); buffered??data,eval(x),_;
	if :: buffered?[data,x,b] -> skip :: buffered??[ack,2,_] -> skip :: else fi;
	buffered!data,3,false; buffered?<m,x,b>; buffered??<m,x,b>; buffered?m,-1,b;
	many[1]!7; many[x]?x; carrier!mine; carrier?mine;
	(len(buffered) < 3 && nfull(buffered) || empty(buffered)); full(many[0]); nempty(buffered) }
