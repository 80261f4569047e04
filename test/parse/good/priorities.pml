active proctype A() priority 4 { int x; x = _priority; set_priority(_pid, 3); x = get_priority(_pid); _priority = 7 }
active proctype B() { skip }
