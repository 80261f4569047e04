/* expect: 'a' is of typedef 'F' and cannot be given a value */
typedef F { byte x };
init { skip; F a = 3 }
