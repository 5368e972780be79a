from __future__ import annotations

import pytest

from ragdiag.chat.endpoint import client_base, secrets_in, without_credentials
from ragdiag.chat.openai_chat import completions_url
from ragdiag.errors import UsageError


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("http://h/v1/models", "http://h/v1/chat/completions"),
        ("http://h/v1/responses", "http://h/v1/chat/completions"),
        ("http://h/V1/Chat/Completions", "http://h/V1/chat/completions"),
        ("'http://h/v1'", "http://h/v1/chat/completions"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com//v1//", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com", "https://api.openai.com/v1/chat/completions"),
        (" https://api.openai.com/ \n", "https://api.openai.com/v1/chat/completions"),
        ("HTTPS://API.OpenAI.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("https://h.example/v1/chat/completions", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1/chat/completions/", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1/chat", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1/completions", "https://h.example/v1/chat/completions"),
        ("https://h.example/chat/completions", "https://h.example/chat/completions"),
        ("https://h.example/api", "https://h.example/api/v1/chat/completions"),
        ("https://h.example/v1beta/openai/", "https://h.example/v1beta/openai/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions"
            "?api-version=2024-10-21",
        ),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        ("localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
        ("localhost", "http://localhost/v1/chat/completions"),
        ("0.0.0.0:8000", "http://0.0.0.0:8000/v1/chat/completions"),
        ("//localhost:1/v1", "http://localhost:1/v1/chat/completions"),
        ("h.example", "https://h.example/v1/chat/completions"),
        ("h.example:8443/v1", "https://h.example:8443/v1/chat/completions"),
        ("[::1]:8080/v1/", "http://[::1]:8080/v1/chat/completions"),
        ("::1", "http://[::1]/v1/chat/completions"),
        ("http://[::1]:8080", "http://[::1]:8080/v1/chat/completions"),
        ("[2001:db8::1]:80", "https://[2001:db8::1]:80/v1/chat/completions"),
        ("http://u:p@h.example/v1#x", "http://u:p@h.example/v1/chat/completions"),
    ],
)
def test_any_spelling(base_url: str, url: str) -> None:
    assert completions_url(base_url) == url
    assert completions_url(url) == url


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "  ",
        "ftp://h.example",
        "http://",
        "http://h:port/v1",
        "http:/h/v1",
        "http//h/v1",
        "http://ho st/v1",
    ],
)
def test_bad_urls_are_named(bad: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        completions_url(bad)


def test_credentials_are_never_shown() -> None:
    url = "https://user:secret@h.example/v1/chat/completions?api-key=secret"
    assert without_credentials(url) == "https://h.example/v1/chat/completions"
    with pytest.raises(UsageError) as caught:
        completions_url("ftp://user:secret@h.example")
    assert "secret" not in str(caught.value)


def test_what_the_client_completes_again() -> None:
    assert client_base("http://h/v1/chat/completions?a=1") == "http://h/v1"


@pytest.mark.parametrize(
    ("url", "secrets"),
    [
        ("http://h/v1", ()),
        ("http://h/v1?api-version=2024-02-01", ()),  # no key: not to be taken out of texts
        ("http://token@h/v1", ("dG9rZW46", "token")),
        ("http://u:a%20b@h/v1", ("dTphIGI=", "dTphIGI%3D", "a%20b", "a b", "a+b")),
        ("http://h/v1?api-key=K1&sig=x%2Fy", ("x%2Fy", "K1", "x/y")),
    ],
)
def test_what_must_not_be_shown_of_a_url(url: str, secrets: tuple[str, ...]) -> None:
    assert set(secrets_in(url)) >= set(secrets)
    assert bool(secrets_in(url)) == bool(secrets)
    lengths = [len(secret) for secret in secrets_in(url)]
    assert lengths == sorted(lengths, reverse=True)  # none leaves a part of another behind
