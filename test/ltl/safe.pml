byte n; active proctype p() { n = 1 }
