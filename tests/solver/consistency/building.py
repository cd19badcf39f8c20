"""Contracts built by hand, without a parser: each expression is written into the source as it is made, so that it has a place."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Literal

from servanda.contracts.expression import (
    Arithmetic,
    Attribute,
    Compare,
    Const,
    Contains,
    DefinitionCall,
    Expr,
    Field,
    Fold,
    IfElse,
    Item,
    Logical,
    Matches,
    Not,
    OneOf,
    Present,
    Quantified,
    Size,
    Variable,
)
from servanda.contracts.model import (
    AnyOf,
    Branch,
    Contract,
    Decide,
    Definition,
    Duty,
    ForEach,
    MessageHead,
    Never,
    Node,
    Option,
    Order,
    Pattern,
    QueryAttribute,
    Rule,
    Step,
)
from servanda.contracts.types import (
    BoolType,
    DateType,
    DurationType,
    EnumType,
    ListType,
    NumberType,
    RecordField,
    RecordType,
    StringType,
    Type,
)
from servanda.grammar.span import Source, Span

BOOL = BoolType()
INT = NumberType()
TEXT = StringType()
HELLO = Pattern(MessageHead("assistant"))


@dataclass
class Builder:
    """Makes the parts of one contract."""

    text: str = ""
    attributes: dict[str, QueryAttribute] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    orders: list[Order] = field(default_factory=list)

    def write(self, text: str) -> Span:
        start = len(self.text)
        self.text += text + "\n"
        line = self.text.count("\n", 0, start) + 1
        return Span(start, start + len(text), line, 1)

    # ---- query -----------------------------------------------------------------------------------------------------

    def attribute(self, name: str, kind: Type, optional: bool = False) -> Attribute:
        self.attributes[name] = QueryAttribute(name, kind, optional, (), self.write(f"{name} : …"))
        return Attribute(name, kind, self.write(name))

    def define(self, name: str, body: Expr, *parameters: tuple[str, Type]) -> None:
        self.definitions[name] = Definition(name, parameters, body, True, self.write(f"define {name}"))

    # ---- expressions -----------------------------------------------------------------------------------------------

    def constant(self, value: Any, kind: Type | None = None) -> Const:
        if kind is None:
            match value:
                case bool():
                    kind = BOOL
                case int() | Fraction():
                    kind = NumberType(0 if isinstance(value, int) else 4)
                case str():
                    kind = TEXT
                case timedelta():
                    kind = DurationType()
                case date():
                    kind = DateType()
                case _:
                    raise AssertionError(value)
        return Const(value, kind, self.write(str(value)))

    def to(self, value: Any, beside: Expr) -> Expr:
        """A Python value as a constant of the type beside it."""
        if not isinstance(value, bool | int | Fraction | str | date | timedelta):
            return value
        kind = beside.type if isinstance(beside.type, EnumType) and isinstance(value, str) else None
        return self.constant(value, kind)

    def compare(self, left: Expr, op: str, right: Any) -> Compare:
        other = self.to(right, left)
        return Compare(op, left, other, self.write(f"{self.at(left)} {op} {self.at(other)}"))  # type: ignore[arg-type]

    def at(self, expr: Expr) -> str:
        return self.text[expr.span.start : expr.span.end]

    def logical(self, op: str, *operands: Expr) -> Logical:
        return Logical(op, operands, self.write(f" {op} ".join(self.at(o) for o in operands)))  # type: ignore[arg-type]

    def both(self, *operands: Expr) -> Logical:
        return self.logical("and", *operands)

    def either(self, *operands: Expr) -> Logical:
        return self.logical("or", *operands)

    def no(self, operand: Expr) -> Not:
        return Not(operand, self.write(f"not {self.at(operand)}"))

    def call(self, name: str, *arguments: Expr) -> DefinitionCall:
        return DefinitionCall(name, arguments, self.definitions[name].body.type, self.write(name))

    def one_of(self, item: Expr, *members: Any) -> OneOf:
        return OneOf(item, tuple(self.to(m, item) for m in members), self.write("in"))

    def contains(self, container: Expr, item: Any) -> Contains:
        return Contains(container, self.to(item, container), self.write("contains"))

    def matches(self, operand: Expr, regex: str) -> Matches:
        return Matches(operand, regex, self.write(f"{self.at(operand)} matches /{regex}/"))

    def present(self, operand: Expr, present: bool = True) -> Present:
        return Present(operand, present, self.write(f"{self.at(operand)} is {'present' if present else 'absent'}"))

    def arithmetic(self, left: Expr, op: str, right: Any, kind: Type) -> Arithmetic:
        return Arithmetic(op, left, self.to(right, left), kind, self.write(f"{op}"))  # type: ignore[arg-type]

    def choose(self, condition: Expr, then: Any, otherwise: Any) -> IfElse:
        a, b = self.to(then, condition), self.to(otherwise, condition)
        return IfElse(condition, a, b, a.type, self.write("if"))

    def field(self, base: Expr, name: str) -> Field:
        assert isinstance(base.type, RecordType)
        found = base.type.field(name)
        assert found is not None
        return Field(base, name, found.type, self.write(f"{self.at(base)}.{name}"))

    def item(self, base: Expr, key: Any) -> Item:
        assert isinstance(base.type, ListType)
        return Item(base, self.to(key, base), base.type.element, self.write(f"{self.at(base)}[…]"))

    def variable(self, name: str, kind: Type) -> Variable:
        return Variable(name, kind, self.write(name))

    def quantified(self, word: Literal["any", "all", "no"], name: str, xs: Expr, body: Expr) -> Quantified:
        return Quantified(word, (name,), (xs,), body, self.write(f"{word} {name}"))

    def fold(self, word: Literal["count", "sum", "first"], name: str, xs: Expr, body: Expr) -> Fold:
        assert isinstance(xs.type, ListType)
        kind: Type = xs.type.element if word == "first" else (body.type if word == "sum" else INT)
        return Fold(word, name, xs, body, kind, self.write(f"{word} {name}"))

    def size(self, xs: Expr) -> Size:
        return Size(xs, self.write("count"))

    # ---- duties ----------------------------------------------------------------------------------------------------

    def require(self, path: str, guard: Expr | None = None, kind: Literal["require", "optional"] = "require") -> Duty:
        return Duty(kind, path, "", guard, None, "normal", None, (HELLO,), self.write(f"{kind} {path}"))

    def forbid(self, path: str, guard: Expr | None = None) -> Duty:
        return Duty("forbid", path, "", guard, None, "normal", None, (HELLO,), self.write(f"forbid {path}"))

    def rule(self, path: str, guard: Expr | None = None) -> Rule:
        return Rule(path, "", guard, None, "normal", Never(HELLO, None, None), self.write(f"rule {path}"))

    def step(self, path: str, guard: Expr | None, *body: Node) -> Step:
        return Step(path, "", guard, None, (), body, self.write(f"step {path}"))

    def branch(self, path: str, guard: Expr | None, *body: Node) -> Branch:
        return Branch(path.split(".")[-1], path, "", guard, None, body, self.write(f"branch {path}"))

    def decide(self, path: str, *branches: Branch, guard: Expr | None = None, partial: bool = False) -> Decide:
        return Decide(path, "", partial, guard, None, branches, self.write(f"decide {path}"))

    def option(self, path: str, *body: Node) -> Option:
        return Option(path.split(".")[-1], path, "", body, self.write(f"option {path}"))

    def any_of(self, path: str, *options: Option, guard: Expr | None = None) -> AnyOf:
        return AnyOf(path, "", guard, None, options, self.write(f"any of {path}"))

    def for_each(self, path: str, variable: str, xs: Expr, guard: Expr | None, *body: Node) -> ForEach:
        assert isinstance(xs.type, ListType)
        return ForEach(path, variable, xs, xs.type.element, guard, body, self.write(f"for each {path}"))

    def order(self, earlier: str, later: str, depth: int = 0) -> None:
        span = self.write(f"order {earlier} before {later}")
        self.orders.append(Order(earlier, later, None, depth, None, "normal", span))

    def contract(self, *body: Node) -> Contract:
        return Contract(
            "test", "", 1, Source("test.contract", self.text), "", {}, {}, {}, {}, {}, self.attributes, {}, self.definitions,
            {}, {}, body, tuple(self.orders), {}, None, (), (),
        )  # fmt: skip


def record(name: str, **fields: Type) -> RecordType:
    return RecordType(name, tuple(RecordField(n, t) for n, t in fields.items()))


def enum(*members: str) -> EnumType:
    return EnumType("", members)


def codes(diagnostics: Sequence[Any]) -> list[str]:
    return [d.code for d in diagnostics]
