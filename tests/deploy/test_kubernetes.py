"""The manifests have the fields of KubeRay 1.6 and no other, and agree with one another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.deploy.parts import DEPLOY, document, documents, text

# Fields of KubeRay's v1 types, by release 1.6.2's reference; what has a dash is optional there.
JOB = """entrypoint runtimeEnvYAML jobId submissionMode entrypointResources entrypointNumCpus
entrypointNumGpus ttlSecondsAfterFinished preRunningDeadlineSeconds shutdownAfterJobFinishes suspend
activeDeadlineSeconds backoffLimit rayClusterSpec submitterPodTemplate metadata clusterSelector
submitterConfig managedBy deletionStrategy"""
CLUSTER = """upgradeStrategy authOptions suspend managedBy autoscalerOptions headServiceAnnotations
enableInTreeAutoscaling gcsFaultToleranceOptions headGroupSpec rayVersion workerGroupSpecs"""
HEAD = "template headService enableIngress resources labels rayStartParams serviceType"
WORKERS = """suspend groupName replicas minReplicas maxReplicas idleTimeoutSeconds resources labels
rayStartParams template scaleStrategy numOfHosts"""
AUTOSCALER = """resources image imagePullPolicy securityContext idleTimeoutSeconds upscalingMode
version env envFrom volumeMounts"""
AUTH = "enableK8sTokenAuth secretName mode"
POD = """serviceAccountName automountServiceAccountToken restartPolicy hostUsers securityContext
containers volumes terminationGracePeriodSeconds"""
CONTAINER = "name image securityContext resources ports envFrom volumeMounts"


def cluster() -> dict[str, Any]:
    spec: dict[str, Any] = document("kubernetes/raycluster.yaml")["spec"]
    return spec


def job() -> dict[str, Any]:
    spec: dict[str, Any] = document("kubernetes/rayjob.yaml")["spec"]
    return spec


def templates() -> list[dict[str, Any]]:
    """Pod templates that run Ray."""
    groups = [cluster()["headGroupSpec"], *cluster()["workerGroupSpecs"]]
    return [group["template"] for group in groups]


def objects() -> Iterator[dict[str, Any]]:
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        yield from documents(f"kubernetes/{path.name}")


def only(value: dict[str, Any], fields: str) -> bool:
    return set(value) <= set(fields.split())


def test_every_field_is_one_that_the_operator_knows() -> None:
    spec = cluster()
    assert only(job(), JOB)
    assert only(spec, CLUSTER)
    assert only(spec["headGroupSpec"], HEAD)
    assert all(only(group, WORKERS) for group in spec["workerGroupSpecs"])
    assert only(spec["autoscalerOptions"], AUTOSCALER)
    assert only(spec["authOptions"], AUTH)
    for template in templates():
        assert only(template["spec"], POD)
        assert all(only(each, CONTAINER) for each in template["spec"]["containers"])


def test_start_parameters_are_text_as_the_operator_wants_them() -> None:
    groups = [cluster()["headGroupSpec"], *cluster()["workerGroupSpecs"]]
    values = [value for group in groups for value in group["rayStartParams"].values()]
    assert values
    assert all(isinstance(value, str) for value in values)


def test_the_job_brings_up_the_very_cluster_of_the_other_file() -> None:
    assert job()["rayClusterSpec"] == cluster()


def test_cost_has_limits() -> None:
    assert job()["shutdownAfterJobFinishes"] is True
    assert 0 < job()["ttlSecondsAfterFinished"] <= 3600
    assert 0 < job()["activeDeadlineSeconds"] <= 86400
    assert job()["preRunningDeadlineSeconds"] < job()["activeDeadlineSeconds"]
    assert cluster()["autoscalerOptions"]["idleTimeoutSeconds"] <= 300
    (group,) = cluster()["workerGroupSpecs"]
    assert (group["replicas"], group["minReplicas"]) == (0, 0)
    (quota,) = [each for each in objects() if each["kind"] == "ResourceQuota"]
    requests = group["template"]["spec"]["containers"][0]["resources"]["requests"]
    most = group["maxReplicas"] * int(requests["cpu"])
    assert most <= int(quota["spec"]["hard"]["requests.cpu"]) < 1.2 * most


def test_with_a_quota_every_container_says_what_it_wants() -> None:
    for manifest in objects():
        pod = manifest.get("spec", {}).get("template", {}).get("spec", {})
        for each in [*pod.get("initContainers", ()), *pod.get("containers", ())]:
            assert each["resources"]["requests"].keys() == {"cpu", "memory"}, each["name"]
    for template in [*templates(), job()["submitterPodTemplate"]]:
        for each in template["spec"]["containers"]:
            assert each["resources"]["requests"].keys() == {"cpu", "memory"}, each["name"]


@pytest.mark.parametrize("index", [0, 1])
def test_pods_have_the_rights_of_the_sandbox_and_no_other(index: int) -> None:
    pod = templates()[index]["spec"]
    assert pod["hostUsers"] is False  # or Kubernetes refuses an unmasked /proc
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == 1000
    assert pod["securityContext"]["appArmorProfile"] == {"type": "Unconfined"}
    (container,) = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "procMount": "Unmasked",
        "readOnlyRootFilesystem": True,
    }
    writable = {each["mountPath"] for each in container["volumeMounts"] if "readOnly" not in each}
    assert writable == {"/tmp", "/home/killgrid", "/var/cache/killgrid"}
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert {each["name"] for each in container["volumeMounts"]} == volumes


def test_the_profile_that_pods_name_is_the_one_put_on_the_nodes() -> None:
    name = templates()[0]["spec"]["securityContext"]["seccompProfile"]["localhostProfile"]
    (daemons,) = [each for each in objects() if each["kind"] == "DaemonSet"]
    (copy,) = daemons["spec"]["template"]["spec"]["initContainers"]
    assert copy["command"] == ["cp", f"/profile/{name}", f"/seccomp/{name}"]
    assert f"--from-file={name}=deploy/seccomp.json" in text("kubernetes/seccomp.yaml")
    assert f"--from-file={name}=deploy/seccomp.json" in text("kubernetes/README.md")
    assert json.loads(text("seccomp.json"))["defaultAction"]


def test_workers_have_no_token_for_kubernetes_and_no_models_keys() -> None:
    (head, worker) = (template["spec"] for template in templates())
    assert worker["automountServiceAccountToken"] is False
    assert "envFrom" not in worker["containers"][0]
    assert head["containers"][0]["envFrom"]
    accounts = {e["metadata"]["name"] for e in objects() if e["kind"] == "ServiceAccount"}
    assert accounts == {head["serviceAccountName"], worker["serviceAccountName"]}


def test_the_head_runs_no_tests() -> None:
    assert cluster()["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"


def test_only_the_cluster_and_its_operator_reach_rays_ports() -> None:
    (network,) = [each for each in objects() if each["kind"] == "NetworkPolicy"]
    chosen = network["spec"]["podSelector"]["matchLabels"]
    for template in [*templates(), job()["submitterPodTemplate"]]:
        assert chosen.items() <= template["metadata"]["labels"].items()
    inside, operator = network["spec"]["ingress"]
    assert inside == {"from": [{"podSelector": {"matchLabels": chosen}}]}
    assert operator["ports"] == [{"protocol": "TCP", "port": 8265}]
    (outside,) = [rule for rule in network["spec"]["egress"] if "ipBlock" in rule["to"][0]]
    assert "169.254.0.0/16" in outside["to"][0]["ipBlock"]["except"]


def test_everything_lives_in_the_namespace_that_comes_first() -> None:
    spaces = {
        each["metadata"].get("namespace") for each in objects() if each["kind"] != "Namespace"
    }
    assert spaces == {"killgrid"}


def test_names_that_the_page_tells_to_make_are_the_ones_that_are_used() -> None:
    page = text("kubernetes/README.md")
    used = set(re.findall(r"name: (killgrid-(?:experiment|models|seccomp)),?", "".join(
        text(f"kubernetes/{name}.yaml") for name in ("raycluster", "seccomp")
    )))  # fmt: skip
    used.add(cluster()["authOptions"]["secretName"])
    assert {name for name in used if name not in page} == set()
