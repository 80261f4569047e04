init { skip; goto last; skip; last: }
