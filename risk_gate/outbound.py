"""What a command sends out of the machine, and where to."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..calls.acts import Act
from ..calls.paths import classes
from .flow_tables import FlowTables

__all__ = ["carries_data", "has_body", "hosts_of", "remote_source", "secret_variable", "sends"]

_LOOKUPS = frozenset({"dig", "nslookup", "host", "ping", "drill", "traceroute", "kdig", "doggo"})
_CLOUD = frozenset({"aws", "gcloud", "az", "gsutil", "s3cmd", "rclone", "s5cmd", "mc", "azcopy"})
_REMOTE_PATH = re.compile(r"(?:[\w.-]+@)?[\w.-]+:(?!\\)|\w+://")
_PUBLIC = re.compile(r"public-read|--acl[= ]public|allUsers|--public\b")
_PRINTERS = frozenset({"echo", "printf", "print"})
_STORES = frozenset({"python:.storbinary", "python:.storlines"})
_TELLING = frozenset({"whoami", "hostname", "id", "uname"})
_ASKED = re.compile(r"\{stdin\}\.[\w-]")
_SHOWN = re.compile(r"⟨(?:open|subprocess|os\.popen)|\bfiles=")
_WHOLE = frozenset({"home_root", "root", "top", "personal"})


def has_body(act: Act, tables: FlowTables) -> bool:
    """An HTTP client is given something to send."""
    return bool(act.options.flags & set(tables.body))


def sends(act: Act, tables: FlowTables) -> bool:
    """The command can carry data to another machine."""
    families, program = tables.families, act.program
    if act.writes and any("tcp" in classes(path) for path in act.writes):
        return True
    if program in families["http"] or program in families["python_http"]:
        return True
    if program in families["raw_socket"] or program in families["mail"]:
        return not act.options.flags & {"-z", "-l"}
    if program == "ssh":
        return _fed(act)
    if program in families["copy"] or program in _CLOUD:
        return any(_REMOTE_PATH.match(arg.text) for arg in act.options.operands)
    return _sends_otherwise(act, tables)


def _sends_otherwise(act: Act, tables: FlowTables) -> bool:
    words = [arg.text for arg in act.options.operands[:2]]
    if act.program in _LOOKUPS:
        return bool(act.inner) or any(not arg.resolved for arg in act.options.operands)
    if act.program in {"git", "openssl"}:
        return words[:1] in (["push"], ["s_client"])
    phrase = " ".join((act.program, *words[:2]))
    return act.program in tables.uploads or phrase in tables.uploads


def _fed(act: Act) -> bool:
    return (
        bool(act.feeds)
        or act.stdin is not None
        or any(redirect.operator == "<" for redirect in act.command.redirects)
    )


def hosts_of(act: Act, tables: FlowTables) -> list[str]:
    """Hosts among its words; empty where none is plain to see."""
    found = [
        match[1]
        for arg in act.command.args[1:256]
        for match in tables.address.finditer(arg.text[:4_096])
    ]
    if found:
        return found
    if act.program in tables.families["http"]:
        bare = [
            arg.text for arg in act.options.operands if re.match(r"[\w.-]*[.:]|localhost", arg.text)
        ]
        return [re.split(r"[/:?]", word)[0] or "localhost" for word in bare]
    if act.program in tables.families["raw_socket"]:
        return [arg.text for arg in act.options.operands[:1]]
    return []


def secret_variable(
    act: Act, hosts: Sequence[str], others: Sequence[Act], tables: FlowTables
) -> bool:
    """A secret variable stands in the address, the body or what is piped in.

    In a header, and in what its own service gets, it is where it belongs.
    """
    families = tables.families
    program = act.program
    if not (
        program in families["http"]
        or program in families["python_http"]
        or program in families["raw_socket"]
        or program in _LOOKUPS
    ):
        return False
    args = [*act.options.operands, *act.options.value_of(*tables.body)]
    for source in others:
        if source.program in _PRINTERS:
            args.extend(source.options.operands)
    names = [name for arg in args for name in arg.names]
    if any(tables.variable.search(name) and not _own_service(name, hosts) for name in names):
        return True
    return any("⟨os.environ" in arg.text for arg in act.command.args)


def _own_service(variable: str, hosts: Sequence[str]) -> bool:
    """``GITHUB_TOKEN`` belongs to ``api.github.com``: a part of the name is in the host's name."""
    parts = [part for part in variable.lower().split("_") if len(part) > 3]
    return any(part in host.lower() for part in parts for host in hosts)


def _own_key(act: Act, tables: FlowTables) -> bool:
    """It shows the key of the very service that it speaks to."""
    hosts = hosts_of(act, tables)
    names = {name for arg in act.command.args[1:64] for name in arg.names}
    return any(tables.variable.search(name) and _own_service(name, hosts) for name in names)


def carries_data(
    act: Act, others: Sequence[Act], remotes: Collection[str], tables: FlowTables
) -> bool:
    """A file, or the output of a command that shows local data, is in what it sends."""
    families, program = tables.families, act.program
    shows = any(
        source.program in tables.data or (source.reads and source.program not in families["http"])
        for source in others
    )
    files = [path for path in act.reads if not classes(path) & {"tcp", "harmless_device"}]
    encoded = any(source.program in _ENCODERS for source in others)
    if program in families["http"] and _own_key(act, tables):
        files = [path for path in files if "inside" not in classes(path)]
    if program in families["http"]:
        return bool(files) or ((has_body(act, tables) or bool(act.inner)) and (shows or encoded))
    if program in families["python_http"]:
        return bool(files) or program in _STORES or bool(_SHOWN.search(act.text))
    if program == "ssh" and _unpacks_there(others):
        return False  # `tar c dir | ssh host 'tar x'` is a copy like any other
    if program in families["raw_socket"] | families["mail"] | {"openssl", "ssh"}:
        return bool(files) or shows
    if program in _LOOKUPS:
        if any(_ASKED.search(arg.text) for arg in act.options.operands):
            return shows or encoded or any(source.program in _TELLING for source in others)
        return bool(act.inner) and (shows or encoded)
    if program in tables.uploads:
        return True
    return _copies_data(act, shows, remotes, tables)


def remote_source(words: Sequence[str]) -> bool:
    """The first of several operands, or the one before the last, lies on another machine."""
    last_is_local = _REMOTE_PATH.match(words[-1]) is None
    return last_is_local and any(_REMOTE_PATH.match(word) for word in words[:-1])


def _unpacks_there(others: Sequence[Act]) -> bool:
    """The other side unpacks an archive of files that lie in the workspace."""
    unpacks = any(
        act.program == "tar" and "remote" in act.origins and "-x" in str(act.command.argv)
        for act in others
    )
    return unpacks and all(
        "inside" in classes(path)
        for act in others
        if "remote" not in act.origins
        for path in act.reads
    )


_ENCODERS = frozenset({"base64", "xxd", "od", "hexdump", "gzip", "openssl"})


def _copies_data(act: Act, shows: bool, remotes: Collection[str], tables: FlowTables) -> bool:
    program = act.program
    if program == "git":
        targets = [arg.text for arg in act.options.operands[1:2]]
        return any(word in remotes or _REMOTE_PATH.match(word) for word in targets)
    if program in _CLOUD:
        whole = any(classes(path) & _WHOLE for path in act.reads)
        return whole or bool(_PUBLIC.search(act.text))
    if program in tables.families["copy"]:
        upload = any(_REMOTE_PATH.match(arg.text) for arg in act.options.operands[-1:])
        return upload and any(classes(path) & _WHOLE for path in act.reads)
    if program in {"gh", "glab"}:
        return True
    return any("tcp" in classes(path) for path in act.writes) and (shows or bool(act.reads))
