# What a shell has for the minimal form: comments and variations go, line by line. It knows nothing of moves, and leaves
# letters, signs, valuations and layout as they are. Use: sed -E -f benches/strip.sed
/^\[/ b
:comment
s/\{[^}]*\}//g
/\{/ {
    N
    b comment
}
# A draw offer opens no variation.
s/\(=\)/~/g
:variation
s/\([^()]*\)//
t variation
/\(/ {
    N
    b comment
}
s/~/(=)/g
# Dots stand before the lines of a variation, and of comments in it.
s/^[. \n]+//
s/\n[. \n]*/\n/g
/^$/ d
