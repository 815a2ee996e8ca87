"""Masked gradient-based causal structure learning: from a table to the causal graph behind it."""
