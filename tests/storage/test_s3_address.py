from __future__ import annotations

import logging
import time

import pytest

from configs.errors import ConfigError, InfraError, NotFoundError
from storage.objects import open_store
from storage.s3_address import S3Address, parse_address
from storage.s3_store import S3Store
from tests.storage.s3_servers import free_port, make_bucket


def test_a_uri_names_bucket_prefix_and_endpoint() -> None:
    found = parse_address("s3://bucket/a%20b/c/?endpoint_url=http://127.0.0.1:9000/&region=eu-1")
    assert found == S3Address("bucket", "a b/c/", "http://127.0.0.1:9000", "eu-1")
    assert found.uri == "s3://bucket/a%20b/c?endpoint_url=http://127.0.0.1:9000&region=eu-1"
    assert parse_address(found.uri) == found
    assert parse_address("s3://bucket/") == S3Address("bucket")


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("s3://", "must look like s3://bucket/prefix"),
        ("s3://bucket:80/x", "must look like"),
        ("s3://bucket/a//b", "no empty or dotted parts"),
        ("s3://bucket/../b", "no empty or dotted parts"),
        ("s3://bucket?endpoint_url=host", "must look like https://host:port"),
        ("s3://bucket?addressing_style=odd", "there are path, virtual, auto"),
        ("s3://AKIAX:hush@bucket/x", "no credentials in a URI"),
        ("s3://bucket?secret_key=hush", "unknown option secret_key"),
        ("s3://bucket?endpoint_url=http://AKIAX:hush@host", "no credentials in endpoint_url"),
    ],
)
def test_what_is_no_address_is_refused_and_no_secret_is_repeated(uri: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        open_store(uri)
    assert "hush" not in str(caught.value)


def test_the_usual_settings_name_the_endpoint(moto: str, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = make_bucket(moto).partition("?")[0]
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", moto)
    store = open_store(uri)
    assert store.put_if_absent("a", b"1")
    assert store.uri == uri
    assert store.object_uri("a") == f"{uri}/a"


def test_no_credentials_is_said_in_one_line(moto: str, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = make_bucket(moto)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(ConfigError, match=r"cannot list: Unable to locate credentials; set AWS_"):
        open_store(uri, must_exist=True)


def test_an_unknown_profile_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(ConfigError, match=r"profile \(nobody\) could not be found"):
        open_store("s3://bucket")


def test_no_bucket_and_an_empty_store_are_told_apart(moto: str) -> None:
    uri = make_bucket(moto)
    with pytest.raises(NotFoundError, match="there is no such bucket"):
        open_store(uri.replace("s3://killgrid", "s3://missing"), must_exist=True)
    with pytest.raises(NotFoundError, match="there is nothing in it"):
        open_store(uri, must_exist=True)
    with pytest.raises(NotFoundError, match="there is no such bucket"):
        open_store(uri.replace("s3://killgrid", "s3://missing")).put_if_absent("a", b"")


def test_a_wrong_address_fails_soon(s3_credentials: None) -> None:
    began = time.monotonic()
    with pytest.raises(InfraError, match=r"cannot list: Could not connect .* times in \d s"):
        open_store(f"s3://bucket?endpoint_url=http://127.0.0.1:{free_port()}", must_exist=True)
    assert time.monotonic() - began < 15


@pytest.mark.slow
def test_access_denied_is_said_in_one_line(ceph: str, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = make_bucket(ceph)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(ConfigError, match=r"cannot list: access denied \(SignatureDoesNotMatch\)"):
        open_store(uri, must_exist=True)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "stranger")
    with pytest.raises(ConfigError, match=r"access denied \(InvalidAccessKeyId\)"):
        open_store(uri, must_exist=True)


def test_secrets_are_neither_shown_nor_logged(moto: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "storage"):
        store = open_store(make_bucket(moto))
        assert isinstance(store, S3Store)
        store.put_if_absent("a", b"")
        shown = f"{store!r} {store.bucket.access()!r} {store.uri} {caplog.text}"
    assert store.bucket.access().keys == ("testing", "testing-secret", "")
    assert "testing" not in shown
