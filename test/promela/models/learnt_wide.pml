/* More bits than a key has: codes of two words. */
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
byte v24;
byte v25;
byte v26;
byte v27;
byte v28;
byte v29;
byte v30;
byte v31;
byte v32;
byte v33;
byte v34;
byte v35;
byte v36;
byte v37;
byte v38;
byte v39;
byte v40;
byte v41;
byte v42;
byte v43;
byte v44;
byte v45;
byte v46;
byte v47;
byte v48;
byte v49;
byte v50;
byte v51;
byte v52;
byte v53;
byte v54;
byte v55;
byte v56;
byte v57;
byte v58;
byte v59;
byte v60;
byte v61;
byte v62;
byte v63;
byte v64;
byte v65;
byte v66;
byte v67;
byte v68;
byte v69;
byte at;

active [2] proctype p()
{
	do
	:: d_step { at == 0 -> v0 = 1; at = 1 }
	:: d_step { at == 1 -> v1 = 1; at = 2 }
	:: d_step { at == 2 -> v2 = 1; at = 3 }
	:: d_step { at == 3 -> v3 = 1; at = 4 }
	:: d_step { at == 4 -> v4 = 1; at = 5 }
	:: d_step { at == 5 -> v5 = 1; at = 6 }
	:: d_step { at == 6 -> v6 = 1; at = 7 }
	:: d_step { at == 7 -> v7 = 1; at = 8 }
	:: d_step { at == 8 -> v8 = 1; at = 9 }
	:: d_step { at == 9 -> v9 = 1; at = 10 }
	:: d_step { at == 10 -> v10 = 1; at = 11 }
	:: d_step { at == 11 -> v11 = 1; at = 12 }
	:: d_step { at == 12 -> v12 = 1; at = 13 }
	:: d_step { at == 13 -> v13 = 1; at = 14 }
	:: d_step { at == 14 -> v14 = 1; at = 15 }
	:: d_step { at == 15 -> v15 = 1; at = 16 }
	:: d_step { at == 16 -> v16 = 1; at = 17 }
	:: d_step { at == 17 -> v17 = 1; at = 18 }
	:: d_step { at == 18 -> v18 = 1; at = 19 }
	:: d_step { at == 19 -> v19 = 1; at = 20 }
	:: d_step { at == 20 -> v20 = 1; at = 21 }
	:: d_step { at == 21 -> v21 = 1; at = 22 }
	:: d_step { at == 22 -> v22 = 1; at = 23 }
	:: d_step { at == 23 -> v23 = 1; at = 24 }
	:: d_step { at == 24 -> v24 = 1; at = 25 }
	:: d_step { at == 25 -> v25 = 1; at = 26 }
	:: d_step { at == 26 -> v26 = 1; at = 27 }
	:: d_step { at == 27 -> v27 = 1; at = 28 }
	:: d_step { at == 28 -> v28 = 1; at = 29 }
	:: d_step { at == 29 -> v29 = 1; at = 30 }
	:: d_step { at == 30 -> v30 = 1; at = 31 }
	:: d_step { at == 31 -> v31 = 1; at = 32 }
	:: d_step { at == 32 -> v32 = 1; at = 33 }
	:: d_step { at == 33 -> v33 = 1; at = 34 }
	:: d_step { at == 34 -> v34 = 1; at = 35 }
	:: d_step { at == 35 -> v35 = 1; at = 36 }
	:: d_step { at == 36 -> v36 = 1; at = 37 }
	:: d_step { at == 37 -> v37 = 1; at = 38 }
	:: d_step { at == 38 -> v38 = 1; at = 39 }
	:: d_step { at == 39 -> v39 = 1; at = 40 }
	:: d_step { at == 40 -> v40 = 1; at = 41 }
	:: d_step { at == 41 -> v41 = 1; at = 42 }
	:: d_step { at == 42 -> v42 = 1; at = 43 }
	:: d_step { at == 43 -> v43 = 1; at = 44 }
	:: d_step { at == 44 -> v44 = 1; at = 45 }
	:: d_step { at == 45 -> v45 = 1; at = 46 }
	:: d_step { at == 46 -> v46 = 1; at = 47 }
	:: d_step { at == 47 -> v47 = 1; at = 48 }
	:: d_step { at == 48 -> v48 = 1; at = 49 }
	:: d_step { at == 49 -> v49 = 1; at = 50 }
	:: d_step { at == 50 -> v50 = 1; at = 51 }
	:: d_step { at == 51 -> v51 = 1; at = 52 }
	:: d_step { at == 52 -> v52 = 1; at = 53 }
	:: d_step { at == 53 -> v53 = 1; at = 54 }
	:: d_step { at == 54 -> v54 = 1; at = 55 }
	:: d_step { at == 55 -> v55 = 1; at = 56 }
	:: d_step { at == 56 -> v56 = 1; at = 57 }
	:: d_step { at == 57 -> v57 = 1; at = 58 }
	:: d_step { at == 58 -> v58 = 1; at = 59 }
	:: d_step { at == 59 -> v59 = 1; at = 60 }
	:: d_step { at == 60 -> v60 = 1; at = 61 }
	:: d_step { at == 61 -> v61 = 1; at = 62 }
	:: d_step { at == 62 -> v62 = 1; at = 63 }
	:: d_step { at == 63 -> v63 = 1; at = 64 }
	:: d_step { at == 64 -> v64 = 1; at = 65 }
	:: d_step { at == 65 -> v65 = 1; at = 66 }
	:: d_step { at == 66 -> v66 = 1; at = 67 }
	:: d_step { at == 67 -> v67 = 1; at = 68 }
	:: d_step { at == 68 -> v68 = 1; at = 69 }
	:: d_step { at == 69 -> v69 = 1; at = 70 }
	:: at == 70 -> break
	od;
	assert(v0 + v69 == 2)
}
