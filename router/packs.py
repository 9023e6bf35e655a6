"""Question packs: from YAML to values, or a message that names what is wrong.

A pack file is one mapping::

    id: "turn"                # names the pack in settings, logs and errors
    version: "1"              # raised when the meaning changes
    provenance: "…"           # where the questions come from
    questions:
      - id: "needs_web"       # key of the answer; the model does not see it
        kind: "noul"          # noul, choice or score
        instructions: "…"     # what is asked
        criteria:             # noul: "true" and "false"; choice: options; score: a list
        none: "other"         # choice only: the option that says "none of these"

Nothing is repaired: what does not validate raises.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

import yaml

from .errors import RuleError
from .questions import Question, QuestionPack

__all__ = ["fingerprint", "pack_from_mapping", "packs_from_yaml_text"]

_PACK_KEYS = ("id", "version", "provenance", "questions")
_QUESTION_KEYS = ("id", "kind", "instructions", "criteria")
_OPTIONS_MAX = 255  # TypeSafe, live limit per question
_LEVELS_MAX = 10  # TypeSafe, live limit per question


def packs_from_yaml_text(text: str, *, file: str) -> tuple[QuestionPack, ...]:
    """Read all packs of one YAML text, one per document.

    Args:
        text: the whole file.
        file: its name, for messages only.

    Raises:
        RuleError: not YAML, or a pack that does not validate.
    """
    try:
        documents = list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        raise RuleError(f"{file}: not valid YAML{where}") from error
    packs = tuple(pack_from_mapping(document, file=file) for document in documents)
    repeated = _repeated([pack.id for pack in packs])
    if repeated:
        raise RuleError(f"{file}: pack {repeated!r} is there twice; pack ids are unique")
    return packs


def pack_from_mapping(data: object, *, file: str) -> QuestionPack:
    """Validate one pack.

    Args:
        data: a parsed pack.
        file: where it comes from, for messages only.

    Raises:
        RuleError: with the file, the pack or question, what was found and what is allowed.
    """
    pack = _mapping(data, f"{file}: pack")
    where = f"{file}: pack {pack.get('id')!r}"
    _only(pack, _PACK_KEYS, where)
    listed = pack["questions"]
    if not isinstance(listed, list) or not listed:
        raise RuleError(f"{where}: 'questions' is {listed!r}; expected a list of at least one")
    questions = tuple(_question(item, where) for item in listed)
    repeated = _repeated([question.id for question in questions])
    if repeated:
        raise RuleError(f"{where}: question {repeated!r} is there twice; ids are unique in a pack")
    _text(pack, "provenance", where)
    return QuestionPack(
        id=_text(pack, "id", where),
        version=_text(pack, "version", where),
        questions=questions,
        fingerprint=fingerprint(questions),
    )


def fingerprint(questions: Sequence[Question]) -> str:
    """SHA-256 of the questions alone, in hex; the id and version of a pack do not count."""
    plain = [
        [question.id, question.kind, question.instructions, list(question.criteria.items())]
        for question in questions
    ]
    return hashlib.sha256(json.dumps(plain, ensure_ascii=True).encode()).hexdigest()


def _question(data: object, pack: str) -> Question:
    item = _mapping(data, f"{pack}: question")
    where = f"{pack}, question {item.get('id')!r}"
    kind = item.get("kind")
    if kind not in ("noul", "choice", "score"):
        raise RuleError(f"{where}: kind {kind!r}; expected 'noul', 'choice' or 'score'")
    _only(item, (*_QUESTION_KEYS, *(("none",) if kind == "choice" else ())), where)
    readers = {"noul": _noul, "choice": _choice, "score": _score}
    return Question(
        id=_text(item, "id", where),
        kind=kind,
        instructions=_text(item, "instructions", where),
        criteria=readers[kind](item, where),
    )


def _noul(item: Mapping[str, object], where: str) -> Mapping[str, str]:
    criteria = _texts(item["criteria"], where)
    if set(criteria) != {"true", "false"}:
        raise RuleError(
            f"{where}: a noul has criteria for {sorted(criteria)!r}; "
            "expected exactly 'true' and 'false', both quoted"
        )
    return criteria


def _choice(item: Mapping[str, object], where: str) -> Mapping[str, str]:
    criteria = _texts(item["criteria"], where)
    if not 2 <= len(criteria) <= _OPTIONS_MAX:
        raise RuleError(f"{where}: {len(criteria)} options; expected 2 to {_OPTIONS_MAX}")
    none = _text(item, "none", where)
    if none not in criteria:
        raise RuleError(
            f"{where}: 'none' names {none!r}; expected one of its options {list(criteria)!r}"
        )
    return criteria


def _score(item: Mapping[str, object], where: str) -> Mapping[str, str]:
    levels = item["criteria"]
    if not isinstance(levels, list) or not 2 <= len(levels) <= _LEVELS_MAX:
        raise RuleError(
            f"{where}: a score has criteria {levels!r}; "
            f"expected a list of 2 to {_LEVELS_MAX} levels, lowest first"
        )
    return _texts({str(number): level for number, level in enumerate(levels)}, where)


def _mapping(data: object, where: str) -> Mapping[str, object]:
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise RuleError(f"{where}: found {type(data).__name__}; expected a mapping with text keys")
    return data


def _only(data: Mapping[str, object], allowed: Sequence[str], where: str) -> None:
    unknown = sorted(set(data) - set(allowed))
    missing = [key for key in allowed if key not in data]
    if unknown or missing:
        raise RuleError(
            f"{where}: unknown keys {unknown!r}, missing keys {missing!r}; "
            f"expected exactly {list(allowed)!r}"
        )


def _text(data: Mapping[str, object], key: str, where: str) -> str:
    value = data[key]
    if not isinstance(value, str) or not value.strip():
        raise RuleError(f"{where}: {key!r} is {value!r}; expected text in quotes")
    return value


def _texts(data: object, where: str) -> Mapping[str, str]:
    criteria = _mapping(data, f"{where}: criteria")
    return {name: _text(criteria, name, f"{where}: criteria") for name in criteria}


def _repeated(names: Sequence[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")
