"""Findings that need more than one command: who feeds whom, what was downloaded, what is run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from ..calls.acts import Act
from ..calls.paths import canonical, classes
from .flow_tables import FlowTables
from .outbound import carries_data, has_body, hosts_of, remote_source, secret_variable, sends
from .values import Decision, Finding, RiskClass

__all__ = ["flows"]

MAX_FEEDS = 64
"""Commands upstream of one that are followed."""

_FETCHED = re.compile(r"⟨[^⟩]*(?:urlopen|requests\.|httpx\.|urllib|socket|\.recv)")
_FETCHED_TEXT = re.compile(r"⟨(?:[^⟩]*?)(?:requests|urlopen|httpx|urllib|\.get )[^⟩]*")
_CODE_CALLS = frozenset(
    {
        "python:exec", "python:eval", "python:os.system", "python:subprocess.run",
        "python:compile", "python:pickle.loads", "python:pickle.load", "python:marshal.loads",
        "python:dill.loads", "python:cloudpickle.loads", "python:joblib.load",
        "python:yaml.unsafe_load", "python:types.functiontype", "python:shelve.open",
    }
)  # fmt: skip
_UNPACKERS = frozenset({"tar", "gtar", "bsdtar", "unzip", "7z", "cpio", "gunzip"})
_BUILDERS = frozenset({"make", "gmake", "ninja"})
_PYTHON_INSTALLERS = frozenset({"pip", "pip3", "uv", "pipx"})
_BUILT = re.compile(
    r"\.(?:sh|bash|run|bin|py|pl|rb|js|ps1|bat|cmd|exe)\Z"
    r"|(?:\A|/)(?:[\w-]*install\w*|configure|setup|bootstrap|run|build|start|launch|main)\Z"
)
_CODE_FLAGS = frozenset({"-c", "-e", "-lc", "-r", "--eval"})
_MODULE_FLAGS = frozenset({"-m", "-n", "-ne", "-p", "-pe", "-ane", "-lne"})
_INSTALLERS = frozenset(
    {"dpkg", "rpm", "installer", "pip", "pip3", "apt", "apt-get", "yum", "dnf", "msiexec"}
)
_DOWNLOADED = "runs a program that the same call downloads"
_DECODES = frozenset({"-d", "-D", "--decode", "-r", "-dc", "-rp"})
_OUTPUT_ORIGINS = frozenset({"substitution", "process-substitution"})


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


def _cloned_into(act: Act) -> str:
    """The folder of a ``git clone``, which its address names where nothing else does."""
    words = [arg.text for arg in act.options.operands[1:32]]
    places = [i for i, word in enumerate(words) if "/" in word or ":" in word] or [0]
    given = words[places[0] + 1 : places[0] + 2]
    return (
        given[0] if given else words[places[0]].rstrip("/").rsplit("/", 1)[-1].removesuffix(".git")
    )


def _inside(path: str, folder: str) -> bool:
    if folder == ".":
        return not path.startswith(("/", "~", ".."))
    return path.startswith(f"{folder}/")


@dataclass(slots=True)
class _Flows:
    acts: Sequence[Act]
    secret: frozenset[int]
    tables: FlowTables
    found: list[Finding] = field(default_factory=list)
    tainted: set[str] = field(default_factory=set)
    downloaded: set[str] = field(default_factory=set)
    remotes: set[str] = field(default_factory=set)
    decoded: set[str] = field(default_factory=set)
    cloned: set[str] = field(default_factory=set)
    fetches_in_code: bool = False

    def step(self, act: Act) -> None:
        """One act, after those before it."""
        sources = self._sources(act)
        self._remember(act, sources)
        self._runs_code(act, sources[1:])
        self._runs_download(act)
        self._leaves(act, sources)

    def _add(self, act: Act, name: str, words: str, severity: int, *, block: bool = False) -> None:
        risks: dict[str, RiskClass] = {"remote": "remote_exec", "hidden": "hidden_exec"}
        self.found.append(
            Finding(
                id=name,
                risk=risks.get(name.split(".")[0], "exfil"),
                severity=severity,
                decision=Decision.BLOCK if block else Decision.ASK,
                words=words,
                evidence=act.text[:200],
            )
        )

    # Sources

    def _sources(self, act: Act) -> list[Act]:
        """The act itself first, then what is inside it and everything that feeds it."""
        if not act.feeds and not act.inner:
            return [act]
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
        if act.writes and any(self._is_secret(source) for source in sources):
            self.tainted.update(
                path for path in act.writes if "harmless_device" not in classes(path)
            )
        fetchers = [source for source in sources if self._fetches(source)]
        if fetchers:
            self.downloaded.update(act.writes)
            for fetcher in fetchers:
                self.downloaded.update(self._saved_as(fetcher))
        self._remember_code(act)
        self._remember_repositories(act)
        if act.program in self.tables.decoders and act.options.flags & _DECODES:
            self.decoded.update(act.writes)
        if act.program in _UNPACKERS and (
            len(fetchers) > 0 or self.downloaded.intersection(act.reads, self._archives(act))
        ):
            self.cloned.add(self._unpacked(act))
        if act.program in {"mv", "cp"} and self.downloaded.intersection(act.reads):
            self.downloaded.update(act.writes)

    @staticmethod
    def _archives(act: Act) -> set[str]:
        """What an unpacker may read, however its words are put."""
        named = (*act.options.operands, *act.options.value_of("-f", "--file"))
        return {canonical(arg.text, act.command.cwd) for arg in named[:32]}

    @staticmethod
    def _unpacked(act: Act) -> str:
        folders = act.options.value_of("-C", "--directory", "-d")
        return canonical(folders[0].text if folders else ".", act.command.cwd)

    def _remember_code(self, act: Act) -> None:
        """What Python code fetches and saves."""
        if act.program in self.tables.families["python_http"]:
            self.fetches_in_code = True
        elif self.fetches_in_code and act.language == "python":
            self.downloaded.update(act.writes)
        if act.program.startswith("python:.write") and _FETCHED_TEXT.search(act.text):
            paths = [arg.text for arg in act.options.operands[:1]]
            self.downloaded.update(canonical(path, act.command.cwd) for path in paths)

    def _remember_repositories(self, act: Act) -> None:
        """Remotes that the call adds, and folders that it clones into."""
        if act.program != "git" or len(act.options.operands) < 2:
            return
        words = [arg.text for arg in act.options.operands[:3]]
        if words[:2] in (["remote", "add"], ["remote", "set-url"]):
            self.remotes.update(words[2:])
        elif words[0] == "clone":
            self.cloned.add(canonical(_cloned_into(act), act.command.cwd))

    def _fetches(self, act: Act) -> bool:
        if act.program in self.tables.families["http"] and not has_body(act, self.tables):
            return bool(hosts_of(act, self.tables)) or any(
                not arg.resolved for arg in act.options.operands
            )
        if act.program in {"scp", "rsync", "sftp", "aws", "gsutil", "gcloud", "rclone", "mc"}:
            words = [arg.text for arg in act.options.operands]
            return len(words) > 1 and remote_source(words)
        return act.program in {"python:urllib.request.urlretrieve", "python:wget.download"}

    def _saved_as(self, act: Act) -> Iterator[str]:
        cwd = act.command.cwd
        for value in act.options.value_of(*self.tables.output):
            yield canonical(value.text, cwd)
        if act.program == "wget" or act.options.flags & {"-O", "-J", "--remote-name"}:
            for arg in act.options.operands:
                name = arg.text.split("?")[0].rstrip("/").rsplit("/", 1)[-1]
                if name:
                    yield canonical(name, cwd)
        if act.program in {"scp", "rsync", "sftp"}:
            target = canonical(act.options.operands[-1].text, cwd)
            yield target
            for arg in act.options.operands[:-1]:
                name = arg.text.rstrip("/").rpartition("/")[2].rpartition(":")[2]
                yield canonical(f"{target}/{name}")
        if act.program.startswith("python:") and len(act.options.operands) > 1:
            yield canonical(act.options.operands[1].text, cwd)

    # Code from elsewhere

    def _runs_code(self, act: Act, upstream: Sequence[Act]) -> None:
        families = self.tables.families
        if act.program in _CODE_CALLS and _FETCHED.search(act.text):
            self._add(act, "remote.fetched-code", "runs code that it fetches from the network", 3)
        if act.program in families["raw_socket"] and any(
            source.program in families["shell"] and source.index in act.feeds for source in upstream
        ):
            words = "gives a shell to another machine"
            self._add(act, "remote.shell-to-socket", words, 3, block=True)
        if (
            act.program in _INSTALLERS
            and any(arg.text.startswith("<(") for arg in act.command.args[1:16])
            and any(self._fetches(source) for source in upstream)
        ):
            self._add(act, "remote.downloaded-program", _DOWNLOADED, 2)
        if upstream and self._takes_code(act):
            self._code_from(act, upstream)

    def _code_from(self, act: Act, upstream: Sequence[Act]) -> None:
        """Where the text that an interpreter runs comes from."""
        if any(self._fetches(source) and self._reaches(act, source) for source in upstream):
            scheduled = "scheduled" in act.origins
            words = "runs code that it fetches from the network"
            severity = 3 if scheduled else 2
            self._add(act, "remote.fetched-code", words, severity, block=scheduled)
        elif any(
            source.program in self.tables.families["raw_socket"] and self._reaches(act, source)
            for source in upstream
        ):
            words = "runs whatever comes in over a network connection"
            self._add(act, "remote.socket-code", words, 3, block=True)
        elif act.feeds and not act.inner and act.stdin is None:
            words = "runs text that another command prints, which cannot be judged"
            self._add(act, "hidden.piped-code", words, 2)
        elif any(self.acts[feed].program in self.tables.decoders for feed in act.feeds):
            self._add(act, "hidden.decoded-code", "runs text that a filter makes readable", 2)

    def _takes_code(self, act: Act) -> bool:
        """Code may come from its input or from a substitution, not from a file that is named."""
        if act.program in {"source", ".", "eval", "iex", "invoke-expression"}:
            return True
        if act.program not in self.tables.families["interpreter"]:
            return False
        if act.options.flags & _MODULE_FLAGS:
            return False  # the code is a module that is installed here; its input is data
        if act.options.flags & _CODE_FLAGS:
            # Its input is data; only a substitution in the code itself counts.
            return bool(act.inner) and any(
                arg.text.startswith(("$(", "`")) for arg in act.command.args[1:]
            )
        operands = [arg.text for arg in act.options.operands]
        takes_stdin = (
            not operands or operands[0] in {"-", "/dev/stdin"} or "-s" in act.options.flags
        )
        return takes_stdin or any(arg.text.startswith("<(") for arg in act.command.args[1:])

    def _reaches(self, act: Act, source: Act) -> bool:
        """The output of the source ends up as code: by pipe, or as a whole argument."""
        if source.index in act.inner:
            origins = source.origins[len(act.origins) :]
            return bool(origins) and origins[0] in _OUTPUT_ORIGINS
        return True  # everything else upstream is there by a pipe

    def _runs_download(self, act: Act) -> None:
        """A file that the call itself fetched, cloned or decoded is run."""
        if not (self.downloaded or self.cloned or self.decoded):
            return
        operands = [arg.text for arg in act.options.operands]
        named = [act.command.name] if "/" in act.command.name else []
        if act.program in self.tables.families["interpreter"]:
            named.extend(operands[:1])
        elif act.program == "chmod" and operands and re.search(r"[x1357]", operands[0]):
            named.extend(operands[1:])
        elif act.program in _INSTALLERS:
            named.extend(operands)
        paths = {canonical(name, act.command.cwd) for name in named if name}
        if paths & self.downloaded or self._in_cloned(act, paths):
            self._add(act, "remote.downloaded-program", _DOWNLOADED, 2)
        elif paths & self.decoded:
            self._add(act, "hidden.decoded-code", "runs text that a filter makes readable", 2)

    def _in_cloned(self, act: Act, paths: Collection[str]) -> bool:
        """A program or build file of a folder that the call cloned or unpacked."""
        if act.program in _BUILDERS:
            folders = act.options.value_of("-C", "--directory")
            place = canonical(folders[0].text if folders else ".", act.command.cwd)
            return any(place == folder or _inside(place, folder) for folder in self.cloned)
        if act.program in _PYTHON_INSTALLERS and "install" in {
            arg.text for arg in act.options.operands[:2]
        }:
            sources = (*act.options.operands[1:], *act.options.value_of("-e", "--editable"))
            places = [canonical(arg.text, act.command.cwd) for arg in sources[:16]]
            return any(
                place == folder or (folder != "." and _inside(place, folder))
                for place in places
                for folder in self.cloned
            )
        return any(
            _inside(path, folder) and _BUILT.search(path) is not None
            for path in paths
            for folder in self.cloned
        )

    # Data that leaves

    def _leaves(self, act: Act, sources: Sequence[Act]) -> None:
        if not sends(act, self.tables):
            return
        hosts = hosts_of(act, self.tables)
        if hosts and all(self.tables.metadata.match(host) for host in hosts):
            return
        if any(self._is_secret(source) for source in sources):
            words = "sends keys, passwords or tokens out of the machine"
            self._add(act, "exfil.secret", words, 3, block=True)
            return
        if secret_variable(act, hosts, sources[1:], self.tables):
            self._add(act, "exfil.secret-variable", "puts a secret into a request's text", 3)
            return
        local = bool(hosts) and all(self.tables.local.match(host) for host in hosts)
        if not local and carries_data(act, sources[1:], self.remotes, self.tables):
            self._add(act, "exfil.data", "sends local data to another machine", 2)
