"""Where the package's own configuration files are."""

from __future__ import annotations

import sys
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

import kame_ros


def config_file(name: str) -> Path:
    """Return the path of the bundled file ``name``: in the source tree that runs, else in the installed package."""
    source = Path(kame_ros.__file__).resolve().parent.parent
    if (source / "package.xml").exists():
        return source / "config" / name
    try:
        share = get_package_share_directory("kame_ros")
    except (PackageNotFoundError, LookupError, OSError):  # a wheel in an environment that nobody told ROS about
        share = str(Path(sys.prefix, "share", "kame_ros"))
    return Path(share, "config", name)
