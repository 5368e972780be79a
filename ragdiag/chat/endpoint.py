"""One spelling for every way to write a server's address."""

from __future__ import annotations

import base64
import ipaddress
import re
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit, urlunsplit

from ragdiag.errors import UsageError

_COMPLETIONS = "/chat/completions"
_OTHER_ENDPOINTS = frozenset({"chat", "completions", "models", "responses", "embeddings"})
_HALF_A_SCHEME = re.compile(r"https?(?:/|:/(?!/)|:(?!\d))", re.IGNORECASE)
_KEY = re.compile(r"key|token|secret|sig|pass|auth|code|cred", re.IGNORECASE)
_VERSION = re.compile(r"v[0-9]+[a-z0-9]*")


def completions_url(base_url: str) -> str:
    """The full URL of chat completions for a base URL in any spelling.

    A full path is kept. Without a version in the path, `/v1` is added (not under an Azure
    deployment). Without a scheme: http for the own machine, https else.
    """
    text = base_url.strip().strip("'\"")
    if not text:
        raise UsageError("base_url is empty: write it like http://127.0.0.1:8080/v1")
    if _HALF_A_SCHEME.match(text) and "://" not in text[:9]:
        raise UsageError(f"base_url {_hidden(base_url)!r}: after http or https comes ://")
    if "://" not in text:
        text = f"//{_bracketed(text.lstrip('/'))}"
    parts = urlsplit(text)
    try:
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"base_url {_hidden(base_url)!r}: {error}") from None
    if not host or any(char.isspace() or not char.isprintable() for char in host):
        raise UsageError(f"base_url {_hidden(base_url)!r} names no host")
    scheme = parts.scheme.lower() or ("http" if is_loopback(host) else "https")
    if scheme not in ("http", "https"):
        raise UsageError(f"base_url {_hidden(base_url)!r}: http or https, not {scheme!r}")
    segments = [segment for segment in parts.path.split("/") if segment]
    if [segment.lower() for segment in segments[-2:]] == ["chat", "completions"]:
        segments[-2:] = ["chat", "completions"]
    else:
        if segments and segments[-1].lower() in _OTHER_ENDPOINTS:
            segments.pop()
        versioned = any(_VERSION.fullmatch(segment.lower()) for segment in segments)
        if not versioned and "deployments" not in segments:
            segments.append("v1")
        segments += ["chat", "completions"]
    credentials, at, _ = parts.netloc.rpartition("@")
    shown_host = f"[{host}]" if ":" in host else host
    netloc = f"{credentials}{at}{shown_host}" + ("" if port is None else f":{port}")
    return urlunsplit((scheme, netloc, "/" + "/".join(segments), parts.query, ""))


def client_base(url: str) -> str:
    """The part of a completions URL that the client completes again, without the query."""
    parts = urlsplit(url)
    path = parts.path.removesuffix(_COMPLETIONS)
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def without_credentials(url: str) -> str:
    """The URL as it may be shown and stored: no user, password, or query (it may hold a key)."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def secrets_in(url: str) -> tuple[str, ...]:
    """What of a URL must not be shown, in every spelling in which a server may echo it: the
    password (the name, where it stands alone), both as a header holds them, keys in the query."""
    parts = urlsplit(url)
    name, password = unquote(parts.username or ""), unquote(parts.password or "")
    found = {password or name}
    if name or password:
        found.add(base64.b64encode(f"{name}:{password}".encode()).decode())
    found |= {value for key, value in parse_qsl(parts.query) if _KEY.search(key)}
    spelled = {way(secret) for secret in found for way in (str, quote, quote_plus)}
    return tuple(sorted((s for s in spelled if s), key=lambda s: (-len(s), s)))


def is_loopback(host: str) -> bool:
    """Is the host this machine?"""
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _bracketed(text: str) -> str:
    """A bare IPv6 address gets its brackets."""
    host, slash, path = text.partition("/")
    if host.count(":") > 1 and "[" not in host:
        try:
            ipaddress.IPv6Address(host.partition("%")[0])
        except ValueError:
            return text
        return f"[{host}]{slash}{path}"
    return text


def _hidden(url: str) -> str:
    """For messages: without what stands before the @."""
    scheme, separator, rest = url.strip().rpartition("://")
    return scheme + separator + rest.rpartition("@")[2]
