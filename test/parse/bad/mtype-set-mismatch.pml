/* expect: mtype */
mtype:fruit = { apple };
mtype:car = { volvo };
mtype:fruit f;
init { f = volvo }
