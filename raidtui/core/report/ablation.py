"""What explains a figure: effects with intervals, advice with its price; also as sentences for a screen."""

from collections.abc import Iterator

from raidtui.core.answer import numbers
from raidtui.core.page.blocks import Block, Bullets, Heading, PageTable
from raidtui.core.report.context import RunContext
from raidtui.core.results.ablation import Ablation, ArmEffect
from raidtui.core.results.analysis import test_title
from raidtui.core.results.differences import Difference
from raidtui.core.units import format_ms, format_number, shown_in, signed_percent

_FULL_EFFECT = 0.10  # off theory, at which nothing is left to explain


def explained(run: RunContext) -> Iterator[Block]:
    for ablation in run.ablations:
        unit, scale = shown_in(ablation.kind)
        rows = [
            ["Unchanged", format_number(ablation.unchanged.value, scale), "", "", format_ms(ablation.p99_ns), "", ""]
        ]
        rows += [
            [
                effect.suspect.changed[:1].upper() + effect.suspect.changed[1:],
                format_number(effect.figure.value, scale),
                numbers.in_cell(effect.throughput),
                numbers.interval(effect.throughput),
                format_ms(effect.p99_ns),
                numbers.in_cell(effect.p99),
                numbers.interval(effect.p99),
            ]
            for effect in ablation.effects
        ]
        yield Heading(f"Explained: {test_title(ablation.row)}")
        yield Bullets(sentences(ablation))
        heads = ["Test", unit, "Effect", "95 % interval", "p99, ms", "Effect", "95 % interval"]
        yield PageTable(heads, rows if ablation.effects else ())


def sentences(ablation: Ablation) -> tuple[str, ...]:
    """What is found, how sure, what it costs to change it; or that it is not explained, and what to try."""
    unit, scale = shown_in(ablation.kind)
    if ablation.unchanged.value is None:
        return (f"The unchanged test has no result: {ablation.unchanged.error or ablation.unchanged.standing}.",)
    off = "" if ablation.deviation is None else f", {signed_percent(ablation.deviation)} % vs expected"
    sentences_told = [f"Unchanged: {format_number(ablation.unchanged.value, scale)} {unit}{off}."]
    sentences_told += [f"Cause: {text}." for text in ablation.slow]
    sentences_told += [_cause(effect, main=not index) for index, effect in enumerate(ablation.causes)]
    sentences_told += [f"By the kernel's counters: {numbers.words(cause)}." for cause in ablation.evident]
    same_side = (ablation.left or 0.0) * (ablation.deviation or 0.0) > 0  # else there is nothing left to explain
    if ablation.causes and ablation.left is not None and abs(ablation.left) > _FULL_EFFECT and same_side:
        sentences_told.append(
            f"Without it {signed_percent(ablation.left)} % vs expected remain, explained by no single change."
        )
    elif not (ablation.causes or ablation.slow or ablation.evident):
        sentences_told += _unexplained(ablation)
    return tuple(sentences_told)


def _cause(effect: ArmEffect, *, main: bool) -> str:
    suspect = effect.suspect
    cause = f"Cause: {suspect.cause}" if main else f"Also {suspect.cause}"
    return (
        f"{cause}. {suspect.changed[:1].upper()}{suspect.changed[1:]}: throughput {_with_interval(effect.throughput)};"
        f" p99 {_with_interval(effect.p99)}. Change: {suspect.advice}; price: {suspect.price}."
    )


def _with_interval(difference: Difference) -> str:
    interval = numbers.interval(difference)
    return f"{numbers.in_cell(difference)} ({interval})" if interval else "not known (too few operations)"


def _unexplained(ablation: Ablation) -> list[str]:
    tried = [effect.suspect.cause for effect in ablation.effects]
    no_effect = f"none of these changes is significantly faster: {', '.join(tried)}" if tried else ""
    if ablation.above_expected:
        return ["Above expected, cause unknown. Next: measure the disks alone again."]
    if ablation.as_expected:
        return [f"Nothing to explain: as expected or above{f', and {no_effect}' if no_effect else ''}."]
    blocks_needed = max((effect.throughput.repetitions or 0 for effect in ablation.effects), default=0)
    more_blocks = f"; repeat = {blocks_needed} in the answer file may find more" if blocks_needed else ""
    tried_words = no_effect or "no setting could be changed, no disk is slow"
    return [
        f"Cause unknown: {tried_words}.",
        "Next: the recipe disk-baseline (each disk alone at several queue depths), other disks,"
        f" another slot{more_blocks}.",
    ]
