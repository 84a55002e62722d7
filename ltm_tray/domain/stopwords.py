"""English words that say nothing about what a query is looking for."""

from __future__ import annotations

_WORDS = """
a about above after again against ago all also always an and any anything arent around as at
away be because become before being below between both but by can cannot cant come could couldnt
didnt do doesnt doing dont down during each either else ever every everything few for from
further get gets getting hadnt hasnt have havent having he her here hers herself him himself his
how however i id if ill im in into isnt it its itself ive just let lets may maybe me might more
most much must my myself neither no nor not nothing of off often on once one only onto or other
our ours ourselves out over own per perhaps please quite rather really same say says shall she
should shouldnt since so some someone something sometimes still such tell than that thats the
their theirs them themselves then there theres these they theyre this those though through to
together too toward under until up upon us use used uses using very via wasnt we werent weve
what whats when where whether which while who whom whos whose why will with within without wont
would wouldnt yes yet you youd youll your youre yours yourself yourselves
"""

STOP_WORDS = frozenset(_WORDS.split())
"""In the analyser's own form: lower case, no apostrophes, irregular forms as their base."""
