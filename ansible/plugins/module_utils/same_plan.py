# Copyright: the raidtui authors
# MIT License (see https://opensource.org/license/mit)
"""One code for all hosts whose plans are alike: the list of hosts and disks that a person reads, and why it does not
hold. Pure: reads nothing, imports nothing of Ansible."""

from __future__ import annotations

import hashlib
import json

GLOBAL = ("wwn-", "serial-")  # identities that two disks do not share
LEAST = 8  # characters of a text that stands for a disk in a plan's steps
PROMISE = "Everything on these disks will be lost, on every host."


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def steps_of(plan):
    """A digest of all that a plan does, its disks by number."""
    done = {key: plan[key] for key in ("recipe_title", "stages")}
    done["answers"] = {key: value for key, value in plan["answers"].items() if key != "disks"}
    text = json.dumps(done, sort_keys=True)
    for number, member in enumerate(plan["members"]):
        identity = member["id"]
        for name in (member["link"], identity, identity.partition("-")[2], member["serial"]):
            if len(name) >= LEAST:
                text = text.replace(json.dumps(name)[1:-1], f"disk {number}")
    return digest(text)


def listing(hosts):
    """What a person approves: each host with the code of its plan, its steps and disks."""
    listed = {}
    for host, offered in in_question(hosts).items():
        plan = offered["plan"]
        disks = [{key: member[key] for key in ("model", "serial", "size_bytes", "id")} for member in plan["members"]]
        listed[host] = {"code": plan["code"], "steps": steps_of(plan), "disks": disks}
    return listed


def code_of(listed):
    return digest(listed)[:8]


def codes(text, given):
    """The code of each host on a list, if a person gave that of the list; else none."""
    try:
        listed = json.loads(text) if text and given else {}
    except ValueError:
        return {}
    if not isinstance(listed, dict) or not listed or code_of(listed) != given:
        return {}
    return {host: row["code"] for host, row in listed.items()}


def in_question(hosts):
    """Those without a code of their own, with a plan that is not carried out yet."""
    return {host: offered for host, offered in hosts.items() if offered and offered["plan"] and not offered["own"]}


def why_not(hosts, listed):
    """Reasons, in words. `hosts`: what each of the play offers, or None. `listed`: codes that a person has approved."""
    own = "give this host its own code in commission_confirm"
    reasons = []
    planned = in_question(hosts)
    for host, offered in hosts.items():
        if not offered:
            reasons.append(f"{host} has no plan; play all hosts at once, without serial, or leave it out with --limit")
    for host, offered in planned.items():
        unfit = [reason for member in offered["plan"]["members"] if (reason := not_blank(member, offered["health"]))]
        reasons += [f"{host}: {reason}; {own}" for reason in unfit]
    if listed:
        again = "remove the code from commission_same_plan, and play to list again"
        theirs = {host for host, offered in hosts.items() if not (offered and offered["own"])}
        reasons += [f"{host} is not as listed; {again}" for host in sorted(theirs ^ set(listed))]
        reasons += [
            f"{host}: its plan is not the listed one; {again}"
            for host, offered in planned.items()
            if host in listed and offered["plan"]["code"] != listed[host]
        ]
    rows = listing(hosts)
    first = next(iter(rows), "")
    for host, row in rows.items():
        reasons += [f"{host} and {first}: {what}; {own}" for what in differing(row, rows[first])]
    seen = {}
    for host, row in rows.items():
        for disk in row["disks"]:
            there = seen.setdefault(disk["id"], host)
            if there != host and disk["id"].startswith(GLOBAL):
                reasons.append(f"{there} and {host}: both have the disk {disk['serial'] or disk['id']}; {own}")
    return reasons


def not_blank(member, health):
    """Why a disk is not known to be blank and healthy; "" if it is."""
    name = member["serial"] or member["id"]
    if member["found"] != "blank" or member["contents"] or member["partitions"] or member["warning"]:
        return f"{name} is not blank and free of warnings ({member['warning'] or member['found']})"
    fitness = [drive["judgement"]["fitness"] for drive in health if drive["id"] == member["id"]]
    if fitness != ["good"]:
        return f"the health of {name} is {fitness[0] if len(fitness) == 1 else 'not checked'}, not good"
    return ""


def differing(row, first):
    if len(row["disks"]) != len(first["disks"]):
        return ["other numbers of disks"]
    pairs = list(zip(row["disks"], first["disks"], strict=True))
    parts = [("model", "other models"), ("size_bytes", "other sizes")]
    found = [words for key, words in parts if any(one[key] != other[key] for one, other in pairs)]
    return found + (["other steps"] if row["steps"] != first["steps"] else [])


def lines_of(host, row):
    """A host and its disks, for a person."""
    yield f"{host}  plan {row['code']}"
    for disk in row["disks"]:
        yield f"  {disk['model']}  {disk['serial']}  {disk['size_bytes']} bytes  {disk['id']}"


def compared(hosts, listed):
    """`refused`: reasons; `txt`: the list for a person, its code at the end; `json`: the same for the next play;
    `shown`: the lines of each host."""
    rows = listing(hosts)
    shown = {host: list(lines_of(host, row)) for host, row in rows.items()}
    text = [f"{len(rows)} hosts, steps, models, sizes and counts equal, all disks blank and healthy:", ""]
    text += [line for lines in shown.values() for line in lines]
    text += ["", PROMISE, "Read the plan of one host, too. Code of this list:", code_of(rows), ""]
    return {
        "refused": why_not(hosts, listed),
        "txt": "\n".join(text),
        "json": json.dumps(rows, sort_keys=True, indent=1) + "\n",
        "shown": shown,
    }
