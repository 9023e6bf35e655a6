"""Is this value a secret?  What a value looks like, without the label before it."""

from __future__ import annotations

from operator import and_

from .lazy import lazy

__all__ = [
    "MARKER",
    "is_number",
    "is_path",
    "is_placeholder",
    "is_reference",
    "looks_like_code",
    "looks_random",
    "strongly_random",
]

MARKER = lazy(r"\[REDACTED:[A-Za-z0-9_.-]{1,80}\]")
# $X ${X} $(x) %X% {{ x }} {x} <x> #{x} @x@ :x !ref *anchor &anchor env:X vault:x
_REFERENCE = lazy(
    r"\$[A-Za-z_{(]|\$\$|%[A-Za-z_][A-Za-z0-9_]*%|\{\{|\{%|\{[A-Za-z_][A-Za-z0-9_.]*\}|<[^<>]*>?$"
    r"|#\{|@[A-Za-z_.-]+@$|!(?:Ref|Sub|GetAtt|env|vault|secret)"
    r"|(?:env|vault|secret|file|ssm|arn|op|keyring|ref|aws|gcp|azure|k8s|sops|pass|bw|vals|ENC)[:(\[]"
    r"|(?:process\.env|os\.(?:environ|getenv)|ENV\[|System\.getenv|getenv|env\()"
    r"|(?:secrets|vars|var|local|data|module)\.[A-Za-z_]"
)
_PLACEHOLDER = lazy(
    r"(?i)[x*.•\-_#?0…●]{3,}$"
    r"|(?:your|my|some|the|insert|enter|replace|put|add|paste|change|fake|dummy|example|sample"
    r"|placeholder|redacted|removed)[-_ .]"
    r"|(?:change|replace)_?(?:me|this|it)"
    r"|(?:redacted|placeholder|example|dummy|sample|todo|tbd|fixme|none|null|nil|xxx+)$"
)
_STANDS_FOR = ("...", "…", "***", "xxxxx", "-here", "_here", "-goes-", "_goes_")
_DOTTED = lazy(r"(?:self|this|[A-Za-z_]\w*)(?:(?:\??\.|::|->)[A-Za-z_]\w*){1,8}$")
_CODE = lazy(r"[A-Za-z_][\w.]{0,80}(?:\(|\[)|[A-Za-z_][\w.]{0,60}<|\(|\[|lambda\b|new\b|await\b")
_PATH = lazy(
    r"(?:~|\.{1,2})?/[\w.@+-]{0,64}(?:/[\w.@+-]{0,64}){1,32}$|[A-Za-z]:\\|\.{1,2}/|~/|\\\\[\w.-]+\\"
)
_FILE = lazy(
    r"[\w./\\-]{1,120}\.(?:txt|md|py|js|ts|tsx|jsx|json|ya?ml|toml|ini|cfg|conf|env|pem|key|crt|cer|pub|sh|go|rs|rb|java|html|css|log|csv|sql|xml|gpg|kdbx|p12|pfx|jks|png|jpe?g|gif|svg|webp|pdf|zip|gz|tgz|tar|bz2|xz|7z|mp[34]|wav|bin|iso|deb|rpm|whl|jar|lock|tmp|bak)$"
)
_NUMBER = lazy(r"[-+]?[0-9][0-9_,.]*(?:[a-z%]{0,3})$")
_URL = lazy(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://")
_BENIGN_MIX = lazy(
    r"[A-Za-z_][\w.]{0,32}(?:=[\w.\-]{1,60}|![rsa])$|[A-Za-z]{1,20}\d{1,3}(?:\.\d{1,3}){1,3}$"
    r"|v?\d+(?:\.\d+){1,4}\S{0,20}$|[A-Za-z][\w-]{1,24}/\d[\d.]{0,12}$|\d{4}-\d\d|\d{1,2}:\d\d|(?:[A-Z]?[a-z]{1,24}|[A-Z]{1,24})-?\d{1,3}$|\d{1,6}[A-Za-z]{1,8}$"
    r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}$"
    r"|[a-z]+(?:[-_.][a-z]+){1,8}(?:[-_.]?\d{1,4})?$|[A-Z]+(?:_[A-Z]+){1,8}(?:_?\d{1,3})?$|#[0-9A-Fa-f]{3,8}$|0x[0-9A-Fa-f]{1,8}$"
)
_LETTER = lazy(r"[^\W\d_]")
_DIGIT = lazy(r"\d")
_SIGN = lazy(r"[!@#$%^&*+=~?]")
_CAMEL = lazy(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+){0,8}$|[A-Z]{2,6}[a-z]+(?:[A-Z][a-z]+)*$")


def is_reference(value: str) -> bool:
    """Whether the value names where a secret is, instead of being one."""
    return _REFERENCE.match(value) is not None


def is_placeholder(value: str) -> bool:
    """Whether the value stands for a secret in an example."""
    if _PLACEHOLDER.match(value) or len(set(value)) <= 2:
        return True
    lower = value.lower()
    return any(map(lower.__contains__, _STANDS_FOR))


def looks_like_code(value: str) -> bool:
    """Whether an unquoted value is an expression."""
    return _CODE.match(value) is not None or _DOTTED.match(value) is not None


def is_path(value: str) -> bool:
    """Whether the value is a file path, file name or URL."""
    return bool(_URL.match(value) or _FILE.match(value)) or (
        _PATH.match(value) is not None and not any(strongly_random(p) for p in value.split("/"))
    )


def is_number(value: str) -> bool:
    """Whether the value is a number, with or without a unit."""
    return _NUMBER.match(value) is not None


def looks_random(value: str) -> bool:
    """Whether the value mixes what words do not mix.

    Letters and digits interleaved, or letters and punctuation; ``user42``,
    ``v1.2.3``, ``snake_case_name`` and dates do not count.
    """
    if len(value) < 6 or _BENIGN_MIX.match(value):
        return False
    letters = _LETTER.search(value)
    if letters and _DIGIT.search(value):
        return True
    if letters and len(value) >= 8 and _SIGN.search(value, 1, len(value) - 1):
        return True
    return _mixed_case(value)


def _mixed_case(value: str) -> bool:
    """Letters of both cases in an order that no CamelCase name has."""
    if len(value) < 12 or _CAMEL.match(value) or value.islower() or value.isupper():
        return False
    lower, upper = list(map(str.islower, value)), list(map(str.isupper, value))
    turns = sum(map(and_, lower, upper[1:]))
    return turns >= 3 and any(map(and_, map(and_, upper, lower[1:]), upper[2:]))


def strongly_random(value: str) -> bool:
    """Whether the value is random for sure: 12 characters or more of several classes."""
    if len(value) < 12 or not looks_random(value):
        return False
    digits = sum(map(str.isdigit, value))
    if digits >= (1 if len(value) >= 20 and "." not in value else 2) and (
        any(map(str.islower, value)) and any(map(str.isupper, value))
    ):
        return True
    return digits >= 4 and len(value) >= 16
