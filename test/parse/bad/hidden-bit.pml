/* expect: cannot be hidden */
hidden bit x;
init { x = 1 }
