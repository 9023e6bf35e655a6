"""Findings that need more than one command: who feeds whom, what was downloaded, what is run."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from ..calls.acts import Act
from ..calls.paths import canonical, classes
from .values import Decision, Finding, RiskClass

__all__ = ["FlowTables", "flow_tables", "flows"]

MAX_FEEDS = 64
"""Commands upstream of one that are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowTables:
    """``data/flows.yaml`` and the families that flows need, compiled."""

    families: Mapping[str, frozenset[str]]
    body: tuple[str, ...]
    output: tuple[str, ...]
    plain: frozenset[str]
    data: frozenset[str]
    local: re.Pattern[str]
    variable: re.Pattern[str]
    address: re.Pattern[str]
    advocacy: re.Pattern[str]


def _read(name: str) -> Mapping[str, Any]:
    try:
        compiled = pkgutil.get_data(__package__, "data/compiled.json")
    except OSError:
        compiled = None
    if compiled is not None:
        ready: Mapping[str, Any] = json.loads(compiled)[name]
        return ready
    loaded: Mapping[str, Any] = yaml.safe_load(
        pkgutil.get_data(__package__, f"data/{name}.yaml") or b""
    )
    return loaded


@cache
def flow_tables() -> FlowTables:
    """The tables of this installation, loaded once."""
    raw = _read("flows")
    families = _read("families")["families"]
    return FlowTables(
        families={name: frozenset(names) for name, names in families.items()},
        body=tuple(raw["body_options"]),
        output=tuple(raw["output_options"]),
        plain=frozenset(raw["plain_sources"]),
        data=frozenset(raw["data_sources"]),
        local=re.compile(raw["local_hosts"], re.IGNORECASE),
        variable=re.compile(raw["secret_variable"].replace("|(?i)", "|"), re.IGNORECASE),
        address=re.compile(raw["address"]),
        advocacy=re.compile(raw["self_advocacy"]),
    )


def flows(acts: Sequence[Act], secret: frozenset[int], tables: FlowTables) -> list[Finding]:
    """What the acts of one call do together.

    Args:
        acts: in order, parents before children.
        secret: indices of the acts that a rule says read a secret.
        tables: facts about programs.
    """
    walk = _Flows(acts, secret, tables)
    for act in acts:
        walk.step(act)
    return walk.found


@dataclass(slots=True)
class _Flows:
    acts: Sequence[Act]
    secret: frozenset[int]
    tables: FlowTables
    found: list[Finding] = field(default_factory=list)
    tainted: set[str] = field(default_factory=set)
    downloaded: set[str] = field(default_factory=set)
    remotes: set[str] = field(default_factory=set)

    def step(self, act: Act) -> None:
        """One act, after those before it."""
        sources = self._sources(act)
        self._remember(act, sources)
        self._remote(act, sources)
        self._outbound(act, sources)

    def _add(
        self, act: Act, name: str, risk: RiskClass, severity: int, words: str, *, block: bool = False
    ) -> None:
        decision = Decision.BLOCK if block else Decision.ASK
        evidence = act.text[:200]
        self.found.append(
            Finding(
                id=name, risk=risk, severity=severity, decision=decision, words=words,
                evidence=evidence,
            )  # fmt: skip
        )

    # Sources

    def _sources(self, act: Act) -> list[Act]:
        """The act itself, what is inside it and everything that feeds it."""
        seen: dict[int, None] = {act.index: None}
        todo = [act.index]
        while todo and len(seen) < MAX_FEEDS:
            current = self.acts[todo.pop()]
            for index in (*current.feeds, *current.inner):
                if index not in seen and index < len(self.acts):
                    seen[index] = None
                    todo.append(index)
        return [self.acts[index] for index in seen]

    def _is_secret(self, act: Act) -> bool:
        return act.index in self.secret or any(path in self.tainted for path in act.reads)

    def _remember(self, act: Act, sources: Sequence[Act]) -> None:
        """Files that hold secrets or downloads from here on."""
        if any(self._is_secret(source) for source in sources):
            self.tainted.update(
                path for path in act.writes if "harmless_device" not in classes(path)
            )
        fetchers = [source for source in sources if self._fetches(source)]
        if fetchers:
            self.downloaded.update(path for path in act.writes if path)
            for fetcher in fetchers:
                self.downloaded.update(self._saved_as(fetcher))
        if act.program == "git" and [a.text for a in act.options.operands[:2]] == ["remote", "add"]:
            self.remotes.update(a.text for a in act.options.operands[2:3])
        if act.program in {"mv", "cp"} and any(path in self.downloaded for path in act.reads):
            self.downloaded.update(act.writes)

    def _fetches(self, act: Act) -> bool:
        family = self.tables.families
        if act.program in family["http"] and not self._body(act):
            return any(self.tables.address.search(arg.text) for arg in act.command.args[1:]) or any(
                "." in arg.text or "$" in arg.text for arg in act.options.operands
            )
        return act.program in {"python:urllib.request.urlretrieve", "python:wget.download"}

    def _saved_as(self, act: Act) -> Iterator[str]:
        cwd = act.command.cwd
        for value in act.options.value_of(*self.tables.output):
            yield canonical(value.text, cwd)
        remote_name = act.program == "wget" or bool(
            act.options.flags & {"-O", "-J", "--remote-name"}
        )
        if remote_name:
            for arg in act.options.operands:
                name = arg.text.split("?")[0].rstrip("/").rsplit("/", 1)[-1]
                if name:
                    yield canonical(name, cwd)
        if act.program.startswith("python:") and len(act.options.operands) > 1:
            yield canonical(act.options.operands[1].text, cwd)

    # Code from elsewhere

    def _remote(self, act: Act, sources: Sequence[Act]) -> None:
        runs = act.program in self.tables.families["interpreter"] or act.program in {
            "eval", "python:exec", "python:eval", "xargs",
        }  # fmt: skip
        upstream = [source for source in sources if source.index != act.index]
        words = "runs code that it fetches from the network"
        if runs and self._takes_code(act):
            if any(self._fetches(source) for source in upstream if self._reaches(act, source)):
                block = "scheduled" in act.origins
                self._add(act, "remote.fetched-code", "remote_exec", 3 if block else 2, words, block=block)
            elif any(s.program in self.tables.families["raw_socket"] for s in upstream):
                self._add(
                    act, "remote.socket-code", "remote_exec", 3,
                    "runs whatever comes in over a network connection", block=True,
                )  # fmt: skip
            elif act.feeds and not act.inner and act.stdin is None:
                self._add(
                    act, "hidden.piped-code", "hidden_exec", 2,
                    "runs text that another command prints, which cannot be judged",
                )  # fmt: skip
        if act.program.startswith("python:") and "⟨" in act.text and act.program in {
            "python:exec", "python:eval", "python:os.system", "python:subprocess.run",
        }:  # fmt: skip
            if re.search(r"⟨[^⟩]*(?:urlopen|requests\.|httpx\.|urllib|socket|\.recv)", act.text):
                self._add(act, "remote.fetched-code", "remote_exec", 3, words)
        self._runs_download(act)
        if act.program in self.tables.families["raw_socket"] and any(
            source.program in self.tables.families["shell"] and source.index in act.feeds
            for source in upstream
        ):
            self._add(
                act, "remote.shell-to-socket", "remote_exec", 3,
                "gives a shell to another machine", block=True,
            )  # fmt: skip

    def _takes_code(self, act: Act) -> bool:
        """Code may come from its input or from a substitution, not from a file that is named."""
        if act.program in {"source", ".", "eval", "iex", "invoke-expression"}:
            return True
        operands = [arg.text for arg in act.options.operands]
        takes_stdin = not operands or operands[0] in {"-", "/dev/stdin"} or "-s" in act.options.flags
        substituted = any(arg.text.startswith(("<(", "$(", "`")) for arg in act.command.args[1:])
        has_code = bool(act.options.flags & {"-c", "-e", "-lc", "-r", "--eval"})
        return takes_stdin or substituted or has_code

    def _reaches(self, act: Act, source: Act) -> bool:
        """The output of the source ends up as code: by pipe, or as a whole argument."""
        if source.index in act.feeds:
            return True
        if source.index in act.inner:
            inner_origins = source.origins[len(act.origins) :]
            return bool(inner_origins) and inner_origins[0] in {
                "substitution", "process-substitution",
            }  # fmt: skip
        return any(
            source.index in self.acts[feed].feeds or source.index in self.acts[feed].inner
            or source.index in _upstream(self.acts, feed)
            for feed in act.feeds
        )

    def _runs_download(self, act: Act) -> None:
        if not self.downloaded:
            return
        named = [act.command.name]
        if act.program in self.tables.families["interpreter"]:
            named.extend(arg.text for arg in act.options.operands[:1])
        if act.program in {"chmod", "install"} and any("x" in a.text or "7" in a.text for a in act.options.operands[:1]):
            named.extend(arg.text for arg in act.options.operands[1:])
        if act.program in {"dpkg", "rpm", "installer", "pip", "pip3", "apt", "apt-get", "yum", "dnf"}:
            named.extend(arg.text for arg in act.options.operands)
        cwd = act.command.cwd
        for name in named:
            if name and canonical(name, cwd) in self.downloaded:
                self._add(
                    act, "remote.downloaded-program", "remote_exec", 2,
                    "runs a program that the same call downloads",
                )  # fmt: skip
                return

    # Data that leaves

    def _outbound(self, act: Act, sources: Sequence[Act]) -> None:
        if not self._sends(act):
            return
        hosts = self._hosts(act)
        if any(self._is_secret(source) for source in sources):
            self._add(
                act, "exfil.secret", "exfil", 3,
                "sends keys, passwords or tokens out of the machine", block=True,
            )  # fmt: skip
            return
        if self._variable_leaves(act, hosts):
            self._add(
                act, "exfil.secret-variable", "exfil", 3, "puts a secret into a request's text"
            )
            return
        local = bool(hosts) and all(self.tables.local.match(host) for host in hosts)
        if not local and self._carries_data(act, sources):
            self._add(act, "exfil.data", "exfil", 2, "sends local data to another machine")

    def _body(self, act: Act) -> bool:
        return bool(act.options.flags & set(self.tables.body))

    def _sends(self, act: Act) -> bool:
        family = self.tables.families
        program = act.program
        words = [arg.text for arg in act.options.operands]
        if any("tcp" in classes(path) for path in act.writes):
            return True
        if program in family["http"] or program in family["python_http"]:
            return True
        if program in family["raw_socket"] or program in family["mail"]:
            return not act.options.flags & {"-z", "-l"}
        if program == "openssl":
            return words[:1] == ["s_client"]
        if program in family["copy"] or program in {"aws", "gcloud", "az", "docker", "kubectl"}:
            return any(re.match(r"(?:\w+@)?[\w.-]+:(?!\\)|\w+://", word) for word in words)
        if program in {"dig", "nslookup", "host", "ping", "drill", "getent", "traceroute"}:
            return any(not arg.resolved for arg in act.options.operands) or bool(act.inner)
        if program == "git":
            return words[:1] == ["push"]
        if program == "ssh":
            return bool(act.feeds) or act.stdin is not None or any(
                redirect.operator == "<" for redirect in act.command.redirects
            )
        return (program in {"gh", "glab"} and words[:2] in (["gist", "create"], ["snippet", "create"])) or (
            program in {"pastebinit", "wgetpaste", "sprunge", "ix", "termbin", "transfer", "ffsend", "croc", "wormhole", "0x0"}
        )

    def _hosts(self, act: Act) -> list[str]:
        hosts = [match[1] for arg in act.command.args[1:256] for match in self.tables.address.finditer(arg.text[:4096])]
        if not hosts and act.program in self.tables.families["http"]:
            hosts = [re.split(r"[/:?]", arg.text)[0] for arg in act.options.operands if "." in arg.text or "localhost" in arg.text or arg.text.startswith(":")]
            hosts = [host or "localhost" for host in hosts]
        if not hosts and act.program in self.tables.families["raw_socket"]:
            hosts = [arg.text for arg in act.options.operands[:1]]
        return hosts

    def _variable_leaves(self, act: Act, hosts: Sequence[str]) -> bool:
        """A secret variable stands in the address or body, not in a header of its own service."""
        family = self.tables.families
        if act.program not in family["http"] and act.program not in family["python_http"] and act.program not in {"dig", "nslookup", "ping", "host", "nc", "ncat"}:
            return False
        args = [*act.options.operands, *act.options.value_of(*self.tables.body)]
        for arg in args:
            for name in arg.names:
                if self.tables.variable.search(name) and not _own_service(name, hosts):
                    return True
        return any("⟨os.environ⟩" in arg.text for arg in act.command.args)

    def _carries_data(self, act: Act, sources: Sequence[Act]) -> bool:
        """A file or the output of a command that shows local data is in the body."""
        family = self.tables.families
        program = act.program
        others = [source for source in sources if source.index != act.index]
        shows = any(
            source.program in self.tables.data or (source.reads and source.program not in family["http"])
            for source in others
        )
        files = [path for path in act.reads if "tcp" not in classes(path)]
        if program in family["http"]:
            return bool(files) or (self._body(act) or bool(act.inner)) and shows
        if program in family["python_http"]:
            return "files=" in act.text or bool(re.search(r"⟨open|⟨subprocess|⟨os\.popen", act.text))
        if program in family["raw_socket"] or program in family["mail"] or program in {"openssl", "ssh"}:
            return bool(files) or shows
        if program == "git":
            target = [arg.text for arg in act.options.operands[1:2]]
            return any("://" in word or re.match(r"[\w.-]+@[\w.-]+:", word) or word in self.remotes for word in target)
        if program in {"dig", "nslookup", "host", "ping", "drill"}:
            return bool(act.inner)
        if program in {"aws", "gcloud", "az", "gsutil", "s3cmd", "rclone"}:
            return bool(re.search(r"public-read|--acl[= ]public|allUsers", act.text))
        if program in family["copy"]:
            return any(not {"inside"} & classes(path) and {"home_root", "system", "log", "authentication", "root", "top"} & classes(path) for path in act.reads) and bool(re.search(r"[\w.-]+:", act.text.split(" ")[-1]))
        return any("tcp" in classes(path) for path in act.writes) and (shows or bool(act.reads))


def _upstream(acts: Sequence[Act], index: int) -> set[int]:
    seen: set[int] = set()
    todo = [index]
    while todo and len(seen) < MAX_FEEDS:
        current = todo.pop()
        for feed in (*acts[current].feeds, *acts[current].inner):
            if feed not in seen:
                seen.add(feed)
                todo.append(feed)
    return seen


def _own_service(variable: str, hosts: Sequence[str]) -> bool:
    """``GITHUB_TOKEN`` belongs to ``api.github.com``: a part of the name is in the host's name."""
    parts = [part for part in variable.lower().split("_") if len(part) > 3]
    return any(part in host.lower() for part in parts for host in hosts)
