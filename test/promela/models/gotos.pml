byte x;
active [2] proctype A() {
start: if :: x < 2 -> x++; goto start :: x == 2 -> goto mid :: else -> goto end_ fi;
mid: x = 3; do :: x == 3 -> break :: x > 3 -> goto end_ od; if :: skip :: goto mid fi;
progress: x = 4;
end_: do :: x == 4 -> x = 0; goto start :: x == 9 od
}
