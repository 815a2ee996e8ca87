"""What is to be learned: the table, the variables in it, and the edges that may exist."""

from mcsl.problem.groups import groups_by_prefix, read_groups
from mcsl.problem.knowledge import Knowledge, read_knowledge
from mcsl.problem.problem import Problem, Variable, in_time
from mcsl.problem.resemblance import alike
from mcsl.problem.windows import SeriesSummary, cut_windows

__all__ = [
    "Knowledge",
    "Problem",
    "SeriesSummary",
    "Variable",
    "alike",
    "cut_windows",
    "groups_by_prefix",
    "in_time",
    "read_groups",
    "read_knowledge",
]
