"""``python -m kame_ros.app``: the command kame with this very Python."""

from kame_ros.app.cli import main

main()
