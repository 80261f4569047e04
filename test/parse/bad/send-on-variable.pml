/* expect: is not a channel */
byte q;
init { q!1 }
