"""What is to be learned: the table, the variables in it, and the edges that may exist."""

from mcsl.problem.knowledge import Knowledge, read_knowledge
from mcsl.problem.problem import Problem, Variable

__all__ = ["Knowledge", "Problem", "Variable", "read_knowledge"]
