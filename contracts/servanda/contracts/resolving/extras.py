"""`extra`: which unmatched successful calls are findings, by class.

In: `extra` items, the facts. Out: class to whether its extras are forbidden, the defaults filled in. Language reference §6.
"""

from collections.abc import Iterable

from servanda.contracts.resolving.world import World
from servanda.grammar import syntax as s
from servanda.grammar.diagnostic import Note, nearest
from servanda.grammar.span import Span

DEFAULT = {"writes": True, "reads": False, "neutral": False}


def extras(world: World, items: Iterable[s.Item]) -> dict[str, bool]:
    """The whole table: `writes` forbidden, `reads` and `neutral` allowed where nothing is written."""
    found: dict[str, bool] = {}
    places: dict[str, Span] = {}
    for item in items:
        for one in item.items if isinstance(item, s.ExtraDecl) else ():
            cls = one.cls.text
            forbidden = one.mode.text == "forbidden"
            if one.failed:
                continue
            if cls == "tools":
                world.faults.error("C144", one.cls.span, "`extra` is said per class", help="write reads and writes")
            elif cls not in world.classes:
                hint = nearest(cls, world.classes)
                world.faults.error("C118", one.cls.span, f"no class is called '{cls}'", help=hint)
            elif cls == "neutral" and forbidden:
                world.faults.error(
                    "C144", one.cls.span, "a neutral call is never extra", help="put the tool into another class"
                )
            elif cls in places:
                world.faults.error(
                    "C111",
                    one.cls.span,
                    f"`extra` says twice what holds for '{cls}'",
                    notes=(Note("it is said here first", places[cls]),),
                )
            else:
                places[cls] = one.cls.span
                found[cls] = forbidden
    return dict(sorted({**DEFAULT, **found}.items()))
