"""Beyond single edges: variables move along the order, and all that they pass choose their causes anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcsl.order.climb import parents_of
from mcsl.order.scores import Score

BINDING_GAIN = 10.0
"""An edge that gains less, in nats, may point the wrong way for the sake of several others."""
# A binding edge whose reverse gains less than this share of it is a curve, and will hardly turn.
_LEAST_REVERSE = 0.2
_LEAST_GAIN = 1e-6
# Scores that agree so far may be the same.
_DIGITS = 6


def rearrange(
    adjacency: NDArray[np.bool_], candidates: NDArray[np.bool_], score: Score, required: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Move variables along the order to where no more edges have a larger total score, until none moves.

    A straight line with Gaussian noise fits as well when it is turned around, provided that what is the
    effect now has the causes of the other variable too. No single edge tells that a graph has such lines
    the wrong way round, with more edges than it needs: a line has to turn and both variables have to choose
    again among what comes before them. Where nothing moves any more, the search begins again from the order
    turned around, as far as curves allow, and the better of both ends counts.
    """
    best = _Order.of(adjacency, candidates, score, required)
    best.settle()
    while True:
        other = best.turned_around()
        other.settle()
        if not other.total() > best.total() + _LEAST_GAIN or other.n_edges() > best.n_edges():
            return best.adjacency()
        best = other


class _Choice(NamedTuple):
    """Causes of a variable, and the score that it has with them."""

    score: float
    parents: frozenset[int]


class _Move(NamedTuple):
    """What it is worth to pass neighbours up to the last one, and what all of them choose then."""

    worth: float
    last: int
    choices: dict[int, _Choice]


@dataclass(eq=False)
class _Order:
    """An order in which every variable has causes that no single one added or dropped would improve."""

    score: Score
    line: NDArray[np.intp]
    choices: list[_Choice]
    fixed: list[frozenset[int]]
    """Causes that each variable always has."""
    free: list[frozenset[int]]
    """Causes that each variable may choose if they come before it."""
    neighbours: list[NDArray[np.intp]]
    place: NDArray[np.intp] = field(init=False)
    _known: dict[tuple[int, frozenset[int]], _Choice] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.place = np.argsort(self.line)

    @classmethod
    def of(
        cls,
        adjacency: NDArray[np.bool_],
        candidates: NDArray[np.bool_],
        score: Score,
        required: NDArray[np.bool_],
    ) -> _Order:
        """Begin with the causes of a graph, in an order that depends on neither columns' places nor units."""
        variables, related = range(len(adjacency)), candidates | candidates.T | required | required.T
        parents = [parents_of(adjacency, variable) for variable in variables]
        choices = [_Choice(score(variable, parents[variable]), parents[variable]) for variable in variables]
        fixed = [parents_of(required, variable) for variable in variables]
        explained = np.zeros(len(adjacency))
        for cause, effect in np.argwhere(candidates & ~required).tolist():
            gain = score(effect, fixed[effect] | {cause}) - score(effect, fixed[effect])
            explained[effect] += gain
            explained[cause] -= gain
        # Standardised columns without causes have the same score, so that rounding would sort them: those
        # that explain single others better than these explain them come first.
        wish = np.lexsort(np.round([explained, [choice.score for choice in choices]], _DIGITS))
        return cls(
            score,
            _line(parents, wish),
            choices,
            fixed,
            free=[parents_of(candidates & ~required, variable) for variable in variables],
            neighbours=[np.flatnonzero(row) for row in related],
        )

    def turned_around(self) -> _Order:
        """Begin with the last variable first, as far as edges that bind allow it."""
        binding = [
            frozenset(cause for cause in choice.parents if self._binds(cause, effect))
            for effect, choice in enumerate(self.choices)
        ]
        bare = [_Choice(-np.inf, parents) for parents in self.fixed]
        order = replace(self, line=_line(binding, self.line[::-1]), choices=bare)
        order.choices = [order._choose(variable, order._allowed(variable)) for variable in range(len(bare))]
        return order

    def total(self) -> float:
        return sum(choice.score for choice in self.choices)

    def n_edges(self) -> int:
        return sum(len(choice.parents) for choice in self.choices)

    def adjacency(self) -> NDArray[np.bool_]:
        found = np.zeros((len(self.line), len(self.line)), dtype=bool)
        for variable, choice in enumerate(self.choices):
            found[list(choice.parents), variable] = True
        return found

    def settle(self) -> None:
        """Move variables, each to its best place, until all are there."""
        moved = True
        while moved:
            moved = False
            for variable in self.line.tolist():
                moved |= self._improve(variable)

    def _improve(self, variable: int) -> bool:
        move = max(self._best_move(variable, -1), self._best_move(variable, 1), key=lambda move: move.worth)
        if not move.worth > _LEAST_GAIN:
            return False
        here, there = int(self.place[variable]), int(self.place[move.last])
        low, high = min(here, there), max(here, there) + 1
        self.line[low:high] = np.roll(self.line[low:high], 1 if there < here else -1)
        self.place[self.line[low:high]] = np.arange(low, high)
        for changed, choice in move.choices.items():
            self.choices[changed] = choice
        return True

    def _best_move(self, variable: int, direction: int) -> _Move:
        """Pass neighbours one by one, towards the end (1) or the beginning (-1), as far as nothing binds."""
        distances = direction * (self.place[self.neighbours[variable]] - self.place[variable])
        ahead = self.neighbours[variable][np.argsort(distances)][(distances <= 0).sum() :]
        best, choices = _Move(0.0, variable, {}), dict[int, _Choice]()
        allowed = self._allowed(variable)
        for other in ahead.tolist():
            if self._binds(*((variable, other) if direction > 0 else (other, variable))):
                break
            if variable in self.free[other]:
                choices[other] = self._choose(other, self._allowed(other) ^ {variable})
            if other in self.free[variable]:
                allowed ^= {other}
            choices[variable] = self._choose(variable, allowed)
            changes = [(choice, self.choices[changed]) for changed, choice in choices.items()]
            worth = sum(new.score - old.score for new, old in changes)
            n_added = sum(len(new.parents) - len(old.parents) for new, old in changes)
            if worth > best.worth and n_added <= 0:
                best = _Move(worth, other, choices.copy())
        return best

    def _binds(self, cause: int, effect: int) -> bool:
        """Tell whether an edge is required, or gains much more than its reverse would."""
        if cause in self.fixed[effect]:
            return True
        if cause not in self.choices[effect].parents or effect not in self.free[cause]:
            return False
        (score, parents), (reverse_score, reverse_parents) = self.choices[effect], self.choices[cause]
        gain = score - self.score(effect, parents - {cause})
        reverse_gain = self.score(cause, reverse_parents | {effect}) - reverse_score
        return gain > BINDING_GAIN and reverse_gain < _LEAST_REVERSE * gain

    def _allowed(self, variable: int) -> frozenset[int]:
        here = self.place[variable]
        return frozenset(cause for cause in self.free[variable] if self.place[cause] < here)

    def _choose(self, variable: int, allowed: frozenset[int]) -> _Choice:
        """Add or drop the cause that raises the score most until none does, from the causes of now."""
        key = variable, allowed
        if key not in self._known:
            parents = (self.choices[variable].parents & allowed) | self.fixed[variable]
            best = _Choice(self.score(variable, parents), parents)
            while allowed:
                toggled = (best.parents ^ {cause} for cause in sorted(allowed))
                next_best = max(_Choice(self.score(variable, parents), parents) for parents in toggled)
                if not next_best.score > best.score + _LEAST_GAIN:
                    break
                best = next_best
            self._known[key] = best
        return self._known[key]


def _line(parents: Sequence[frozenset[int]], wish: NDArray[np.intp]) -> NDArray[np.intp]:
    """Put variables behind their parents, and otherwise in the order of a wish."""
    waiting, placed = wish.tolist(), dict[int, None]()
    while waiting:
        variable = next(variable for variable in waiting if parents[variable] <= placed.keys())
        waiting.remove(variable)
        placed[variable] = None
    return np.array(list(placed), dtype=np.intp)
