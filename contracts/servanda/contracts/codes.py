"""The codes of this room's diagnostics about contracts and the files they name, each with its meaning in a line.

In: nothing. Out: read by the collector (which knows no other code) and by `contract explain`. Codes are stable: one is never used for
something else, and a retired one stays reserved.
"""

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        # files
        "F101": "a file that was named does not exist or cannot be read",
        "F102": "a folder stands where a file was expected",
        "F103": "a file is not UTF-8 text",
        "F104": "a file is larger than 4 MB",
        "F105": "a contract file is empty",
        "F106": "a contract file does not end in .contract",
        "F107": "a contract is nested deeper than can be read",
        "F110": "a tools file is not JSON (a key twice, NaN or Infinity included)",
        "F111": "a tools file has none of the known forms",
        "F112": "an entry of a tools file is not a tool",
        "F113": "two tools have one name",
        "F114": "the argument schema of a tool is no JSON Schema",
        "F120": "a prose file does not have the SHA-256 that the contract gives",
        # names
        "C110": "a name is not declared",
        "C111": "a name is declared twice",
        "C112": "a name is reserved by the language",
        "C113": "a variable hides another fact",
        "C114": "an enum member equals another fact in scope",
        "C115": "a short name fits several duties",
        "C116": "no duty has that name",
        "C117": "a tool is not declared",
        "C118": "a class is not declared",
        "C119": "a type is not declared",
        # types
        "C120": "an expression has another type than its place asks for",
        "C121": "two terms cannot be compared",
        "C122": "an order comparison of a type without order",
        "C123": "an arithmetic operation on types that do not allow it",
        "C124": "a name is no member of the enum",
        "C125": "a record has no such field",
        "C126": "a field is not the same in every tool that the pattern can match",
        "C127": "a wrong number of arguments",
        "C128": "the type of a parameter cannot be told",
        "C129": "a value without a declared type is read",
        "C130": "a guard reads the run",
        "C131": "a part of an event that is not there to read",
        "C132": "a label is read on an event it is not made on",
        "C133": "an alias is used where it names nothing",
        "C134": "declarations that hang on themselves",
        "C135": "a range that holds nothing or does not suit its type",
        "C136": "a literal that is no value",
        "C137": "a regular expression that RE2 refuses",
        "C138": "a type declared with a size it cannot have",
        # duties
        "C139": "a clause or word that does not belong there",
        "C140": "a duty without evidence",
        "C141": "an order that does not join two leaves it can bind",
        "C142": "`otherwise` that is not the last branch",
        "C143": "a tool in two effect classes",
        "C144": "a class that `extra` cannot judge",
        "C145": "a prose reference to lines that are not there",
        "C146": "a value in a test that does not have its type",
        "C147": "an expectation that no verdict can meet",
        "C148": "a pointer that is no place in the arguments",
        "C149": "a definition that stands for too much",
        # warnings
        "C150": "a guard that can be undefined",
        "C151": "a forbidding pattern that can be undefined",
        "C152": "a used tool in no class, so that it counts as writing",
        # limits of this release
        "C190": "a construct that is not supported yet",
    }
)
