"""The shipped experiments name real packages whose upstream tests pass where we put them."""

import os
import subprocess
from pathlib import Path

import pytest

import configs
from configs.loading import load_config
from configs.schema import SubjectConfig
from tasks.environments import ensure_environment
from tasks.subjects import load_subjects
from tasks.trees import ensure_tree
from tasks.writers import write_suites

EXPERIMENTS = Path(configs.__file__).parent / "experiments"
REAL = load_config(EXPERIMENTS / "real_packages.yaml")


def test_every_arm_of_the_quickstart_has_suites_and_every_subject_an_arm(tmp_path: Path) -> None:
    config = load_config(EXPERIMENTS / "quickstart.yaml")
    written = [
        (subject.kind, arm.name)
        for entry in config.subjects
        for subject in load_subjects(entry, EXPERIMENTS, tmp_path)
        for arm in config.arms
        if write_suites(arm, subject, 0, EXPERIMENTS) is not None
    ]
    kinds = ["reference", "weak", "locking"]
    assert written == [*(("function", kind) for kind in kinds * 12), ("project", "upstream")]


@pytest.mark.slow
@pytest.mark.parametrize("entry", REAL.subjects, ids=lambda entry: str(entry.name))
def test_upstream_tests_pass_in_the_built_environment(entry: SubjectConfig, tmp_path: Path) -> None:
    """Well-known code, run bare as any developer would; elsewhere it runs in the sandbox only."""
    (subject,) = load_subjects(entry, EXPERIMENTS, tmp_path)
    suite = write_suites(REAL.arms[0], subject, 0, EXPERIMENTS)
    assert suite is not None
    built, tree = ensure_environment(subject.environment, tmp_path), ensure_tree(subject, tmp_path)
    roots = os.pathsep.join(str(tree / root) for root in subject.import_roots)
    plugins = [word for plugin in subject.plugins for word in ("-p", plugin)]
    options = ["-m", "pytest", "-q", *plugins, "-p", "no:cacheprovider"]
    done = subprocess.run(
        [built.python, *options, *subject.pytest_args, *suite.paths],
        cwd=tree,
        env={
            "PATH": os.defpath,
            "PYTHONPATH": roots,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
    )
    summary = done.stdout.strip().splitlines()[-1]
    assert done.returncode == 0, done.stdout
    assert " passed" in summary
    assert "skipped" not in summary
