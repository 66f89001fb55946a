"""fio's JSON (2.1 on) as measurements, one per group of jobs. Never guesses: unrecorded or unmergeable values are None,
oddities are warnings. fio's stat.c, client.c, manual.
"""

import math
import os
import re
from collections.abc import Iterable, Sequence

from raidtui.core.fio import entry as fio_entry
from raidtui.core.fio import text as fio_text
from raidtui.core.fio.biases import biases
from raidtui.core.fio.measurement import FIO, Direction, Measurement, OfTarget, Status

# A job is never told to stop before its time; the margin is for fio's clock.
_WHOLE_SHARE = 0.98
_MOST_WARNINGS = 12
_OF_EACH, _LARGEST = ("50", "99", "99.9"), "100"


class FioResultError(ValueError):
    """One sentence: no fio result, and what the text is."""


def parse(text: str, name: str, exit_status: int = 0, *, foreign: bool = False) -> tuple[Measurement, ...]:
    """Of the last complete document. `text` may contain other lines and documents (`--status-interval`, cumulative).
    `exit_status`: negative for a signal. `foreign`: of no run of ours: what biases it is a warning. Several groups:
    `name: jobs`. FioResultError, one sentence, without a result.
    """
    output = fio_text.read(fio_text.with_plain_errors(text))
    if not output.documents:
        raise FioResultError(f"{name}: {_no_result(text, output)}")
    document = output.documents[-1]
    entries, joined_by_fio = fio_entry.entries(document)
    jobs = [fio_entry.read_job(entry, document) for entry in entries]
    if not jobs:
        raise FioResultError(f"{name}: fio's result holds no job{_fio_message(output.words)}.")
    groups: dict[int, list[fio_entry.JobEntry]] = {}
    for job in jobs:
        groups.setdefault(job.group, []).append(job)
    version = document.get("fio version")
    general = _general_warnings(output)
    signalled = exit_status < 0 or exit_status >= 128 or any("terminating on signal" in w for w in output.words)
    failed_alone = exit_status > 0 and not signalled and not any(job.error for job in jobs)
    results = []
    for group in groups.values():
        warnings: list[str] = []
        error = _error(group, output.words) or killed(output.words)
        if failed_alone:
            error = f"fio ended with status {exit_status}{_fio_message(output.words)}"
        status = _status(group, error, signalled, output.cut, warnings)
        if foreign:
            warnings += [text for job in group for text in (*biases(job.options), *fio_entry.depth_words(job))]
        results.append(
            Measurement(
                name=name if len(groups) == 1 else _group_name(name, group),
                status=status,
                error=error,
                fio_version=version if isinstance(version, str) else "",
                rw=fio_entry.shared([fio_entry.rw(job) for job in group]) or "",
                bs_bytes=fio_entry.shared(fio_entry.block_bytes(job) for job in group),
                iodepth=fio_entry.shared(fio_entry.iodepth(job) for job in group),
                numjobs=None if joined_by_fio else _numjobs(group),
                runtime_ms=round(max(job.runtime_ms for job in group)) or None,
                targets=tuple(dict.fromkeys(target for job in group for target in fio_entry.targets(job.options))),
                read=_direction(group, "read", warnings),
                write=_direction(group, "write", warnings),
                mixed=_direction(group, "mixed", warnings),
                cpu={FIO: max(used)} if (used := [job.cpu for job in group if job.cpu is not None]) else {},
                warnings=tuple(dict.fromkeys([*warnings, *general]))[:_MOST_WARNINGS],
                window_s=fio_entry.window_s(document, group),
                each=_each(group, output.words),
                flushes=group[0].flushes if len(group) == 1 else None,
                level_s=group[0].level_s if len(group) == 1 else 0.0,
            )
        )
    return tuple(results)


def _group_name(name: str, group: list[fio_entry.JobEntry]) -> str:
    return f"{name}: {', '.join(dict.fromkeys(job.name for job in group))}"


def _no_result(text: str, output: fio_text.Output) -> str:
    if not text.strip():
        return "not fio JSON: the file is empty"
    if output.fault:
        return f"fio's result is broken in {output.fault}"
    if output.cut:
        return "truncated fio JSON: no value in it can be trusted"
    first_words = output.words[0] if output.words else " ".join(text.split())
    return f"not fio JSON, begins with {first_words[:120]!r}; run fio with --output-format=json"


def _fio_message(words: Iterable[str]) -> str:
    about = next((word for word in words if _is_error(word)), "")
    return f": {about[:300]}" if about else ""


_ERR = re.compile(r"\berr= *(-?[0-9]+)")


def _is_error(word: str) -> bool:
    """ "err= 0" is in each line of a good job."""
    if err := _ERR.search(word):
        return err[1] != "0"
    return "error" in word.lower() or "failed" in word


def _general_warnings(output: fio_text.Output) -> list[str]:
    warnings = [
        word[:300]
        for word in output.words
        if (word.lower().startswith(("fio:", "note:", "warning")) or _is_error(word))
        and "terminating on signal" not in word
        and "got signal=" not in word  # `killed` has it
    ]
    names = [{str(entry.get("jobname")) for entry in fio_entry.entries(document)[0]} for document in output.documents]
    other_jobs = sum(not earlier <= names[-1] for earlier in names)
    if other_jobs:
        warnings.insert(0, f"results of other jobs precede this one in the file ({other_jobs}); omitted")
    if output.cut:
        why = f"broken in {output.fault}" if output.fault else "truncated"
        warnings.insert(0, f"fio's last document is {why}; these figures are of the one before it")
    return warnings


def _direction(group: list[fio_entry.JobEntry], key: str, warnings: list[str]) -> Direction | None:
    """Merged like `group_reporting`: all bytes and operations over the longest runtime (a sum of rates would exceed the
    real one). Mean latency is weighted by operations; percentiles of one job, or from all bins (`json+`), never
    averaged.
    """
    transfers = [job.transfers[key] for job in group if key in job.transfers]
    if any(transfer.doubtful for transfer in transfers):
        warnings.append(f"fio's own figures of its {key}s contradict each other: the file may be damaged")
    if not transfers:
        return None
    if len(transfers) == 1:
        only_transfer = transfers[0]
        return Direction(
            iops=only_transfer.iops,
            bytes_per_s=only_transfer.bytes_per_s,
            io_bytes=only_transfer.io_bytes,
            lat_mean_ns=only_transfer.lat_mean_ns,
            lat_percentiles_ns=only_transfer.percentiles_ns,
            fio_iops=_fio_iops(transfers),
            lat_max_ns=only_transfer.lat_max_ns,
            lat_mean_of=only_transfer.lat_mean_of,
            lat_percentiles_of=only_transfer.percentiles_of,
        )
    longest_ms = max(transfer.runtime_ms for transfer in transfers)
    ios = sum(transfer.ios for transfer in transfers)
    io_bytes = sum(transfer.io_bytes for transfer in transfers)
    means = [transfer.lat_mean_ns * transfer.ios for transfer in transfers if transfer.lat_mean_ns is not None]
    return Direction(
        iops=ios * 1000 / longest_ms,
        bytes_per_s=io_bytes * 1000 / longest_ms,
        io_bytes=io_bytes,
        lat_mean_ns=sum(means) / ios if len(means) == len(transfers) and ios else None,
        lat_percentiles_ns=_merged_percentiles(transfers),
        fio_iops=_fio_iops(transfers),
        lat_max_ns=max((transfer.lat_max_ns or 0.0 for transfer in transfers), default=0.0) or None,
        lat_mean_of=fio_entry.shared(transfer.lat_mean_of for transfer in transfers) or "",
        lat_percentiles_of=fio_entry.shared(transfer.percentiles_of for transfer in transfers) or "",
    )


def _fio_iops(transfers: list[fio_entry.Transfer]) -> float | None:
    if all(transfer.ios == transfer.counted_ios for transfer in transfers):
        return None
    return (
        sum(transfer.counted_ios for transfer in transfers) * 1000 / max(transfer.runtime_ms for transfer in transfers)
    )


def _merged_percentiles(transfers: list[fio_entry.Transfer]) -> dict[str, float] | None:
    """First bin that reaches the share of all operations (stat.c)."""
    if not all(transfer.bins_ns and transfer.percentiles_ns for transfer in transfers):
        return None
    merged: dict[float, int] = {}
    for transfer in transfers:
        for value_ns, count in transfer.bins_ns.items():
            merged[value_ns] = merged.get(value_ns, 0) + count
    total = sum(merged.values())
    points = [
        p
        for p in transfers[0].percentiles_ns or {}
        if all(p in (transfer.percentiles_ns or {}) for transfer in transfers)
    ]
    percentiles_ns = {}
    for point in points:
        rank = math.ceil(total * float(point) / 100)
        reached = 0
        for value_ns in sorted(merged):
            reached += merged[value_ns]
            if reached >= rank:
                percentiles_ns[point] = value_ns
                break
    return percentiles_ns or None


def _each(group: list[fio_entry.JobEntry], words: Sequence[str]) -> dict[str, OfTarget]:
    """Of jobs that fio did not merge, each with one target; of one target alone only if they verify."""
    by_target: dict[tuple[str, ...], list[fio_entry.JobEntry]] = {}
    for job in group:
        by_target.setdefault(fio_entry.targets(job.options), []).append(job)
    verify = all(job.options.get("verify") for job in group)
    merged = any("group_reporting" in job.options for job in group)
    if merged or killed(words) or any(len(names) != 1 for names in by_target) or (len(by_target) < 2 and not verify):
        return {}
    return {
        names[0]: OfTarget(
            read_bytes=_moved_bytes(jobs, "read"),
            written_bytes=_moved_bytes(jobs, "write"),
            error=_error(jobs, words) or "",
            percentiles_ns=_percentiles(jobs),
        )
        for names, jobs in by_target.items()
    }


def _percentiles(jobs: list[fio_entry.JobEntry]) -> dict[str, float]:
    several = [[job.transfers[key] for job in jobs if key in job.transfers] for key in ("read", "write")]
    transfers = max(several, key=lambda of_key: sum(transfer.ios for transfer in of_key))
    merged = _merged_percentiles(transfers) if len(transfers) > 1 else transfers and transfers[0].percentiles_ns
    largest_ns = max((transfer.lat_max_ns or 0.0 for transfer in transfers), default=0.0)
    if not merged or not largest_ns:
        return {}
    return {**{point: merged[point] for point in _OF_EACH if point in merged}, _LARGEST: largest_ns}


def _moved_bytes(jobs: list[fio_entry.JobEntry], key: str) -> int:
    return sum(job.transfers[key].io_bytes for job in jobs if key in job.transfers)


def _error(group: list[fio_entry.JobEntry], words: Iterable[str]) -> str | None:
    for job in group:
        if job.error:
            why = os.strerror(job.error) if 0 < job.error < 4096 else f"error {job.error}"
            why = fio_text.with_plain_errors(why)
            own_words = _fio_message(word for word in words if why in word)
            return f"job {job.name!r}: {why}{f' ({own_words[2:]})' if own_words else ''}"
    return None


def killed(words: Iterable[str]) -> str | None:
    """Jobs killed by a signal, in fio's words: its JSON lacks their share. fio names the process, not the job
    (backend.c, reap_threads), so all groups of the text are excluded.
    """
    signals = [word for word in words if "got signal=" in word]
    if not signals:
        return None
    count = "a job was" if len(signals) == 1 else f"{len(signals)} jobs were"
    return f"{count} killed ({'; '.join(signals)[:300]})"


def _status(
    group: list[fio_entry.JobEntry], error: str | None, signalled: bool, cut: bool, warnings: list[str]
) -> Status:
    """Worst first; reasons go to `warnings`."""
    if "mixed" in {key for job in group for key in job.transfers if {"read", "write"}.isdisjoint(job.transfers)}:
        warnings.append("reads and writes are one figure (unified_rw_reporting)")
    if any(job.passed_over for job in group):
        count = sum(job.passed_over for job in group)
        warnings.append(f"{count} failed operations were passed over (continue_on_error)")
    trims = sum(job.transfers["trim"].iops for job in group if "trim" in job.transfers)
    if trims:
        warnings.append(f"trims are ignored (fio: {trims:.0f} IOPS)")
    if error:
        return "failed"
    early = [why for job in group if (why := _early(job, warnings))]
    timed = any(_asked_ms(job) for job in group)
    if signalled and (early or not timed):
        warnings.append("fio was stopped before its end")
        return "interrupted"
    if not any(job.transfers for job in group):
        warnings.append("fio reports no operation at all")
        return "incomplete"
    warnings.extend(early)
    only_trims = all(job.transfers.keys() <= {"trim"} for job in group)
    return "incomplete" if early or cut or only_trims else "ok"


def _asked_ms(job: fio_entry.JobEntry) -> float:
    return 1000 * (fio_text.parse_seconds(job.options.get("runtime", "")) or 0.0)


def _early(job: fio_entry.JobEntry, warnings: list[str]) -> str:
    """Why a job's runtime is not as asked; "" if it is, or ended by its own rule. `time_based` has no value and is not
    printed: a job counts as done only if it moved exactly its size.
    """
    asked_ms = _asked_ms(job)
    if not asked_ms or job.runtime_ms >= asked_ms * _WHOLE_SHARE or job.level_s:
        return ""
    ran = f"ran {job.runtime_ms / 1000:g} s of the {asked_ms / 1000:g} s asked for"
    if _did_its_size(job):
        warnings.append(f"job {job.name!r} {ran}: its size was done by then")
        return ""
    return f"job {job.name!r} {ran}"


def _did_its_size(job: fio_entry.JobEntry) -> bool:
    size = next((job.options[key] for key in ("io_size", "io_limit", "size") if key in job.options), "")
    size_bytes = fio_text.parse_bytes(size, job.options.get("kb_base", "1024"))
    if not size_bytes or job.options.get("time_based", "0") != "0":
        return False
    block = fio_entry.block_bytes(job) or 4096
    moved = sum(transfer.io_bytes for transfer in job.transfers.values())
    whole_bytes = size_bytes * fio_entry.whole_option(job.options, "loops", 1)
    clones = {1, job.threads, fio_entry.whole_option(job.options, "numjobs", 1)}
    return any((whole_bytes - block) * count <= moved <= whole_bytes * count for count in clones)


def _numjobs(group: list[fio_entry.JobEntry]) -> int | None:
    """Clones repeat `numjobs`, unless merged by fio."""
    if not any(job.options for job in group):
        return len(group)
    names: dict[str, list[fio_entry.JobEntry]] = {}
    for job in group:
        names.setdefault(job.name, []).append(job)
    return sum(
        max(job_entry.threads, fio_entry.whole_option(job_entry.options, "numjobs", 1))
        if not clones
        else 1 + len(clones)
        for job_entry, *clones in names.values()
    )
