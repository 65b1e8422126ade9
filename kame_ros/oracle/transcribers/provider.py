"""What a recogniser that is a provider's service needs before its first session: a key and a library."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from kame_ros.oracle.backends.network import split_address
from kame_ros.oracle.errors import BackendSetUpError
from kame_ros.oracle.keys import Key, find_key, read_key
from kame_ros.oracle.redaction import protect_logs
from kame_ros.oracle.transcriber import TranscriberError
from kame_ros.oracle.transcribers.remote_settings import RemoteSettings
from kame_ros.oracle.transcribers.wire import Wire

_NO_KEY = Key("unused")  # a server of one's own asks for none; the libraries insist on one


@dataclass(frozen=True)
class Provider:
    """Whose service it is."""

    name: str  # as the parameter ``transcriber`` spells it
    variables: Sequence[str]  # of the environment, which may hold the key
    key_file: str  # the parameter that names a file with it
    wire: str  # the class of its sessions, of the module ``NAME_wire`` beside this one

    def wire_maker(self, settings: RemoteSettings) -> Callable[[], Wire]:
        """Read the key, load the library, 1 to 2 s, and return what makes a session; raise `TranscriberError`."""
        find = find_key if settings.base_url else read_key
        try:
            if settings.base_url:
                split_address(settings.base_url, "transcriber_base_url", "https://HOST:PORT/v1")
            key = find(self.variables, settings.key_file, self.key_file) or _NO_KEY
            # Only here: its library is optional, and slow to import.
            module = importlib.import_module(f"kame_ros.oracle.transcribers.{self.name}_wire")
        except BackendSetUpError as error:
            raise TranscriberError(f"transcriber = {self.name}: {error}") from error
        except ImportError as error:
            raise TranscriberError(
                f"transcriber = {self.name}: package {error.name} is not installed; "
                "pip install -r requirements/cloud.txt"
            ) from error
        protect_logs([key])
        return partial(getattr(module, self.wire), settings, key)
