import pytest

from kame_ros.oracle.prompt.languages import language_name


@pytest.mark.parametrize(
    ("locale", "name"), [("ja", "Japanese (ja)"), ("en-GB", "English (en-GB)"), ("tlh", "the language tlh")]
)
def test_languages_have_names(locale: str, name: str) -> None:
    assert language_name(locale) == name
