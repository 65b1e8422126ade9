from __future__ import annotations

import pytest

from kame_ros.oracle.transcriber import TranscriberError
from kame_ros.oracle.transcribers.locales import check_language, language


@pytest.mark.parametrize(("locale", "expected"), [("ja-JP", "ja"), ("EN", "en"), ("zh_Hant_TW", "zh"), ("", "")])
def test_a_language_is_the_first_part_of_a_tag(locale: str, expected: str) -> None:
    assert language(locale) == expected


def test_a_language_that_a_model_does_not_write_is_one_line_with_what_to_set() -> None:
    check_language("fr-CA", ("en", "fr"), "it", "set another")
    with pytest.raises(TranscriberError, match=r"^locale = 'ja-JP': it writes only en and fr; set another$"):
        check_language("ja-JP", ("en", "fr"), "it", "set another")
