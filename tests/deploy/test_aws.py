"""Ray takes cluster.yaml, and does with it on a pretended EC2 what the pages say and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from moto import mock_aws
from ray.autoscaler._private.aws.config import bootstrap_aws
from ray.autoscaler._private.aws.node_provider import AWSNodeProvider
from ray.autoscaler._private.util import prepare_config, validate_config
from ray.autoscaler.tags import TAG_RAY_NODE_KIND, TAG_RAY_NODE_NAME, TAG_RAY_USER_NODE_TYPE

from tests.deploy.ec2 import REGION, filled, make_parts, node_types
from tests.deploy.parts import ROOT, document, policy, text

# Which right each of boto3's calls in storage/s3.py asks for.
RIGHTS = {
    "get_object": "s3:GetObject",
    "head_object": "s3:GetObject",
    "put_object": "s3:PutObject",
    "create_multipart_upload": "s3:PutObject",
    "upload_part": "s3:PutObject",
    "complete_multipart_upload": "s3:PutObject",
    "abort_multipart_upload": "s3:AbortMultipartUpload",
    "list_objects_v2": "s3:ListBucket",
    "delete_objects": "s3:DeleteObject",
}
POLICIES = ("head", "store", "reader", "pull")


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """cluster.yaml as Ray reads it, on a cloud of its own; both take seconds to make."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        patch.delenv("AWS_PROFILE", raising=False)
        boto3.setup_default_session()
        key = tmp_path_factory.mktemp("cloud") / "key.pem"
        config = prepare_config(filled(make_parts(), key))
        validate_config(config)
        yield config
    boto3.setup_default_session()


def granted(name: str) -> set[str]:
    listed = [statement["Action"] for statement in policy(name)]
    return {a for each in listed for a in ([each] if isinstance(each, str) else each)}


def standing() -> tuple[int, ...]:
    """How many roles, security groups and keys there are."""
    iam, ec2 = boto3.client("iam"), boto3.client("ec2", REGION)
    groups = ec2.describe_security_groups()["SecurityGroups"]
    rules = sum(len(group["IpPermissions"]) for group in groups)
    keys = ec2.describe_key_pairs()["KeyPairs"]
    return len(iam.list_roles()["Roles"]), len(groups), rules, len(keys)


def test_the_launcher_makes_no_role_group_or_key_of_its_own(cloud: dict[str, Any]) -> None:
    before = standing()
    bootstrap_aws(cloud)
    assert standing() == before


def test_the_head_calls_what_its_role_allows_and_little_else_is_allowed(
    cloud: dict[str, Any],
) -> None:
    config = bootstrap_aws(cloud)
    called: set[str] = set()
    boto3.DEFAULT_SESSION.events.register(
        "before-call.ec2", lambda model, **_: called.add(f"ec2:{model.name}")
    )
    provider = AWSNodeProvider(config["provider"], config["cluster_name"])
    spot = config["available_node_types"]["spot"]["node_config"]
    tags = {TAG_RAY_NODE_KIND: "worker", TAG_RAY_USER_NODE_TYPE: "spot", TAG_RAY_NODE_NAME: "w"}
    (node,) = provider.create_node(spot, tags, 1)
    assert node in provider.non_terminated_nodes({TAG_RAY_NODE_KIND: "worker"})
    provider.set_node_tags(node, {"ray-node-status": "up-to-date"})
    provider.terminate_node(node)
    assert node not in provider.non_terminated_nodes({})
    assert {"ec2:RunInstances", "ec2:TerminateInstances"} <= called <= granted("head")
    assert granted("head") - called == {"ec2:DescribeInstanceTypes", "iam:PassRole"}


def test_a_worker_is_a_spot_instance_that_is_gone_when_it_is_taken(cloud: dict[str, Any]) -> None:
    config = bootstrap_aws(cloud)
    provider = AWSNodeProvider(config["provider"], config["cluster_name"])
    nodes: list[str] = []
    for name in ("spot", "spot_other"):
        node = config["available_node_types"][name]["node_config"]
        tags = {TAG_RAY_NODE_KIND: "worker", TAG_RAY_NODE_NAME: name}
        nodes += provider.create_node(node, tags, 1)
    found = boto3.client("ec2", REGION).describe_instances(InstanceIds=nodes)["Reservations"]
    launched = [instance for each in found for instance in each["Instances"]]
    assert [each["InstanceLifecycle"] for each in launched] == ["spot", "spot"]
    assert {each["MetadataOptions"]["HttpTokens"] for each in launched} == {"required"}
    assert {each["IamInstanceProfile"]["Arn"].rpartition("/")[2] for each in launched} == {
        "killgrid-worker"
    }


def test_the_head_is_on_demand_and_runs_no_tests() -> None:
    head = node_types()["head"]
    assert head["resources"] == {"CPU": 0}
    assert "InstanceMarketOptions" not in head["node_config"]
    (start,) = [c for c in document("aws/cluster.yaml")["head_start_ray_commands"] if "start" in c]
    assert "--num-cpus=0" in start
    assert "--dashboard-host=127.0.0.1" in start


def test_the_switch_that_ubuntu_has_against_namespaces_is_off() -> None:
    config = document("aws/cluster.yaml")
    assert config["auth"]["ssh_user"] == "ubuntu"
    (command,) = [each for each in config["initialization_commands"] if "sysctl" in each]
    assert command.endswith(" kernel.apparmor_restrict_unprivileged_userns=0")


def test_cost_has_limits() -> None:
    config = document("aws/cluster.yaml")
    workers = [name for name in config["available_node_types"] if name != config["head_node_type"]]
    assert config["max_workers"] <= 16
    assert config["idle_timeout_minutes"] <= 5
    assert config["provider"]["cache_stopped_nodes"] is False
    assert all(node_types()[name]["min_workers"] == 0 for name in workers)
    assert "sudo shutdown -P +1440" in config["initialization_commands"]
    for node in node_types().values():
        assert node["node_config"]["InstanceInitiatedShutdownBehavior"] == "terminate"
        (disk,) = node["node_config"]["BlockDeviceMappings"]
        assert disk["Ebs"]["DeleteOnTermination"] is True


def test_each_node_says_how_much_memory_ray_may_use() -> None:
    config = document("aws/cluster.yaml")
    starts = config["head_start_ray_commands"][1:] + config["worker_start_ray_commands"][1:]
    assert [re.findall(r"--memory=(\d+)", start) for start in starts] == [
        ["8000000000"],
        [str(node_types()["spot"]["resources"]["memory"])],
    ]


def test_containers_get_the_rights_of_the_sandbox_and_no_other() -> None:
    config = document("aws/cluster.yaml")
    options = config["docker"]["run_options"]
    assert "--cap-drop=ALL" in options
    assert not any("privileged" in each or "cap-add" in each for each in options)
    (folder,) = config["file_mounts"]
    mounted = f"/tmp/ray_tmp_mount/{config['cluster_name']}{folder}"
    assert f"--security-opt=seccomp={mounted}/seccomp.json" in options
    assert f"--env=RAY_AUTH_TOKEN_PATH={folder}/auth_token" in options


@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_allows_a_whole_service(name: str) -> None:
    assert not any("*" in action for action in granted(name))
    wide = [statement for statement in policy(name) if statement["Resource"] == "*"]
    # Neither of these can be held to a resource.
    free = {"ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ecr:GetAuthorizationToken"}
    listed = [s["Action"] if isinstance(s["Action"], list) else [s["Action"]] for s in wide]
    assert {action for each in listed for action in each} <= free


def test_the_role_of_the_store_allows_just_what_the_store_calls() -> None:
    source = (ROOT / "storage/s3.py").read_text()
    calls = set(re.findall(r"self\._client\.([a-z_0-9]+)\(", source))
    assert calls == set(RIGHTS)
    assert {RIGHTS[call] for call in calls} == granted("store")
    assert granted("reader") == {"s3:GetObject", "s3:ListBucket"}


def test_the_head_may_launch_only_the_workers_of_cluster_yaml() -> None:
    (condition,) = [s["Condition"] for s in policy("head") if "SpotWorkers" in s["Sid"]]
    allowed = condition["StringEquals"]
    workers = [node for name, node in node_types().items() if name != "head"]
    assert allowed["ec2:InstanceType"] == [n["node_config"]["InstanceType"] for n in workers]
    assert allowed["ec2:InstanceMarketType"] == "spot"
    assert (
        allowed["aws:RequestTag/ray-cluster-name"] == document("aws/cluster.yaml")["cluster_name"]
    )


def test_the_page_tells_to_replace_whatever_has_to_be_replaced() -> None:
    page = text("aws/README.md")
    for file in ("cluster.yaml", *(f"iam-{name}.json" for name in POLICIES)):
        assert file in page, file
    for word in ("ami-REPLACE", "subnet-REPLACE", "sg-REPLACE", "REPLACE/killgrid"):
        assert word in text("aws/cluster.yaml")
