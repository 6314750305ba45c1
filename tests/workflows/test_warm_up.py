from __future__ import annotations

import pytest

from babelspace import ParameterError, warm_up
from babelspace.spaces import SPACES
from babelspace.workflows.warm_up import WITH_MORE, jobs_to_warm, kernel_cache

pytestmark = pytest.mark.family("counting")


def test_what_is_compiled_is_not_compiled_again():
    told = []
    warm_up(["count"])
    again = warm_up(["count"], told.append)
    assert again.compiled == {"count": 0}
    assert again.seconds["count"] > 0
    assert [stage.facts["job"] for stage in told] == ["count"]
    assert again.as_dict()["jobs"]["count"]["compiled"] == 0
    assert again.cache == kernel_cache() and again.cache.is_absolute()


def test_every_space_that_learns_from_rows_alone_has_a_job():
    assert {f"fit {name}" for name in SPACES if name not in WITH_MORE} <= set(jobs_to_warm())


def test_an_unknown_job():
    with pytest.raises(ParameterError, match="unknown job 'fitt'; there are: fit untranslated"):
        warm_up(["fitt"])
