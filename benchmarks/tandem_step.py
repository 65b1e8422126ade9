"""How long one step (80 ms of sound) of the full-size tandem takes on this GPU, beside plain Moshi on the same card.

    python -m benchmarks.tandem_step [--sessions 1,8,32,64] [--steps 1000] [--context STEPS] [--json FILE]

The weights are random: the time of a step does not depend on their values. Each number of sessions has a process of
its own, which steps Moshi by moshi's own `LMGen` and Mimi first and then KAME by our `Stepper`, both in bfloat16, from
sound on the host to sound on the host, one after the other without a pause. The floor is the time in which the card,
at the bandwidth that it shows in the same run, reads the weights and the key-value caches once. Needs neither ROS nor
a checkpoint. `--tiny --device cpu` runs the same on a small model, to see that it works: those times mean nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

WHAT = ("machine", "plain", "tandem", "parts", "kernels")
_LIMIT_S = 400.0


def measure(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Run one process for each number of sessions; one that dies is an error of its own."""
    found = []
    for sessions in (int(one) for one in chosen.sessions.split(",")):
        order = {
            "sessions": sessions,
            "steps": chosen.steps,
            "context": chosen.context,
            "device": chosen.device,
            "tiny": chosen.tiny,
            "what": [what for what in WHAT if what not in (chosen.skip or ["kernels"])],
        }
        command = [sys.executable, "-m", "benchmarks.step_measure", json.dumps(order)]
        start_s = time.monotonic()
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=_LIMIT_S, check=True)
            found.append(json.loads(done.stdout.splitlines()[-1]))
        except (subprocess.SubprocessError, ValueError, IndexError) as error:
            found.append({"sessions": sessions, "error": f"{type(error).__name__}: {error}"})
        print(f"{sessions} sessions: {time.monotonic() - start_s:.0f} s in all", file=sys.stderr, flush=True)
    return found


def floor_ms(row: dict[str, Any]) -> float | None:
    """Return the time in which the card reads everything once; None where a part of the run failed."""
    tandem, machine = row.get("tandem", {}), row.get("machine", {})
    if "weights_gb" not in tandem or not machine.get("bandwidth_gb_s"):
        return None
    return float((tandem["weights_gb"] + tandem["cache_gb"]) / machine["bandwidth_gb_s"] * 1e3)


def markdown(found: list[dict[str, Any]]) -> str:
    """Lay the result out as the table of docs/benchmarks.md."""
    lines = [
        "| sessions | encode | LM | decode | whole step p50 / p95 / p99 / max, ms | over 80 ms | headroom | memory, GB "
        "| floor, ms | p50 / floor | plain moshi p50 / p99, ms | memory, GB |",
        "|" + "---|" * 12,
    ]
    for row in found:
        ours, parts, plain = (row.get(name, {}) for name in ("tandem", "parts", "plain"))
        floor = floor_ms(row)
        cells = [
            row["sessions"],
            *(parts.get(f"{part}_p50_ms", "-") for part in ("encode", "lm", "decode")),
            " / ".join(str(ours.get(key, "-")) for key in ("p50_ms", "p95_ms", "p99_ms", "max_ms")),
            f"{ours.get('misses', '-')} of {ours.get('steps', '-')}",
            ours.get("headroom", "-"),
            ours.get("memory_gb", "-"),
            "-" if floor is None else round(floor, 2),
            "-" if floor is None else round(ours["p50_ms"] / floor, 2),
            " / ".join(str(plain.get(key, "-")) for key in ("p50_ms", "p99_ms")),
            plain.get("memory_gb", "-"),
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines)


def errors(found: list[dict[str, Any]]) -> list[str]:
    """Return what failed, with the traceback."""
    parts = [(row["sessions"], name, part) for row in found for name, part in row.items() if isinstance(part, dict)]
    failed = [f"{sessions} sessions, {name}:\n{part['error']}" for sessions, name, part in parts if "error" in part]
    return failed + [f"{row['sessions']} sessions: {row['error']}" for row in found if "error" in row]


def main() -> None:
    """Measure and print the table; ends with code 1 when a part failed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sessions", default="1,8,32,64", help="how many at once, one run each")
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--context", type=int, default=0, help="steps that the model looks back; 0: as published")
    options.add_argument("--device", default="cuda")
    options.add_argument("--tiny", action="store_true", help="a small model")
    options.add_argument("--skip", choices=WHAT, action="append", help="leave this part out; kernels, by default")
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    found = measure(chosen)
    date = time.strftime("%Y-%m-%d")
    if chosen.json:
        chosen.json.write_text(json.dumps({"date": date, "runs": found}, indent=1) + "\n")
    machine = next((row["machine"] for row in found if "device" in row.get("machine", {})), {})
    print(", ".join([date, *(f"{name} {value}" for name, value in machine.items())]))
    print(f"\n{markdown(found)}")
    failed = errors(found)
    if failed:
        print("\n" + "\n".join(failed))
        sys.exit(1)


if __name__ == "__main__":
    main()
