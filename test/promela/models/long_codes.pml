/* States whose codes have more than 62 bits: each of 24 variables has eight values, one after the other. */
byte v0;
byte v1;
byte v2;
byte v3;
byte v4;
byte v5;
byte v6;
byte v7;
byte v8;
byte v9;
byte v10;
byte v11;
byte v12;
byte v13;
byte v14;
byte v15;
byte v16;
byte v17;
byte v18;
byte v19;
byte v20;
byte v21;
byte v22;
byte v23;
#define COUNT(v) v = 1; v = 2; v = 3; v = 4; v = 5; v = 6; v = 7
active proctype counter() {
    COUNT(v0);
    COUNT(v1);
    COUNT(v2);
    COUNT(v3);
    COUNT(v4);
    COUNT(v5);
    COUNT(v6);
    COUNT(v7);
    COUNT(v8);
    COUNT(v9);
    COUNT(v10);
    COUNT(v11);
    COUNT(v12);
    COUNT(v13);
    COUNT(v14);
    COUNT(v15);
    COUNT(v16);
    COUNT(v17);
    COUNT(v18);
    COUNT(v19);
    COUNT(v20);
    COUNT(v21);
    COUNT(v22);
    COUNT(v23);
    assert(v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12 + v13 + v14 + v15 + v16 + v17 + v18 + v19 + v20 + v21 + v22 + v23 == 168)
}
active proctype other() { bit x; x = 1; v23 > 8 }
