"""Everything mcsl raises on purpose.

McslError
├── DataError       the table cannot be learned from
├── GraphError      an adjacency matrix is malformed or does not fit its names
│   └── CyclicGraphError    ... or has a cycle where a DAG is needed
├── SettingsError   an option or a field of a recipe is out of range
│   └── KnowledgeError      ... or prior knowledge contradicts itself or the table
└── OutputError     a result could not be written

Every message is one sentence: what was wrong, where, and what to do. The command line prints it and
exits with 2; anything else that escapes is a bug.
"""


class McslError(Exception):
    """Base of every error that mcsl raises on purpose."""


class DataError(McslError, ValueError):
    """The table cannot be learned from."""


class GraphError(McslError, ValueError):
    """An adjacency matrix is malformed or does not fit its names."""


class CyclicGraphError(GraphError):
    """A graph has a cycle where a DAG is needed."""


class SettingsError(McslError, ValueError):
    """An option or a field of a recipe is out of range."""


class KnowledgeError(SettingsError):
    """Prior knowledge contradicts itself or the table."""


class OutputError(McslError, OSError):
    """A result could not be written."""
