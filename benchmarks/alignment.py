"""Speed of the alignment engine on runs of long procedures with planted faults; `python -m benchmarks.alignment` from the project's root.

In: nothing; the problems come from seeds. Out: a table, a line for each shape: how the problems were settled, and the median and longest wall-clock
time of one, model building included. Measured, asserted nowhere.
"""

import statistics
import sys
import time
from collections import Counter
from random import Random

from tests.solver.alignment.large import Shape, large

from servanda.solver.conformance import solve

SHAPES = (
    (Shape(leaves=12, events=20, faults=0), 100),
    (Shape(leaves=12, events=20, faults=1), 60),
    (Shape(leaves=20, events=60, faults=0), 100),
    (Shape(leaves=30, events=60, faults=4), 30),
    (Shape(leaves=30, events=60, faults=15, repeats=2.0), 20),
    (Shape(leaves=100, events=160, faults=0), 20),
    (Shape(leaves=100, events=160, faults=8), 12),
    (Shape(leaves=200, events=200, faults=0), 10),
    (Shape(leaves=200, events=200, faults=10), 8),
)


def main() -> None:
    """Measure and print."""
    solve(large(Random(0), Shape(leaves=30, events=60, faults=4)))  # loads the solver
    sys.stdout.write(
        "| duties x events | faults | repeats | settled by | median ms | longest ms |\n|---|---|---|---|---|---|\n"
    )
    for shape, number in SHAPES:
        methods: Counter[str] = Counter()
        times = []
        for seed in range(number):
            made = large(Random(seed), shape)
            start = time.perf_counter()
            solution = solve(made)
            times.append(1000 * (time.perf_counter() - start))
            methods[solution.method if solution.proven else "nothing: budget ended"] += 1
        settled = ", ".join(f"{method} {count}" for method, count in sorted(methods.items()))
        sys.stdout.write(
            f"| {shape.leaves} x {shape.events} | {shape.faults} | {shape.repeats} | {settled} | "
            f"{statistics.median(times):.1f} | {max(times):.1f} |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
