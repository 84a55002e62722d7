"""English forms that no suffix rule reduces: `went` is a form of `go`, `children` of `child`.

Left out are forms that are words of their own where programs are talked about, such as
`left`, `bound`, `led` or `spoke`.
"""

from __future__ import annotations

_FAMILIES = """
be am are been is was were
become became
begin began begun
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came
deal dealt
dig dug
do did does done
draw drawn drew
drink drank drunk
drive driven drove
eat ate eaten
fall fallen fell
feed fed
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
freeze froze frozen
get got gotten
give gave given
go goes gone went
grow grew grown
hang hung
have had has
hear heard
hide hid hidden
hold held
keep kept
know knew known
lend lent
lose lost
make made
mean meant
meet met
pay paid
ride ridden rode
ring rang rung
rise risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shaken shook
shoot shot
show shown
sing sang sung
sink sank sunk
sit sat
sleep slept
speak spoken
spend spent
stand stood
steal stole stolen
stick stuck
strike struck
swim swam swum
take taken took
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won
write written wrote
analysis analyses
appendix appendices
axis axes
child children
criterion criteria
foot feet
hypothesis hypotheses
index indices
knife knives
life lives
man men
matrix matrices
mouse mice
person people
tooth teeth
vertex vertices
wife wives
woman women
"""

BASE_FORMS = {
    form: family[0]
    for family in (line.split() for line in _FAMILIES.split("\n") if line)
    for form in family[1:]
}
"""Each irregular form to its base form, in the analyser's own spelling."""
