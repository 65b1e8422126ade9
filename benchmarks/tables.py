"""Tables of docs/benchmarks.md that several measurements share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def count_rows(samples: Mapping[str, int], lost: Mapping[str, int], doubled: Mapping[str, int]) -> list[str]:
    """Lay out how many samples came, were lost and were doubled, by who counted them."""
    lines = ["| counted by | samples | lost | doubled |", "|---|---|---|---|"]
    return lines + [f"| {name} | {samples.get(name, '')} | {lost[name]} | {doubled[name]} |" for name in lost]


def memory_rows(
    resident_mib: Mapping[str, Sequence[float]], cpu_percent: Mapping[str, float], samples_a_minute: float
) -> list[str]:
    """Lay out how each process grew after its first minute, and what it cost."""
    lines = ["| process | MiB after 1 min | at the end | growth | processor, % of one core |", "|---|---|---|---|---|"]
    for name, sizes in sorted(resident_mib.items()):
        first = sizes[min(len(sizes) - 1, round(samples_a_minute))]
        growth = 100 * (sizes[-1] - first) / first
        lines.append(f"| {name} | {first:.0f} | {sizes[-1]:.0f} | {growth:+.2f} % | {cpu_percent.get(name)} |")
    return lines
