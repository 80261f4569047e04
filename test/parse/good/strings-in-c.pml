c_code { static const char *s = "a } b { \" c"; /* ' */ // "
}
init { c_code { (void)s; } }
