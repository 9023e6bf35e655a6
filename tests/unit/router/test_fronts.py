"""router.fronts: what many sessions leave in one cache, worked out by hand."""

from __future__ import annotations

import pytest

from hermes_tool_router.router.cost import Prices
from hermes_tool_router.router.fronts import Front, FrontTable, SharedCache

TOOLS = {"memory": 200, "web": 400, "file": 1_000}


def cache(*, any_front: bool = True, tools_first: bool = True, sightings: int = 1) -> SharedCache:
    """Round prices: a tenth for what is cached."""
    return SharedCache(
        Prices(
            name="round",
            fresh=1.0,
            read=0.1,
            write=1.0,
            lifetime_s=300,
            any_front=any_front,
            least_tokens=1,
            tools_first=tools_first,
            sightings=sightings,
        )
    )


def front(table: FrontTable, *names: str) -> Front:
    """A front of these tools."""
    return table.of((name, TOOLS[name]) for name in names)


def pay(
    shared: SharedCache,
    session: str,
    at: float,
    made: Front,
    *,
    prompt: str = "p",
    messages: int = 0,
) -> float:
    """Millionths of a dollar, with a system prompt of 2,000 tokens."""
    cost = shared.pay(session, at, made, system=2_000, prompt=prompt, messages=messages)
    return cost * 1e6


class TestFrontTable:
    def test_lists_share_the_ids_of_what_they_have_in_common(self) -> None:
        """And nothing behind the place where they part, even where names come again."""
        table = FrontTable()

        one, two = front(table, "memory", "web", "file"), front(table, "memory", "file")

        assert one.nodes[0] == two.nodes[0]
        assert set(one.nodes[1:]).isdisjoint(two.nodes[1:])
        assert one.sums == (200, 600, 1_600)
        assert front(table, "memory", "file") is two

    def test_a_schema_of_another_size_is_another_schema(self) -> None:
        """The same name on two platforms need not be the same bytes."""
        table = FrontTable()

        assert table.of([("web", 1)]).nodes != table.of([("web", 2)]).nodes

    def test_no_tools_are_no_tokens(self) -> None:
        """An empty list is a front too."""
        assert FrontTable().of([]).tokens == 0


class TestSharedCache:
    def test_the_same_list_and_prompt_are_found_by_another_session(self) -> None:
        """3,200 cached, and the messages fresh."""
        table, shared = FrontTable(), cache()
        tools = front(table, "memory", "file")

        first = pay(shared, "a", 0, tools, messages=50)
        second = pay(shared, "b", 10, tools, messages=70)

        assert first == pytest.approx(3_250)
        assert second == pytest.approx(320 + 70)

    def test_with_another_prompt_the_tools_alone_are_found(self) -> None:
        """1,200 cached and 2,000 fresh; nothing where only marks count."""
        table = FrontTable()
        tools = front(table, "memory", "file")
        found = {}
        for any_front in (True, False):
            shared = cache(any_front=any_front)
            pay(shared, "a", 0, tools, prompt="mine")
            found[any_front] = pay(shared, "b", 10, tools, prompt="yours")

        assert found == {True: pytest.approx(120 + 2_000), False: pytest.approx(3_200)}

    def test_lists_that_part_share_their_beginning(self) -> None:
        """200 cached; 1,000 and 2,000 fresh."""
        table, shared = FrontTable(), cache()

        pay(shared, "a", 0, front(table, "memory", "web"))
        second = pay(shared, "b", 10, front(table, "memory", "file"))

        assert second == pytest.approx(20 + 3_000)

    def test_tools_behind_the_prompt_are_found_with_the_prompt_alone(self) -> None:
        """2,000 + 200 cached and 1,000 fresh for the same prompt; nothing for another."""
        table, shared = FrontTable(), cache(tools_first=False)

        pay(shared, "a", 0, front(table, "memory", "web"))
        same = pay(shared, "b", 10, front(table, "memory", "file"))
        other = pay(shared, "c", 20, front(table, "memory", "web"), prompt="another")

        assert same == pytest.approx(220 + 1_000)
        assert other == pytest.approx(2_600)

    def test_a_front_that_must_be_seen_twice_is_found_by_the_third(self) -> None:
        """3,200 fresh, fresh again, then cached; a session's own requests count once."""
        table, shared = FrontTable(), cache(tools_first=False, sightings=2)
        tools = front(table, "memory", "file")

        first = pay(shared, "a", 0, tools)
        own = pay(shared, "a", 5, tools)
        second = pay(shared, "b", 10, tools)
        third = pay(shared, "c", 20, tools)

        assert (first, own, second, third) == pytest.approx((3_200, 320, 3_200, 320))

    def test_what_is_used_stays_and_what_is_not_goes(self) -> None:
        """At 400 seconds only the beginning that was used at 200 is alive."""
        table, shared = FrontTable(), cache()

        pay(shared, "a", 0, front(table, "memory", "file"))
        pay(shared, "b", 200, front(table, "memory", "web"))
        third = pay(shared, "c", 400, front(table, "memory", "file"))

        assert third == pytest.approx(20 + 3_000)

    def test_a_session_finds_its_own_messages_and_others_do_not(self) -> None:
        """3,250 cached for the one, 3,200 for the other."""
        table, shared = FrontTable(), cache()
        tools = front(table, "memory", "file")

        pay(shared, "a", 0, tools, messages=50)
        own = pay(shared, "a", 10, tools, messages=60)
        other = pay(shared, "b", 20, tools, messages=60)

        assert own == pytest.approx(325 + 10)
        assert other == pytest.approx(320 + 60)

    def test_requests_without_tools_find_nothing_of_others(self) -> None:
        """Nothing is said about system prompts alone."""
        table, shared = FrontTable(), cache()

        pay(shared, "a", 0, table.of([]))
        second = pay(shared, "b", 10, table.of([]))

        assert second == pytest.approx(2_000)
