"""``python -m kame_ros.nodes NAME``: run one node with this very Python."""

import sys

from kame_ros.nodes.process import main

main(sys.argv[1], sys.argv[2:])
