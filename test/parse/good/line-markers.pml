# 1 "elsewhere.pml"
int x;
# 20 "elsewhere.pml" 2
init { x = 1 }
