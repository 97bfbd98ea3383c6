"""A pretended EC2 with the parts that cluster.yaml names, and cluster.yaml filled in for it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]

from tests.deploy.parts import DEPLOY, document, text

REGION = "eu-west-1"
ACCOUNT = "123456789012"  # moto's


@dataclass(frozen=True)
class Parts:
    """Ids of what a user makes before `ray up`."""

    image: str
    subnet: str
    group: str

    def words(self) -> dict[str, str]:
        """What the pages tell to replace, and by what."""
        return {
            "ami-REPLACE": self.image,
            "subnet-REPLACE": self.subnet,
            "sg-REPLACE": self.group,
            "REPLACE/killgrid": "registry.example/killgrid",
        }


def make_parts() -> Parts:
    """Network, key and roles, as deploy/aws/README.md has them made."""
    ec2, iam = boto3.client("ec2", REGION), boto3.client("iam", REGION)
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    zone = f"{REGION}a"
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/20", AvailabilityZone=zone)
    subnet_id = subnet["Subnet"]["SubnetId"]
    ec2.modify_subnet_attribute(SubnetId=subnet_id, MapPublicIpOnLaunch={"Value": True})
    group = ec2.create_security_group(GroupName="killgrid", Description="killgrid", VpcId=vpc)
    ec2.create_key_pair(KeyName="killgrid")
    trust = text("aws/iam-trust.json")
    for name in ("killgrid-head", "killgrid-worker"):
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)
        iam.create_instance_profile(InstanceProfileName=name)
        iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    return Parts(image, subnet_id, group["GroupId"])


def filled(parts: Parts, key: Path) -> dict[str, Any]:
    """cluster.yaml with its REPLACEs replaced, and the private key at `key`."""
    import yaml

    words = (DEPLOY / "aws/cluster.yaml").read_text()
    for old, new in parts.words().items():
        words = words.replace(old, new)
    config: dict[str, Any] = yaml.safe_load(words)
    key.write_text("a key")
    config["auth"]["ssh_private_key"] = str(key)
    return config


def node_types() -> dict[str, dict[str, Any]]:
    """The node types as they stand in the file."""
    return copy.deepcopy(document("aws/cluster.yaml")["available_node_types"])
