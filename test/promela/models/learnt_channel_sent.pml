/* Channels in messages. */
chan q = [2] of { chan };
chan r = [1] of { byte };
chan s = [1] of { byte };

active proctype p()
{
	chan m;
	byte x;
	do
	:: q?m -> m!1
	:: r?x
	:: s?x
	:: break
	od
}

active proctype w()
{
	do
	:: q!r
	:: q!s
	:: break
	od
}
