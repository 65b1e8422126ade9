"""For nodes of others that take part in a dialogue, such as a planner: ``from kame_ros.client import Client``."""

from kame_ros.client.client import Client
from kame_ros.client.ends import End, Ending
from kame_ros.client.reply import ClientError, RefusedError, Reply
from kame_ros.client.stream import Stream
from kame_ros.nodes.calls import NoAnswerError

__all__ = ["Client", "ClientError", "End", "Ending", "NoAnswerError", "RefusedError", "Reply", "Stream"]
