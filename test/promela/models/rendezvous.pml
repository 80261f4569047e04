mtype = { req, ack, nak };
chan link[2] = [0] of { mtype, byte, chan };
chan reply = [1] of { mtype };
active proctype client() { byte k; chan mine = [1] of { mtype };
  do :: k < 2 -> link[k]!req,k,mine; if :: mine?ack -> k++ :: mine?nak -> reply!nak fi :: else -> break od }
active proctype server() { byte n; chan to;
  do :: link[0]?req,n,to -> to!ack :: link[1]?req(eval(n + 1),to) -> to!nak; link[1]?req,n,to; to!ack; n = 0 :: reply?nak -> skip
  od }
