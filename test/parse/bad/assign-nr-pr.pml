/* expect: _nr_pr */
init { _nr_pr = 1 }
