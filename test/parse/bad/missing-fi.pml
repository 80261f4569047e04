/* expect: after the options of 'if' */
init { if :: true -> skip od }
