"""A small contract to write into, and the files it names."""

from collections.abc import Callable
from pathlib import Path

import pytest

from servanda.contracts.load import load_text
from servanda.contracts.model import Contract
from servanda.grammar.diagnostic import Diagnostic, Refusal

BASE = """language 1
contract desk "A desk" version 1
source policy "policy.md"
enum Status { pending, delivered, "return requested" }
record Line { id: string  price: decimal(2) }
record Order { order_id: string  customer: string  status: Status  total: decimal(2)  placed: date
               items: list of Line max 5  note: string optional }
tool get_order(order_id: string) -> Order reads
tool get_user(user_id: string  name: string optional) reads
tool pay(order_id: string  amount: decimal(2)  reason: enum { late, broken } optional  tags: list of string max 3)
  -> { ok: bool  due: date  message: string } writes
tool cancel(order_id: string  amount: string optional) -> { ok: bool } writes
tool think(thought: string) neutral
class order_writes = pay, cancel
query {
  order_id: string
  verified: bool
  status: Status
  age: int in 0 .. 100
  amount: decimal(2) in 0 .. 2000
  bought: date
  today: date
  items: list of Line max 6
  hint: string optional
}
label affirms: bool on message user
label flagged: bool on call pay
define big = amount > 500
define over(n) = amount > n
define arrived = order(order_id).status == delivered
view order(id) = last get_order(order_id: id)
view paid = last call pay
event consent = message user where affirms
event paying(id) = attempt pay where args.order_id == id

require lookup by call get_order where args.order_id == order_id
optional note by message assistant where text matches /note/
decide outcome {
  branch refund when big and verified {
    require pay by call pay where args.order_id == order_id and args.amount <= order(order_id).total
    require tell by message assistant
  }
  branch deny otherwise {
    require tell by message assistant where text matches /cannot/
    forbid no_pay by attempt pay
  }
}
for each line in items if line.price > 10 {
  require check by call get_user where args.user_id == line.id
}
any of way {
  option phone { require ring by message assistant where text matches /call/ }
  option mail { require post by message assistant where text matches /mail/ }
}
order lookup before outcome.refund.pay within 3 turns
rule own attempt pay only if order(args.order_id).status == delivered
output json {
  field decision: enum { refund, deny }
  field refunded: decimal(2) optional
  rule agree output.decision == refund iff big
}
test "all well" {
  query { order_id: "A1"  verified: true  age: 3  amount: 600  bought: 2026-05-01  items: [{ id: "a"  price: 1.50 }] }
  call get_order { order_id: "A1" } -> { order_id: "A1"  customer: "c"  status: delivered  total: 600  placed: 2026-01-01  items: [] }
  turn { message assistant "note"  call pay { order_id: "A1"  amount: 600  tags: [] } -> { ok: true  due: 2026-02-01  message: "m" } }
  message user "yes" { affirms: true }
  expect conforms
}
"""
"""A contract without a fault; tests add lines behind it, or replace some."""

MORE = """
step s "A step" if verified from policy:1 {
  require one severity low exclusive by call get_user where args.user_id == order_id and args.name is present
  optional two shared by message assistant where text matches /two/ or by call think
  order one before two within 2 events
}
rule r_one "Once" severity high at most 1 any of { call pay  call cancel } per args.order_id
rule r_two each call pay as p where p.args.amount > 1 needs earlier event consent since message assistant within 9 turns
rule r_three never message user after call pay before call cancel
success pay when result.ok
extra order_writes forbidden, reads forbidden
repair pay { immutable /order_id  budget 1 operations, 2 attempts  values /amount from order(args.order_id).total, conversation  monotone  rule cap args.amount > 0 }
test "another" {
  query { order_id: "A"  verified: false }
  failed pay { order_id: "A" } -> "Error"
  message user "x" { affirms: false }
  open
  expect undecided on amount
  expect inactive outcome.refund
}
"""
"""More of the language, to stand behind `BASE`."""

POLICY = "Look the order up.\n\nPay at most the total.\n"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A folder with the prose file."""
    (tmp_path / "policy.md").write_text(POLICY, "utf-8")
    return tmp_path


@pytest.fixture
def whole(base: Path) -> Callable[..., Contract]:
    """The contract of a text, of `BASE` with lines behind it or with a passage replaced."""

    def load(more: str = "", *, old: str = "", new: str = "") -> Contract:
        return load_text(edited(more, old, new), "desk.contract", base)[0]

    return load


@pytest.fixture
def said(base: Path) -> Callable[..., tuple[Diagnostic, ...]]:
    """Everything said about such a contract, refused or not."""

    def load(more: str = "", *, old: str = "", new: str = "") -> tuple[Diagnostic, ...]:
        try:
            return load_text(edited(more, old, new), "desk.contract", base)[1]
        except Refusal as refusal:
            return refusal.diagnostics

    return load


def edited(more: str, old: str, new: str) -> str:
    """`BASE` with a passage replaced and lines behind it."""
    assert not old or BASE.count(old) == 1, old
    return (BASE.replace(old, new) if old else BASE) + more


@pytest.fixture(scope="module")
def wide() -> str:
    """A contract with nearly every construct that is supported."""
    return BASE + MORE
