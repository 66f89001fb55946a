"""What the language test measures, and what breaks a rule: `python -m tests.language [FOLDER OR FILE]...`.

Knows the words that the field has others for, the sentences of the documents and the texts of the program (its string
literals with a space that are no docstrings, and the values of recipes and themes). A text that holds a name only, as a
command line or a query, is none.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.imports import nodes

REPOSITORY = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "ansible/README.md")
MOST_WORDS = 30  # a sentence of a document
MEDIAN_WORDS = 15
ERROR_WORDS = 25
SUMMARY_CHARACTERS = 62

# The field's term is the one in docs/commands.md, `raidtui` help or /proc/mdstat.
BANNED = {
    "in flight, under way": r"\bin flight\b|\bunder way\b|\bqueue of\b",
    "through, past the page cache": r"\b(?:past|through) the page cache\b",
    "first sync": r"\bfirst sync\b|\bmade to agree\b|\bsynced anew\b",
    "built in, built anew": r"\bbuilt (?:in|anew)\b|\bbuild anew\b",
    "without, lacking a disk": r"\bwithout a disk\b|\black(?:s|ing) a\b|\bwhole array\b(?! of)",
    "wait": r"\b(?:median|longest) waits?\b",
    "at work": r"\bat work\b",
    "theory": r"\btheor(?:y|ies|etical)\b(?!\.md)|\breckon(?:s|ed|ing)?\b",
    "told, chance": r"\bcan(?:not)? be told\b|\bnobody can tell\b|\bby chance\b|\bmore than chance\b|\bmay be chance\b",
    "in doubt": r"\bin doubt\b|\brelied on\b|\bnot to be relied\b",
    "operations for each": r"\b(?:disk )?operations for each\b",
    "flat out": r"\bflat out\b|\bwhat is offered\b",
    "for good": r"\bfor good\b",
    "brake": r"\bbrakes?\b|\bholds? writes back\b",
    "users": r"\bbeside users\b",
    "clear away": r"\bclear(?:s|ed|ing)? (?:\w+ )?away\b",
    "stand": r"\bstands?\b(?! for)|\bstay(?:s|ed)? standing\b|\bstood\b",
    "further copies": r"\bfurther copies\b|\broom to grow\b",
    "alarm": r"\balarms?\b",
    "permanent": r"\bpermanen(?:t|tly|ce)\b|\bknown at each boot\b",
    "the article": r"\bthe article\b",
    "file of answers": r"\bfile of answers\b",
    "go on": r"\b(?:go|goes|went|gone|going) on\b|\bcut off\b",
    "holds back": r"\bwhat (?:holds|held) it back\b",
    "doubt": r"\bwould not show\b|\bas far as\b|\bhardly\b|\bbears out\b|\bborne out\b",
    "there is no": r"\bname another\b",
    "will": r"\b(?:file|program|kernel|disk|array|mdadm|fio|raidtui|plan|run)s? (?:says?|tells?|asks?|takes? part)\b",
}
_BANNED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in BANNED.items()}
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_`]*[A-Z0-9`])|:\s*$")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")


@dataclass(frozen=True)
class Found:
    """A place that breaks a rule."""

    file: str
    line: int
    rule: str
    text: str


def documents() -> list[Path]:
    return [REPOSITORY / name for name in DOCUMENTS] + sorted((REPOSITORY / "docs").glob("*.md"))


def words(sentence: str) -> int:
    """A code span, a link and a figure with its unit are a word each."""
    sentence = re.sub(r"`[^`]*`", "CODE", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", sentence))
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def sentences(text: str) -> Iterator[tuple[int, str, bool]]:
    """(line, sentence, in a table) of a markdown document: paragraphs and list items too; neither code nor titles."""
    paragraph: list[str] = []
    begins, in_code = 0, False
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        fence = line.lstrip().startswith("```")
        in_code ^= fence
        ends = fence or in_code or not line.strip() or line.startswith(("#", "|", "<")) or _LIST_ITEM.match(line)
        if ends and paragraph:
            parts = _SENTENCE_END.split(" ".join(paragraph))
            yield from ((begins, part, False) for part in parts if part.strip())
            paragraph = []
        if fence or in_code or not line.strip() or line.startswith(("#", "<")):
            continue
        if line.startswith("|"):
            cells = re.sub(r"`[^`]*`", "CODE", line).strip("| ").split("|")
            yield from ((number, part, True) for cell in cells for part in _SENTENCE_END.split(cell.strip()))
            continue
        if not paragraph:
            begins = number
        paragraph.append(_LIST_ITEM.sub("", line).strip())


def literals(file: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of each literal of a module that has a space and is no docstring; a value in it is VALUE."""
    yield from texts(nodes(file))


def texts(parts: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """The same of nodes in the order of `ast.walk`."""
    inside: set[int] = set()
    for node in parts:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in ast.walk(node)} - {id(node)}
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "VALUE" for part in node.values),
            )
        elif isinstance(node, ast.Constant) and id(node) not in inside and " " in str(node.value).strip():
            yield node.lineno, str(node.value)


def banned(text: str) -> list[str]:
    text = re.sub(r"`[^`]*`", "", text)
    return [name for name, pattern in _BANNED.items() if pattern.search(text)]


def program_texts() -> Iterator[tuple[Path, int, str]]:
    for file in sorted((REPOSITORY / "raidtui").rglob("*.py")):
        yield from ((file, line, text) for line, text in literals(file))
    for file in sorted([*(REPOSITORY / "raidtui/recipes").rglob("*.toml"), *(REPOSITORY / "themes").rglob("*")]):
        if file.is_file():
            yield from ((file, number, line) for number, line in enumerate(file.read_text().splitlines(), start=1))


def found() -> list[Found]:
    """All that breaks a rule of words: banned ones in program and documents, and sentences that are too long."""
    places = []
    for file, line, text in program_texts():
        name = str(file.relative_to(REPOSITORY))
        places += [Found(name, line, rule, text) for rule in banned(text)]
    for file in documents():
        name = str(file.relative_to(REPOSITORY))
        for line, sentence, _ in sentences(file.read_text()):
            places += [Found(name, line, rule, sentence) for rule in banned(sentence)]
            if words(sentence) > MOST_WORDS:
                places.append(Found(name, line, f"{words(sentence)} words", sentence))
    return places


def main() -> int:
    chosen = sys.argv[1:] or [""]
    places = [place for place in found() if place.file.startswith(tuple(chosen))]
    for place in places:
        print(f"{place.file}:{place.line}: {place.rule}: {' '.join(place.text.split())[:150]}")
    for file in documents():
        name = str(file.relative_to(REPOSITORY))
        if name.startswith(tuple(chosen)):
            lengths = [words(sentence) for _, sentence, in_table in sentences(file.read_text()) if not in_table]
            print(f"{name}: {len(lengths)} sentences, median {median(lengths):g}, longest {max(lengths)}")
    print(f"{len(places)} places")
    return 0


if __name__ == "__main__":
    sys.exit(main())
