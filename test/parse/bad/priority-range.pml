/* expect: from 1 to 255 */
active proctype A() priority 300 { skip }
