"""KAME for ROS 2: a robot that talks while it thinks."""

from pkgutil import extend_path

# The messages are generated into the installed package: with this a source tree in front of it still finds them.
__path__ = extend_path(__path__, __name__)

__version__ = "0.1.0"
