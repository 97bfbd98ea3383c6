from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.storage.faulty_proxy import Traffic, faulty_proxy
from tests.storage.s3_servers import (
    KEY_ID,
    SECRET,
    ceph_server,
    has_ceph,
    make_bucket,
    moto_server,
)
from tests.storage.stores import Lab

# How long an example takes depends on what else the machine does.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path / "store")


@pytest.fixture(scope="session")
def s3_credentials() -> Iterator[None]:
    """Those of the test servers, and no others that the machine may have."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_REGION"):
            patch.delenv(name, raising=False)
        patch.setenv("AWS_ACCESS_KEY_ID", KEY_ID)
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        patch.setenv("AWS_CONFIG_FILE", "/nowhere")
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield


@pytest.fixture(scope="session")
def moto(s3_credentials: None) -> Iterator[str]:
    with moto_server() as url:
        yield url


@pytest.fixture
def traffic() -> Traffic:
    return Traffic()


@pytest.fixture
def through(moto: str, traffic: Traffic) -> Iterator[str]:
    """URI of a new store behind the proxy."""
    uri = make_bucket(moto)
    with faulty_proxy(moto, traffic) as url:
        yield uri.replace(moto, url)


@pytest.fixture(scope="session")
def ceph(s3_credentials: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not has_ceph():
        pytest.skip("Ceph's gateway is not installed: tests/storage/install_ceph.sh does that")
    with ceph_server(tmp_path_factory.mktemp("ceph")) as url:
        yield url
