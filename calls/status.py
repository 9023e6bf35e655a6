"""What the shape of a list says about exit status and recursion."""

from __future__ import annotations

from collections.abc import Sequence

from .tree import Func, Group, Item, Lit, Node, Not, Pipe, Seq, Simple, Var

__all__ = ["calls_itself", "chains", "fails", "guarded", "passes_status"]


def chains(items: Sequence[Item]) -> list[list[Item]]:
    """Split a list at ``;`` and ``&`` into and-or chains."""
    chains: list[list[Item]] = []
    for item in items:
        if chains and item.joiner in {"&&", "||"}:
            chains[-1].append(item)
        else:
            chains.append([item])
    return chains


def fails(node: Node) -> bool:
    """Ends the script with a failure, whatever came before: ``exit 1``, ``false``."""
    while isinstance(node, Group | Seq):
        node = node.body if isinstance(node, Group) else _last(node)
    if not isinstance(node, Simple) or not node.words:
        return False
    words = ["".join(part.text for part in word if isinstance(part, Lit)) for word in node.words]
    if words[0] == "false":
        return True
    return words[0] in {"exit", "return"} and words[1:] not in ([], ["0"], [""])


def guarded(chain: Sequence[Item]) -> bool:
    """``… || exit 1``: what follows is only reached when the chain passed."""
    return any(item.joiner == "||" and fails(item.node) for item in chain)


def _last(node: Seq) -> Node:
    return node.items[-1].node if node.items else Simple()


def passes_status(chain: Sequence[Item]) -> bool:
    """``exit $?`` or ``exit ${PIPESTATUS[0]}``: the status is that of the command before."""
    node = chain[0].node
    if len(chain) != 1 or not isinstance(node, Simple) or len(node.words) != 2:
        return False
    head = node.words[0]
    if head != (Lit("exit"),) and head != (Lit("return"),):
        return False
    return any(isinstance(part, Var) and part.name == "?" for part in node.words[1])


def calls_itself(node: Func) -> bool:
    """The body pipes or forks the function into itself."""
    stack: list[Node] = [node.body]
    while stack:
        current = stack.pop()
        if isinstance(current, Seq):
            stack.extend(item.node for item in current.items)
        elif isinstance(current, Group | Not):
            stack.append(current.body)
        elif isinstance(current, Pipe):
            called = [
                item
                for item in current.items
                if isinstance(item, Simple) and item.words and item.words[0] == (Lit(node.name),)
            ]
            if called:
                return True
    return False
