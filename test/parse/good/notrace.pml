chan q = [2] of { byte };
active proctype P() { byte x; q!1; q?x }
notrace { q!1; q!2 }
