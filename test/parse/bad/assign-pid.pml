/* expect: _pid */
init { _pid = 1 }
