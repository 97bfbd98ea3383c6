"""Where an S3 store is: `s3://bucket/prefix?endpoint_url=https://host:port&region=eu-west-1`."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from configs.errors import ConfigError

OPTIONS = ("endpoint_url", "region", "addressing_style")
STYLES = ("path", "virtual", "auto")


@dataclass(frozen=True)
class S3Address:
    """A bucket, a prefix (empty, or ending with a slash), and how to reach them.

    What is empty is left to the usual AWS settings: AWS_ENDPOINT_URL, AWS_REGION, the profile.
    """

    bucket: str
    prefix: str = ""
    endpoint_url: str = ""
    region: str = ""
    addressing_style: str = ""

    @property
    def uri(self) -> str:
        """The address as text that `parse_address` takes; it never holds credentials."""
        given = {name: getattr(self, name) for name in OPTIONS if getattr(self, name)}
        query = f"?{urlencode(given, safe=':/')}" if given else ""
        path = quote(self.prefix.rstrip("/"))
        return f"s3://{self.bucket}{'/' if path else ''}{path}{query}"


def parse_address(uri: str) -> S3Address:
    """The address in a URI; ConfigError for one that is wrong or holds credentials."""
    parts = urlsplit(uri)
    shown = f"store s3://{parts.netloc.rpartition('@')[2]}{parts.path}"
    if "@" in parts.netloc:
        raise ConfigError(f"{shown}: no credentials in a URI; set AWS_PROFILE or the like")
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    if unknown := sorted(set(given) - set(OPTIONS)):
        raise ConfigError(
            f"{shown}: unknown option {', '.join(unknown)}; there are {', '.join(OPTIONS)}, "
            "and credentials come from the environment or a profile, never from the URI"
        )
    if not parts.netloc or ":" in parts.netloc or parts.fragment:
        raise ConfigError(f"{shown}: must look like s3://bucket/prefix")
    return S3Address(
        parts.netloc,
        _prefix(shown, unquote(parts.path)),
        _endpoint(shown, given.get("endpoint_url", "")),
        given.get("region", ""),
        _style(shown, given.get("addressing_style", "")),
    )


def _prefix(shown: str, path: str) -> str:
    names = path.strip("/").split("/")
    if names == [""]:
        return ""
    if any(name in ("", ".", "..") for name in names):
        raise ConfigError(f"{shown}: a prefix has no empty or dotted parts")
    return "/".join(names) + "/"


def _endpoint(shown: str, url: str) -> str:
    if not url:
        return ""
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ConfigError(f"{shown}: no credentials in endpoint_url")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(f"{shown}: endpoint_url {url} must look like https://host:port")
    return url.rstrip("/")


def _style(shown: str, style: str) -> str:
    if style and style not in STYLES:
        raise ConfigError(f"{shown}: addressing_style {style}; there are {', '.join(STYLES)}")
    return style
