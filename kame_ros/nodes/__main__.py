"""``python -m kame_ros.nodes NAME``: run one node with this very Python."""

import sys

from kame_ros.nodes.parameters import ALL_NODES
from kame_ros.nodes.process import BAD_PARAMETER, main

name, *arguments = [*sys.argv[1:], ""] if len(sys.argv) == 1 else sys.argv[1:]
if name not in ALL_NODES:
    sys.stderr.write(
        f"python -m kame_ros.nodes {name}".rstrip() + f": give the name of a node: {', '.join(ALL_NODES)}\n"
    )
    sys.exit(BAD_PARAMETER)
main(name, arguments)
