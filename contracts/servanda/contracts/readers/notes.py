"""What a reader dropped or assumed, gathered: one line a kind, with how often and where first.

In: remarks with their JSON paths, in the order they are met. Out: sentences for `Trace.notes`.
"""


class Notes:
    """The remarks of one record."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, str]] = {}

    def add(self, remark: str, where: str = "") -> None:
        """Count a remark; `where` is kept from the first time."""
        times, first = self._kinds.get(remark, (0, where))
        self._kinds[remark] = (times + 1, first)

    def sentences(self) -> tuple[str, ...]:
        """The remarks in the order they were first made."""
        return tuple(_sentence(remark, times, first) for remark, (times, first) in self._kinds.items())


def _sentence(remark: str, times: int, first: str) -> str:
    if not first:
        return remark
    return f"{remark} ({first})" if times == 1 else f"{remark} ({times} times, first {first})"
