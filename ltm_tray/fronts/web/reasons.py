"""Says in plain words why a hit stands where it stands."""

from __future__ import annotations

from ltm_tray.domain.memory import Explanation, MatchedTerm

_RARE, _FREQUENT = 3, 50


def why(found: Explanation, asked_terms: int) -> str:
    """Return a line for each thing that counted and in which way, what counted most first."""
    total = sum(term.score for term in found.terms) or 1.0
    reasons = [f"“{term.term}” {_of_term(term, total)}" for term in found.terms]
    if asked_terms > 1:
        held = len(found.terms)
        gain = f"{(found.coverage - 1) * 100:.0f} % more"
        reasons.append(f"{held} of {asked_terms} words; the more it holds the better: {gain}")
    if found.kind_weight > 1:
        gain = f"{(found.kind_weight - 1) * 100:.0f} % more"
        reasons.append(f"saved on purpose, so before what was only captured: {gain}")
    return "\n".join(reasons)


def _of_term(term: MatchedTerm, total: float) -> str:
    times = "once" if term.frequency < 2 else f"{int(term.frequency)} times"
    if term.holders <= _RARE:
        rarity = "few others hold it, so it tells much"
    elif term.holders <= _FREQUENT:
        rarity = f"{term.holders:,} items of the project hold it"
    else:
        rarity = f"{term.holders:,} items of the project hold it, so it tells little"
    return f"{times} here; {rarity}: {term.score / total * 100:.0f} % of the match"
