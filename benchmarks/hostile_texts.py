"""Texts that make careless patterns slow, and what removing secrets from each costs."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Mapping
from functools import partial
from time import process_time
from typing import Any

from ..sanitizer import PatternTable, Sanitizer
from ..sanitizer.book import expanded

__all__ = [
    "LEAST_WITHIN",
    "LIMIT_MS",
    "SHAPES",
    "SIZE",
    "costs",
    "structure_of",
    "vendor_prefixes",
    "within",
]

SIZE = 65_000
"""Characters of each text (issue 4)."""
LIMIT_MS = 60.0
"""Most milliseconds of one core for each text (issue 4)."""
LEAST_WITHIN = 20
"""Shapes that must keep to it (issue 4); the list holds what is worse on purpose."""
PIECE = 263
"""Characters of a string in the structure: a prime, so that pieces of a text that repeats
differ, and 250 pieces stay below the 512 values looked at."""
REPEATS = 5

Make = Callable[[int], str]


def _again(unit: str) -> Make:
    return lambda size: unit * (size // len(unit) + 1)


def _drawn(alphabet: str) -> Make:
    return lambda size: "".join(random.Random(alphabet[:20]).choices(alphabet, k=size))


def _words(words: str, gap: str) -> Make:
    """Words drawn one by one, so that no two lines are the same."""
    some = words.split()
    return lambda size: gap.join(random.Random(words).choices(some, k=size // 3))


def _base64(size: int) -> str:
    return base64.b64encode(random.Random(size).randbytes(size * 3 // 4 + 3)).decode()


def _jwt_like(size: int) -> str:
    source = random.Random(size)
    letters = string.ascii_letters + string.digits + "-_"
    return ".".join("".join(source.choices(letters, k=30)) for _ in range(size // 30))


def _key_values(form: str) -> Make:
    """Labels that change, each with a value that changes."""

    def make(size: int) -> str:
        source = random.Random(form)
        letters = string.ascii_letters + string.digits
        labels = ("password", "api_key", "client_secret", "token", "db_pass", "key", "auth", "pin")
        return "".join(
            form.format(f"{source.choice(labels)}_{i % 97}", "".join(source.choices(letters, k=20)))
            for i in range(size // (len(form) + 20))
        )

    return make


def _labels_at_random(size: int) -> str:
    """Short labels, separators and values in any order: most labels to the character."""
    source = random.Random(size)
    labels = ("pw", "pin", "otp", "key", "sid", "tan", "mdp", "auth", "pass", "token", "psk")
    gaps = (": ", "=", " ", ":", " is ", ", ", "\n", '": "', "(", "|", "->", " = ", "\n  ")
    values = ("", "", "x", "1", "a1", "$X", '"', "None", "a,", "Ab3$", "xY9xY9", "{", "true\n")
    return "".join(
        source.choice(labels) + source.choice(gaps) + source.choice(values)
        for _ in range(size // 3)
    )


def _uuids(size: int) -> str:
    source = random.Random(size)
    return "\n".join(expanded("{u}", source.choice) for _ in range(size // 36))


SHAPES: Mapping[str, Make] = {
    "letters": _again("a"),
    "blanks": _again(" "),
    "newlines": _again("\n"),
    "digits": _again("4"),
    "double quotes": _again('"'),
    "nested quotes": _again("\"'`'"),
    "backslashes": _again("\\"),
    "equals and colons": _again("=:"),
    "dots": _again("a."),
    "dashes": _again("-"),
    "at signs": _again("b@"),
    "slashes": _again("a/"),
    "braces": _again("{[("),
    "printable, at random": _drawn(string.digits + string.ascii_letters + string.punctuation + " "),
    "printable without blanks": _drawn(string.digits + string.ascii_letters + string.punctuation),
    "letters and digits, at random": _drawn(string.digits + string.ascii_letters),
    "hexadecimal": _drawn("0123456789abcdef"),
    "hexadecimal in pairs": _again("6a 5f "),
    "base64": _base64,
    "base64 of text": _again("cGFzc3dvcmQgaXMg"),
    "base64 in lines": lambda size: "\n".join(
        _base64(size)[at : at + 64] for at in range(0, size, 64)
    ),
    "UUIDs": _uuids,
    "JWT-like dots": _jwt_like,
    "JWT headers": _again("eyJhbGciOi."),
    "label in YAML": _again("key: "),
    "label, colon": _again("password: "),
    "label, equals": _again("token="),
    "label, blank": _again("password "),
    "label, newline": _again("secret\n"),
    "label in JSON": _again('"password": '),
    "label in escaped JSON": _again('\\"password\\": '),
    "short labels, blank": _again("pw "),
    "short labels, colon": _again("pw:"),
    "short labels, colon and blank": _again("pw: "),
    "short labels, comma": _again("pw,"),
    "short labels, bar": _again("pw|"),
    "short labels, newline": _again("pw\n"),
    "numbered labels": _again("key1: "),
    "labels at random": _labels_at_random,
    "labels in Chinese": _again("密码："),
    "labels in Japanese": _again("パスワードは"),
    "labels in Russian": _again("пароль "),
    "labels in Arabic": _again("كلمة المرور "),
    "labels in Hindi": _again("पासवर्ड है "),
    "labels and values, YAML": _key_values("{}: {}\n"),
    "labels and values, JSON": _key_values('{{"{}":"{}"}},'),
    "labels and values, one line": _key_values("{}={} "),
    "labels and values, query": _key_values("{}={}&"),
    "labels and values, flags": _key_values("--{} {} "),
    "labels and references": _again("token=${TOKEN} "),
    "labels and markers": _again("password=[REDACTED:password] "),
    "sentences about secrets": _again(
        "the token expires, the key is rotated, the password is set. "
    ),
    "sentences with a link": _again("password is x "),
    "words": _words("the of and to in is that for it as was with on be by at this", " "),
    "identifiers": _words(
        "token_count apiKeyId userPass maxTokens keyName secretRef getAuth", ", "
    ),
    "flags": _again("-p x --key y "),
    "commands": _again("curl -u a:b mysql -p "),
    "authorization headers": _again("Authorization: Bearer a.b "),
    "authorization lines": _again("Authorization: Basic YTpi\n"),
    "cookies": _again("Cookie: a=b; sid=c; "),
    "URLs": _again("https://a.b/c?d=e&f=g "),
    "URLs with user info": _again("a://b:c@d/"),
    "schemes": _again("://"),
    "query strings": _again("?token=a&sig=b&code=c"),
    "percent-encoding": _again("%70%61%73%73=%41"),
    "HTML entities": _again("&#112;&quot;&equals;"),
    "JSON escapes": _again("\\u0070\\u0061\\n"),
    "split strings": _again('"a" + "b" + '),
    "spaced words": _again("p a s s w o r d "),
    "PEM heads": _again("-----BEGIN PRIVATE KEY-----"),
    "PEM ends": _again("-----END PRIVATE KEY-----\n"),
    "Kubernetes secrets": _again("kind: Secret\ndata:\n  a: b\n"),
    "seed words": _again("apple river seed phrase: "),
    "cards that fail the check": _again("4111 1111 1111 1112 "),
    "emoji": _drawn("😀😁🚀🔥👍🏽👨‍👩‍👧❤️🇩🇪✨🎉"),
    "zero-width characters": _again("p\u200ba\u200cs\u200ds\u2060w\ufeff"),
    "zero-width label": _again("p\u200bassword: "),
    "full-width letters": _again("ｐａｓｓｗｏｒｄ＝ａ"),
    "combining marks": _again("a\u0301\u0302\u0303"),
    "look-alike letters": _again("pаsswоrd "),
    "Chinese text": _drawn("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年"),
    "mixed scripts": _drawn("abcdeжзийкαβγδε密码中文カタカナ한국어العربيةहिन्दी =:\"'\n"),
    "surrogates": _again("\ud800a"),
    "control characters": _again("\x1b[31ma\x00\x07"),
}
"""Name to what makes a text of at least so many characters."""


def vendor_prefixes(table: PatternTable) -> Make:
    """Return what makes one long line of labels, each with the beginning of a vendor's token."""
    prefixes = sorted(table.prefixes)
    line = " ".join(f"key{number}={prefix}" for number, prefix in enumerate(prefixes))
    return _again(line + " ")


def structure_of(text: str) -> dict[str, Any]:
    """Return a text as the fields and lists of a tool call."""
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    half = len(pieces) // 2
    return {
        "command": pieces[0],
        "items": pieces[1:half],
        "fields": {f"field_{number}": piece for number, piece in enumerate(pieces[half:])},
    }


def costs(table: PatternTable, size: int = SIZE) -> dict[str, dict[str, float]]:
    """Milliseconds of one core for each shape.

    Returns:
        Shape to ``text``, ``text_worst``, ``structure`` and ``structure_worst``: the least
        and the most of several runs, as one string and as a JSON structure.
    """
    sanitizer = Sanitizer(table)
    report: dict[str, dict[str, float]] = {}
    for name, make in {**SHAPES, "vendors' prefixes": vendor_prefixes(table)}.items():
        text = make(size)[:size]
        structure = structure_of(text)
        as_text = _spent(partial(sanitizer.text, text))
        as_structure = _spent(partial(sanitizer.value, structure, max_bytes=SIZE))
        report[name] = {
            "text": min(as_text),
            "text_worst": max(as_text),
            "structure": min(as_structure),
            "structure_worst": max(as_structure),
        }
    return report


def within(report: Mapping[str, Mapping[str, float]], form: str = "text") -> int:
    """Return how many shapes keep to ``LIMIT_MS`` as ``text`` or as ``structure``.

    The least of several runs counts.
    """
    return sum(row[form] <= LIMIT_MS for row in report.values())


def _spent(work: Callable[[], object]) -> list[float]:
    spent = []
    for _ in range(REPEATS):
        start = process_time()
        work()
        spent.append(round((process_time() - start) * 1e3, 1))
    return spent
