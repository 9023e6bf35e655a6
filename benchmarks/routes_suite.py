"""First messages to toolsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from rich.table import Table

from ..intent.reading import own_words
from ..intent.rulebook import RuleBook
from ..reports import plots
from ..reports.page import Plot
from ..router.engine import decide
from ..router.values import Catalog, Decision, Message, Opinion
from .in_use import among_others, middle, timed
from .options import Options
from .output import emit, progress
from .reliability import Said, reliability, said
from .routing import (
    FLOOR,
    HERE,
    Case,
    book,
    catalog,
    prompt_of,
    read_cases,
    surface,
    write_rows,
)
from .scoring import Scored, bounds, grouped, labelled, rule_table, summary
from .tier_table import COMPARE, compare
from .tiers import Tiers, tiers
from .yardstick import compared, spoken, yardstick

__all__ = ["GATES", "run"]

GATES = {"hit": 0.96, "saving": 0.66}
"""Least shares on the authored test split, rules alone."""
_BINS = ("n", "said", "true")
_BARS = 20
"""Most bars of a drawing."""
_TIMES = {
    "new_process": "in a new process",
    "among_others": "new to a process that has read all the others",
    "again": "read before",
}
_COLUMNS = ("n", "hit", "miss_when_narrowed", "abstention", "saving", "excess")


def run(options: Options) -> int:
    """Route every case; 0 if the gates hold, 1 if not (cases of others have no gates)."""
    if options.tier == COMPARE:
        return compare(options)
    costs = surface(options.surface)
    granted = catalog(costs)
    rules = book()
    who = tiers(options.tier)
    cases = read_cases(options.cases or HERE / "cases" / "routes.jsonl")
    rows: list[dict[str, Any]] = []
    scored: list[Scored] = []
    opined: list[Said] = []
    answers: list[tuple[Decision, tuple[Opinion, ...]]] = []
    before = yardstick()
    for case in cases:
        message = Message(text=prompt_of(case))
        start = perf_counter()
        opinions = who.ask(own_words(message.text, rules), granted) if who.asks else ()
        decision = _decided(message, granted, rules, who, opinions)
        rows.append(_row(case, decision, (perf_counter() - start) * 1e6))
        answers.append((decision, opinions))
    for case, (decision, opinions) in zip(cases, answers, strict=True):
        if labelled(case, costs):
            scored.append(Scored.of(case, decision))
            opined += [pair for opinion in opinions for pair in said(case, opinion)]
    if options.predictions:
        write_rows(options.predictions, rows)
    if not scored:
        progress("no case says what it needs ('required_toolsets'): nothing was scored")
        return 0
    report = _report(scored, costs, rules, [row["micros"] for row in rows])
    if not who.asks:
        report["micros"] |= _in_use(
            [Message(text=case["prompt"]) for case in cases], granted, rules, who
        )
    report["yardstick"] = compared(before, yardstick())
    if found := reliability(opined):
        report["reliability"] = found
    held = True
    if options.cases is None:
        test = [item for item in scored if item.case["split"] == "test"]
        report["test_split"] = summary(test, costs)
        held = all(report["test_split"][name] >= least for name, least in GATES.items())
        report["gates"] = {**GATES, "held": held}
    emit(options, report, _tables(report), _plots(scored, report, costs))
    return 0 if held else 1


def _decided(
    message: Message, granted: Catalog, rules: RuleBook, who: Tiers, opinions: tuple[Opinion, ...]
) -> Decision:
    return decide(
        message,
        granted,
        floor=FLOOR,
        book=rules,
        use_rules=who.use_rules,
        opinions=opinions,
    )


def _in_use(
    messages: Sequence[Message], granted: Catalog, rules: RuleBook, who: Tiers
) -> dict[str, dict[str, float]]:
    """Times of decisions in a process that has made all of them once."""

    def again(message: Message) -> Decision:
        return _decided(message, granted, rules, who, ())

    return {
        "among_others": middle(among_others(messages, rules, again)),
        "again": middle(timed(messages, again)),
    }


def _row(case: Case, decision: Decision, micros: float) -> dict[str, Any]:
    return {
        "id": case["id"],
        "outcome": decision.outcome,
        "grade": decision.grade,
        "toolsets": list(decision.toolsets),
        "reasons": [reason.rule for reason in decision.reasons],
        "tier": decision.tier,
        "micros": round(micros, 1),
    }


def _report(
    scored: Sequence[Scored], costs: Mapping[str, int], rules: RuleBook, micros: Sequence[float]
) -> dict[str, Any]:
    return {
        "all": summary(scored, costs),
        **bounds(scored, costs),
        "by_language_group": grouped(
            scored, lambda c: "English" if _language(c) == "en" else "other", costs
        ),
        "by_source": grouped(scored, lambda c: str(c.get("source", "?")), costs),
        "by_kind": grouped(scored, lambda c: str(c.get("kind", "?")), costs),
        "by_language": grouped(scored, _language, costs),
        "rules": rule_table(scored, [rule.id for rule in rules.rules if rule.toolset]),
        "micros": {"new_process": middle(micros)},
        "missed": [item.case["id"] for item in scored if not item.hit],
    }


def _language(case: Case) -> str:
    return str(case.get("lang", "?")).lower().split("-")[0]


def _tables(report: Mapping[str, Any]) -> list[Table]:
    top = {
        name: report[name] for name in ("all", "test_split", "floor", "oracle") if name in report
    }
    found = [_table("First messages", {**top, **report["by_language_group"]}, _COLUMNS)]
    for name in ("source", "kind", "language"):
        found.append(_table(f"By {name}", report[f"by_{name}"], _COLUMNS))
    rules = {rule: row for rule, row in report["rules"].items() if row["coverage"]}
    found.append(_table("Rules", rules, ("coverage", "overlap", "conflict", "accuracy")))
    if "reliability" in report:
        found.append(_reliability_table(report["reliability"]))
    found[0].caption = "a decision:" + ";".join(
        [f" {_TIMES[name]} {_spoken(times)}" for name, times in report["micros"].items()]
    )
    found[0].caption += f"\n{spoken(report['yardstick'])}"
    return found


def _spoken(micros: Mapping[str, float]) -> str:
    return f"p50 {micros['p50']:.0f} µs, p99 {micros['p99']:.0f} µs"


def _reliability_table(found: Mapping[str, Any]) -> Table:
    rows = {f"{row['from']:g} to {row['to']:g}": row for row in found["bins"]}
    table = _table("Probabilities of the tier, and how often they came true", rows, _BINS)
    table.caption = f"Brier {found['brier']}, mean gap {found['gap']}"
    return table


def _plots(
    scored: Sequence[Scored], report: Mapping[str, Any], costs: Mapping[str, int]
) -> list[Plot]:
    """Drawings for the page; empty ones where matplotlib is not installed."""
    found = [
        Plot(
            title="Share of tool-schema tokens saved, case by case",
            svg=plots.histogram([item.saving(costs) for item in scored], across="saved in a case"),
        )
    ]
    for name in ("source", "kind", "language"):
        hits = {key: row["hit"] for key, row in report[f"by_{name}"].items()}
        found.append(
            Plot(
                title=f"Hit by {name}",
                svg=plots.bars(
                    plots.lowest(hits, limit=_BARS), across=f"hit by {name}", percent=True
                ),
                note="Share of cases whose needed toolsets were all on the surface"
                + (f"; the {_BARS} lowest of {len(hits)}." if len(hits) > _BARS else "."),
                none=plots.why_none(f"All cases are of one {name}; the table has its figures."),
            )
        )
    bins = report.get("reliability", {}).get("bins", ())
    found.append(
        Plot(
            title="Reliability of the tier's probabilities",
            svg=plots.reliability([(row["said"], row["true"]) for row in bins]),
            note="Under the dotted line the tier claims too much, over it too little.",
            none=plots.why_none("No tier with probabilities was asked; see --tier."),
        )
    )
    return found


def _table(title: str, rows: Mapping[str, Mapping[str, Any]], columns: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", caption_justify="left")
    table.add_column("")
    for column in columns:
        table.add_column(column.replace("_", " "), justify="right")
    for name, row in rows.items():
        table.add_row(name, *(_cell(row[column]) for column in columns))
    return table


def _cell(value: float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
