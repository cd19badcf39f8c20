"""The retail desk over the 114 public runs: every run is judged, and the rules find what a count of their own finds.

The count reads the files directly and knows nothing of contracts. Where a rule hangs on a label that nobody made, it counts what is certain
without the label. Numbers that documentation or earlier reading of the runs gave are asserted as they are.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NOTE = ROOT / "docs/library.md"
FILE = "tau_bench/retail_trajectories_toolorchestra_tau2.jsonl"
MODIFY = {"modify_pending_order_address", "modify_pending_order_payment", "modify_pending_order_items"}
SWAP = {"modify_pending_order_items", "exchange_delivered_order_items"}
DELIVERED = {"return_delivered_order_items", "exchange_delivered_order_items"}
ORDER_WRITES = {"cancel_pending_order"} | MODIFY | DELIVERED
CHANGES = ORDER_WRITES | {"modify_user_address"}
PRICED = SWAP | {"return_delivered_order_items", "modify_pending_order_payment"}
LABELS = {"affirms", "asks_all_items", "denial", "lists_action", "made_up", "personal_data", "reason_given", "wish"}
HANGING = (
    "r3_foreign_denied",
    "r4_yes",
    "r5_nothing_made_up",
    "r8b_forbidden_denied",
    "r11_reason_given",
    "r17_reminder",
)
"""Rules that say nothing without labels."""
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """A message (`tool` empty) or a call, as the file has it."""

    turn: int
    role: str
    text: str
    tool: str
    args: Record
    ok: bool
    result: Any


def events(record: Record) -> list[Seen]:
    """Results follow their calls in the order of the calls; an error begins with `Error`."""
    found: list[Seen] = []
    turn = 0
    open_calls: list[Record] = []
    for message in record["messages"]:
        if message["role"] == "tool":
            call = open_calls.pop(0)
            assert call["name"] == message["name"]
            text = message["content"]
            try:
                result = json.loads(text)
            except ValueError:
                result = text
            found.append(Seen(turn, "", "", call["name"], call["arguments"], not text.startswith("Error"), result))
            continue
        turn += 1
        if message["content"]:
            found.append(Seen(turn, message["role"], message["content"], "", {}, True, None))
        open_calls = list(message.get("tool_calls") or [])
    return found


class Count:
    """What the rules find in one run, by rule."""

    def __init__(self, run: Iterable[Seen]) -> None:
        self.run = list(run)
        self.found: Counter[str] = Counter()
        for event in self.run:
            if event.tool:
                self.call(event)
        calls = [e for e in self.run if e.tool]
        self.note("r6_one_call", sum(n > 1 for n in Counter(e.turn for e in calls).values()))
        self.once("r16_items_once", [e for e in calls if e.tool == "modify_pending_order_items" and e.ok])
        self.once("r25_once", [e for e in calls if e.tool in DELIVERED and e.ok])

    def note(self, rule: str, broken: int | bool) -> None:
        if broken:
            self.found[rule] += int(broken)

    def once(self, rule: str, calls: list[Seen]) -> None:
        self.note(rule, sum(n > 1 for n in Counter(e.args["order_id"] for e in calls).values()))

    def before(self, event: Seen, wanted: Callable[[Seen], bool]) -> list[Seen]:
        return [e for e in self.run if e.turn < event.turn and wanted(e)]

    def after(self, event: Seen, wanted: Callable[[Seen], bool]) -> list[Seen]:
        return [e for e in self.run if e.turn > event.turn and wanted(e)]

    def read(self, event: Seen, tool: str, **args: str) -> bool:
        return bool(self.before(event, lambda e: e.tool == tool and e.ok and args.items() <= e.args.items()))

    def said(self, event: Seen, text: str) -> bool:
        return bool(self.before(event, lambda e: e.role == "assistant" and text in e.text))

    def says(self, event: Seen, pattern: str) -> bool:
        return bool(self.after(event, lambda e: e.role == "assistant" and re.search(pattern, e.text) is not None))

    def call(self, event: Seen) -> None:
        who = [e.result for e in self.before(event, is_identity)]
        customer = who[-1] if who else None
        tool, args = event.tool, event.args
        self.note("r1_identity_first", not who and tool in CHANGES | {"get_user_details", "get_order_details"})
        self.note("r31_products_after", not who and tool in {"get_product_details", "list_all_product_types"})
        if is_identity(event):
            self.note("r2_one_account", bool(self.after(event, lambda e: is_identity(e) and e.result != event.result)))
        if "user_id" in args:
            self.note("r2_own_account", args["user_id"] != customer)
        if tool in CHANGES:
            words = self.before(event, lambda e: e.role == "assistant")
            since = words[-1].turn if words else 0
            self.note("r4_yes", not self.before(event, lambda e: e.role == "user" and e.turn > since))
        if tool == "modify_user_address":
            self.note("r4_home_set_out", not self.said(event, args["zip"]))
        if tool in ORDER_WRITES:
            self.order_write(event, customer)
        if tool == "transfer_to_human_agents":
            self.note("r8_notice", not self.says(event, "TRANSFERRED TO A HUMAN AGENT"))
            self.note("r8_nothing_after", bool(self.after(event, lambda e: bool(e.tool))))
        if tool in {"cancel_pending_order", "modify_pending_order_payment"} and event.ok:
            gift = event.result["payment_history"][0]["payment_method_id"].startswith("gift_card_")
            soon = "(?i)(immediate|at once|right away)" if gift else "5\\s*(to|-|\u2013|\u2011)\\s*7"
            self.note("r28_refund_time", not self.says(event, soon))
        if tool in DELIVERED and event.ok:
            self.note("r29_email", not self.says(event, "(?i)e.?mail"))
        if tool == "get_order_details" and event.ok:
            items = {i["item_id"] for i in event.result["items"]}
            mixed = self.after(event, lambda e: e.tool == "get_product_details" and e.args["product_id"] in items)
            self.note("r30_no_item_number", bool(mixed))

    def order_write(self, event: Seen, customer: str | None) -> None:
        tool, args, order_id = event.tool, event.args, event.args["order_id"]
        known = self.before(
            event, lambda e: e.ok and e.tool in ORDER_WRITES | {"get_order_details"} and e.args["order_id"] == order_id
        )
        order: Record = known[-1].result if known else {}
        status = order.get("status")
        items = [i["item_id"] for i in order.get("items", [])]
        methods = [p["payment_method_id"] for p in order.get("payment_history", [])]
        self.note("r2_own_orders", customer is None or order.get("user_id") != customer)
        self.note("r4_set_out", not self.said(event, order_id))
        self.note("r9_read_first", not self.read(event, "get_order_details", order_id=order_id))
        self.note("r10_cancel_pending", tool == "cancel_pending_order" and status != "pending")
        self.note("r13_change_pending", tool in MODIFY and status != "pending")
        self.note("r21_return_delivered", tool == "return_delivered_order_items" and status != "delivered")
        self.note("r24_exchange_delivered", tool == "exchange_delivered_order_items" and status != "delivered")
        if tool in SWAP | DELIVERED:
            own = all(args["item_ids"].count(i) <= items.count(i) for i in args["item_ids"])
            self.note("r19_own_items" if tool in SWAP else "r22_own_items", not own)
        if tool in SWAP:
            self.note("r19_as_many", len(args["item_ids"]) != len(args["new_item_ids"]))
            pairs = zip(args["item_ids"], args["new_item_ids"], strict=False)
            self.note("r19_another_item", any(old == new for old, new in pairs))
            products = [i["product_id"] for i in order.get("items", []) if i["item_id"] in args["item_ids"]]
            read = [self.read(event, "get_product_details", product_id=p) for p in products]
            self.note("r19_product_read", not order or not all(read))
        if tool in PRICED:
            account = customer is not None and self.read(event, "get_user_details", user_id=customer)
            self.note("r20_known_method", not account and args["payment_method_id"] not in methods)
        if tool == "return_delivered_order_items":
            method = args["payment_method_id"]
            self.note("r23_refund_method", method not in methods and not method.startswith("gift_card_"))
        if tool == "modify_pending_order_payment":
            self.note("r14_other_method", not methods or args["payment_method_id"] == methods[0])
        if tool == "modify_pending_order_items" and event.ok:
            other = (ORDER_WRITES - DELIVERED) - {"modify_pending_order_items"}
            late = self.after(event, lambda e: e.tool in other and e.args["order_id"] == order_id)
            self.note("r16_nothing_after", bool(late))


def is_identity(event: Seen) -> bool:
    return event.tool.startswith("find_user_id_") and event.ok


def task_of(record: Record, records: list[Record]) -> str:
    """The task a run was really about.

    The file gives its runs the task with the number of their line, and so the gold actions of another run; the checks of the reward name the
    right one: `89_0` is action 0 of task 89, and numbers above 95 are one higher than the task's. A run without checks has a task without
    gold actions, told by what it had to say.
    """
    for check in record["reward_detail"]["action_checks"]:
        number = check["action_id"].partition("_")[0]
        if number.isdigit():
            return str(int(number) - (int(number) > 95))
    told = sorted(c["info"] for c in record["reward_detail"]["communicate_checks"])
    (task,) = [r["task_id"] for r in records if not r["gold_actions"] and sorted(r["communicate_info"]) == told]
    return str(task)


@pytest.fixture(scope="module")
def records(data: Path) -> list[Record]:
    path = data / FILE
    if not path.is_file():
        pytest.skip(f"no {FILE} in the data")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def rejoined(records: list[Record]) -> list[Record]:
    """The runs with the gold actions of their own task."""
    tasks = {r["task_id"]: r for r in records}
    joined = []
    for record in records:
        task = tasks[task_of(record, records)]
        joined.append({**record, "task_id": task["task_id"], "gold_actions": task["gold_actions"]})
    return joined


def evaluated(runs: list[Record], folder: Path, library: Path) -> Record:
    """The report of `contract eval` over some records."""
    from servanda.cli.app import main

    traces, report = folder / "runs.jsonl", folder / "report.json"
    traces.write_text("".join(json.dumps(r) + "\n" for r in runs), encoding="utf-8")
    main(["eval", str(library / "tau_retail.contract"), str(traces), "--format", "json", "--out", str(report)])
    found: Record = json.loads(report.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def as_recorded(records: list[Record], library: Path, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """The report over the runs as the file has them."""
    return evaluated(records, tmp_path_factory.mktemp("recorded"), library)


@pytest.fixture(scope="module")
def joined_anew(rejoined: list[Record], library: Path, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """The report over the runs with the gold actions of their own task."""
    return evaluated(rejoined, tmp_path_factory.mktemp("joined"), library)


@pytest.fixture(scope="module")
def counts(records: list[Record]) -> dict[str, Counter[str]]:
    """What the count finds, by run."""
    return {r["id"]: Count(events(r)).found for r in records}


def broken(report: Record) -> dict[str, set[str]]:
    """Rule to the runs that break it for certain. Findings of `only if` rules at one event are listed under one of them."""
    found: dict[str, set[str]] = {}
    for trace in report["traces"]:
        for finding in trace["findings"]:
            if finding["kind"] == "invariant":
                found.setdefault(finding["element"], set()).add(trace["id"])
    return found


def test_the_gold_actions_of_the_file_belong_to_other_runs(records: list[Record], rejoined: list[Record]) -> None:
    """Known to be wrong in the file: 113 of 114 runs carry the task of another run. Joined anew, all checks fit."""
    assert len({r["task_id"] for r in rejoined}) == len(records) == 114
    assert sum(a["task_id"] != b["task_id"] for a, b in zip(records, rejoined, strict=True)) == 113
    for record in rejoined:
        assert len(record["gold_actions"]) == len(record["reward_detail"]["action_checks"])


def test_no_run_is_skipped_and_no_result_is_ill_typed(as_recorded: Record, joined_anew: Record) -> None:
    for report in (as_recorded, joined_anew):
        assert report["skipped"] == []
        assert len(report["traces"]) == 114
        notes = {n for t in report["traces"] for n in t.get("notes", ())}
        expected = (
            "query from gold actions",
            "a text was taken out of the JSON",
            "left out of the requests, which have no such field: summary",
        )
        assert [n for n in sorted(notes) if not n.startswith(expected)] == []


def test_rules_find_what_the_count_finds(
    as_recorded: Record, joined_anew: Record, counts: dict[str, Counter[str]]
) -> None:
    """In the same runs, and as often; the query does not matter to them."""
    counted: dict[str, set[str]] = {}
    for run, found in counts.items():
        for rule in found:
            counted.setdefault(rule, set()).add(run)
    times = sum(counts.values(), Counter[str]())
    for report in (as_recorded, joined_anew):
        assert broken(report) == counted
        assert {rule: c["violated"] for rule, c in report["rules"].items() if c["violated"]} == times


def test_numbers_known_from_reading_the_runs(records: list[Record], counts: dict[str, Counter[str]]) -> None:
    """Of the 96 runs with reward 1, 69 make two calls in one turn, 5 act on data of somebody not yet identified, 3 choose an item of a product
    that was not read, and 1 exchanges an item for itself."""
    rewarded = [counts[r["id"]] for r in records if r["reward"] == 1]
    assert len(rewarded) == 96
    known = {"r6_one_call": 69, "r1_identity_first": 5, "r19_product_read": 3, "r19_another_item": 1}
    assert {rule: sum(rule in f for f in rewarded) for rule in known} == known


def test_documented_rates(
    records: list[Record], as_recorded: Record, joined_anew: Record, counts: dict[str, Counter[str]]
) -> None:
    note = NOTE.read_text(encoding="utf-8").partition("## Retail desk: the 114 public runs")[2]
    rewarded = {r["id"] for r in records if r["reward"] == 1}
    rows = {
        rule: tuple(map(int, numbers))
        for rule, *numbers in re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|", note, re.MULTILINE)
    }
    every = {rule for found in counts.values() for rule in found}
    assert rows == {
        rule: (
            sum(found[rule] for found in counts.values()),
            sum(rule in found for found in counts.values()),
            sum(rule in counts[run] for run in rewarded),
        )
        for rule in every
    }
    for column, report in enumerate((as_recorded, joined_anew), start=1):
        cells = {c[0]: c[column] for c in re.findall(r"^\| ([a-z ]+) \| ([^|]+) \| ([^|]+) \|$", note, re.MULTILINE)}
        for verdict, number in Counter(t["verdict"] for t in report["traces"]).items():
            assert cells[verdict] == str(number)
        for kind, number in Counter(f["kind"] for t in report["traces"] for f in t["findings"]).items():
            assert cells[kind.replace("_", " ")].split()[0] == str(number)


def test_runs_with_their_own_gold_actions(rejoined: list[Record], joined_anew: Record) -> None:
    """A run that did exactly the gold actions lacks no duty and makes no extra call."""
    report = {t["id"]: t for t in joined_anew["traces"]}
    exact = 0
    for record in rejoined:
        wanted = [(a["name"], a["arguments"]) for a in record["gold_actions"] if a["name"] in CHANGES]
        done = [(e.tool, e.args) for e in events(record) if e.tool in CHANGES and e.ok]
        handed = sum(e.tool == "transfer_to_human_agents" for e in events(record))
        asked = sum(a["name"] == "transfer_to_human_agents" for a in record["gold_actions"])
        if sorted(map(str, wanted)) == sorted(map(str, done)) and handed == asked:
            exact += 1
            assert {f["kind"] for f in report[record["id"]]["findings"]} <= {"invariant"}, record["id"]
    assert exact == 68


def test_runs_without_a_certain_fault_hang_on_labels(joined_anew: Record) -> None:
    """Nobody made the labels, so that no run conforms, and none hangs on anything else."""
    assert {t["verdict"] for t in joined_anew["traces"]} == {"violates", "undecided"}
    for trace in joined_anew["traces"]:
        if trace["verdict"] == "undecided":
            assert set(trace["undecided_on"]) <= LABELS
    for rule in HANGING:
        count = joined_anew["rules"][rule]
        assert count["undecided"] == count["activated"] > 0
