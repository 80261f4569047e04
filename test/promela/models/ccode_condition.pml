byte x;
active proctype p() { c_code { now.x = 4; }; c_code [now.x == 4] { now.x = 0; }; c_code [now.x == 4] { now.x = 1; } }
