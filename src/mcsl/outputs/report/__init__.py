"""The report: a result as one HTML file that needs nothing else."""

from mcsl.outputs.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
