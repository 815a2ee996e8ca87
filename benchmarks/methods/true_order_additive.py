from dataclasses import replace

from benchmarks.methods import true_order

METHOD = replace(
    true_order.METHOD,
    name="true order",
    source="an oracle: the true order, then the additive recipe's tests",
    settings={"tests": "additive"},
)
