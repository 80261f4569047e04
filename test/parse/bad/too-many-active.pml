/* expect: at most 255 */
active [256] proctype A() { skip }
