chan q = [2] of { byte, byte, byte };
byte x, y, z;
init { q!1,2,3; q?(x, y, z); q!1(2, 3); q?x(y, z); q?x,(y, z); q?[x(y, z)] }
