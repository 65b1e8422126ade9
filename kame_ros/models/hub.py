"""Checkpoint files from a Hugging Face repository."""

from __future__ import annotations

import logging
from pathlib import Path

from huggingface_hub import hf_hub_download
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from kame_ros.models.errors import CheckpointError

# It tells of each retry in a line of its own; how it went is told below, in one.
logging.getLogger("huggingface_hub").setLevel(logging.ERROR)


def download(repository: str, file: str, revision: str, parameter: str = "checkpoint") -> Path | None:
    """Return the local copy of ``file``, None if the repository has no such file; blocks for as long as it downloads.

    An empty ``revision`` is the newest one. Without a network the copy of an earlier download serves.
    Errors name ``parameter``, which the repository is taken from.

    Raises:
        CheckpointError: no such repository or revision, no access, or neither network nor copy.
    """
    where = f"{parameter} = {repository!r}"
    try:
        return Path(hf_hub_download(repository, file, revision=revision or None))
    except RevisionNotFoundError as error:
        raise CheckpointError(f"{parameter}_revision = {revision!r}: {repository} has no such revision") from error
    except GatedRepoError as error:
        raise CheckpointError(f"{where}: accept its terms on the hub, then log in with: hf auth login") from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise CheckpointError(
            f"{where}: no such repository on the hub; must be a folder, or a repository as owner/name"
        ) from error
    except LocalEntryNotFoundError as error:  # an EntryNotFoundError too
        raise CheckpointError(
            f"{where}: no folder of this name here, its {file} was not downloaded before, and the hub does not answer; "
            f"set {parameter} to a folder, or connect this machine to the network"
        ) from error
    except EntryNotFoundError:
        return None
    except OSError as error:  # a full disk, a folder that cannot be written, a network that broke off
        raise CheckpointError(f"{where}: {file} could not be downloaded: {str(error).splitlines()[0]}") from error
