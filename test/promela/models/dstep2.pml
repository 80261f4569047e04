chan r = [0] of { byte }; byte got;
active proctype S() { r!3; r!4; r!5 }
active proctype R() { byte v; do :: d_step { r?v; got = got + v; v = 0 } :: got > 7 -> break od }
active proctype T() { atomic { got == 3 -> got = 4; got = 3 } }
