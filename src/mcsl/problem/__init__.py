"""What is to be learned: the table, the variables in it, and the edges that may exist."""

from mcsl.problem.problem import Problem, Variable

__all__ = ["Problem", "Variable"]
