"""Whatever stands in a configuration, settings resolve or are refused in words."""

from __future__ import annotations

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tool_router.router.errors import SettingsError
from hermes_tool_router.router.settings import Layer, Resolved, resolve
from hermes_tool_router.router.settings_aliases import FLAT, RETIRED
from hermes_tool_router.router.settings_fields import fields, nearest
from hermes_tool_router.router.settings_groups import groups

EXAMPLES = int(os.environ.get("ROUTER_MAX_EXAMPLES", "150"))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.text(max_size=12),
    st.sampled_from(["shadow", "Enforce", "auto", "v2", "https://example.org", "custom"]),
)
KEYS = st.one_of(
    st.sampled_from(
        sorted({"global", "profiles", "platforms", "default", *groups()[""], *FLAT, *RETIRED})
    ),
    st.sampled_from(sorted({field.path.rpartition(".")[2] for field in fields()})),
    st.text(max_size=8),
    st.integers(),
    st.booleans(),
    st.none(),
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)


def outcome(data: object, profile: str = "default") -> Resolved | SettingsError:
    """The settings, or the refusal."""
    try:
        return resolve([Layer(name="settings", data=data)], profile=profile)
    except SettingsError as error:
        return error


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(DATA)
def test_anything_resolves_or_is_refused_in_words(data: object) -> None:
    """No other exception, and a refusal names a key and fits a log line."""
    found = outcome(data)

    if isinstance(found, SettingsError):
        assert found.key
        assert 0 < len(str(found)) < 2000


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(DATA)
def test_same_data_same_outcome(data: object) -> None:
    """Resolving has no memory."""
    first, second = outcome(data), outcome(data)

    if isinstance(first, Resolved):
        assert first == second
    else:
        assert str(first) == str(second)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from(sorted(groups()[""])), SCALARS, max_size=4))
def test_flat_and_grouped_mean_the_same(data: dict[str, object]) -> None:
    """``global:`` may be left out, for good values and for bad ones."""
    flat, grouped = outcome(data), outcome({"global": data})

    if isinstance(flat, Resolved) and isinstance(grouped, Resolved):
        assert flat.settings == grouped.settings
    else:
        assert isinstance(flat, SettingsError)
        assert isinstance(grouped, SettingsError)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(st.sampled_from([field.path for field in fields() if "<" not in field.path]), st.data())
def test_misspelt_key_names_a_known_one(path: str, data: st.DataObject) -> None:
    """A letter left out still leads to a setting that exists."""
    group, _, name = path.rpartition(".")
    cut = data.draw(st.integers(0, len(name) - 1))
    misspelt = name[:cut] + name[cut + 1 :]

    suggested = nearest(misspelt, group)

    known = {field.path for field in fields()} | set(groups())
    assert suggested == "" or suggested in known
    assert suggested or len(name) < 6
