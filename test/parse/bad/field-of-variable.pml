/* expect: the initial value of a field cannot name a variable */
byte g = 5;
typedef F { byte x = g };
F f;
init { skip }
