# SPDX-License-Identifier: Apache-2.0
"""The table's text: cases, what is known of a plugin, the report. cases/README describes the language."""
import os
import re
import shlex
import textwrap
from dataclasses import dataclass, field, replace

WORDS = set("case spec rule kind needs for deviates refuses run conf late stdin times ok error silence result stderr "
            "together state sh after set binary path watch links holds leaves".split())
VERSIONS = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"]
BEFORE_CHAINS = VERSIONS[:2]  # lists of plugins came with 0.3.0, and with them prevResult
BEFORE_CHECK = VERSIONS[:4]  # CHECK came with 0.4.0, and with it prevResult for DEL


@dataclass
class Step:
    verb: str = ""
    env: list = field(default_factory=list)
    command: str = ""  # of the shell, instead of a call
    conf: list = field(default_factory=list)
    late: list = field(default_factory=list)
    stdin: str = None
    times: int = 1
    expect: str = ""
    codes: list = field(default_factory=list)
    text: str = ""
    result: list = field(default_factory=list)
    stderr: str = ""
    together: str = ""
    state: str = ""


@dataclass
class Case:
    name: str
    where: str
    spec: str = ""
    rule: str = ""
    kind: str = None
    needs: str = None
    repeat: tuple = None
    deviates: dict = field(default_factory=dict)  # by plugin: the values of `for`, or none for all, and why
    refuses: dict = field(default_factory=dict)
    variables: dict = field(default_factory=dict)
    steps: list = field(default_factory=list)
    after: list = field(default_factory=list)


class Line:
    """A case's line in the report. A plugin with an excuse deviates when the rule is broken; another one fails."""

    def __init__(self, result, case, remark="", excuse=""):
        self.result, self.case, self.remark, self.excuse = result, case, remark, excuse

    def broken(self, why):
        if self.excuse:
            self.result, self.remark = "deviates", "known: " + self.excuse
        elif self.result != "not ok":
            self.result, self.remark = "not ok", why

    def __str__(self):
        text = f"{self.result:9} {self.case.name:44} {self.case.spec}\n"
        text += textwrap.fill(self.case.rule, 120, initial_indent=" " * 10, subsequent_indent=" " * 10)
        if self.remark:
            text += "\n" + textwrap.indent(self.remark, " " * 10 + "! ")
        return text


def fill(text, variables):
    """$name, where there is such a variable; all other $ are left alone."""
    return re.sub(r"\$(\w+)", lambda m: variables.get(m[1], m[0]), text)


def matches(pattern, text):
    return re.search(pattern, text) is not None


def run_step(rest):
    words = shlex.split(rest)
    step = Step(verb=words[0])
    for word in words[1:]:
        if "=" in word:
            step.env.append(tuple(word.split("=", 1)))
        elif word.endswith("-"):
            step.env.append((word[:-1], None))
        else:
            raise ValueError(f"{word} is neither NAME=VALUE nor NAME-")
    return step


def error(step, rest):
    codes, _, step.text = rest.partition(" ")
    step.codes = [] if codes in ("", "any") else [int(code) for code in codes.split(",")]


def put(case, word, rest):
    """One line of a case."""
    step = case.steps[-1] if case.steps else None
    if word in ("spec", "rule"):
        setattr(case, word, (getattr(case, word) + " " + rest).strip())
    elif word in ("kind", "needs"):
        setattr(case, word, rest)
    elif word == "for":
        name, _, values = rest.partition(" in ")
        case.repeat = (name, shlex.split(values))
    elif word in ("deviates", "refuses"):
        head, _, why = rest.partition(": ")
        name, _, values = head.partition(" in ")
        getattr(case, word)[name] = (shlex.split(values), why)
    elif word == "run":
        case.steps.append(run_step(rest))
    elif word in ("sh", "after"):
        (case.steps if word == "sh" else case.after).append(Step(command=rest))
    elif word in ("conf", "late", "result"):
        getattr(step, word).append(rest)
    elif word in ("stdin", "stderr", "state", "together"):
        setattr(step, word, rest)
    elif word == "times":
        step.times = int(rest)
    elif word in ("ok", "silence", "error"):
        step.expect = word
        if word == "error":
            error(step, rest)
    else:
        raise ValueError(f"unknown word {word}")


def complete(case):
    """A case without an expectation would pass whatever happens."""
    if not case.spec or not case.rule or not any(step.verb for step in case.steps):
        raise ValueError("a case wants spec, rule and run")
    if case.kind not in (None, "ipam", "interface") or case.needs not in (None, *VERSIONS):
        raise ValueError(f"no plugin is kind {case.kind} and needs {case.needs}")
    for step in case.steps:
        if step.verb and not step.expect:
            raise ValueError(f"run {step.verb} wants ok, silence or error")
        if step.state not in ("", "same", "changed", "first"):
            raise ValueError(f"state {step.state}")


def reason(notes, plugin, case):
    """Why a plugin deviates or refuses in a case, "" if it is not known to."""
    values, why = notes.get(plugin, ([], ""))
    return why if not values or set(values) & set(case.variables.values()) else ""


def expand(case):
    if not case.repeat:
        return [case]
    name, values = case.repeat
    return [replace(case, name=f"{case.name}[{value}]", variables={name: value},
                    rule=fill(case.rule, {name: value}),
                    steps=[replace(step, verb=fill(step.verb, {name: value})) for step in case.steps])
            for value in values]


def lines_of(file):
    """Number, first word and rest of each line. One that is indented and begins with none of the words goes on with the
    line before it."""
    number, whole = 0, ""
    with open(file, encoding="utf-8") as text:
        for count, line in enumerate([*text, "end"], 1):
            line = line.rstrip()
            if not line or line.startswith("#"):
                continue
            if line[0] in " \t" and line.split()[0] not in WORDS:
                whole += " " + line.strip()
                continue
            if whole:
                word, _, rest = whole.partition(" ")
                yield number, word, rest.strip()
            number, whole = count, line.strip()


def read_cases(directory):
    cases, names = [], set()
    for entry in sorted(os.listdir(directory)):
        if entry == "README":
            continue
        file = os.path.join(directory, entry)
        mine = []
        for number, word, rest in lines_of(file):
            try:
                if word == "case":
                    mine.append(Case(name=rest, where=f"{entry}:{number}"))
                else:
                    put(mine[-1], word, rest)
            except (ValueError, IndexError, AttributeError) as bad:
                raise SystemExit(f"{file}:{number}: {bad}") from bad
        for case in mine:
            try:
                complete(case)
            except ValueError as bad:
                raise SystemExit(f"{file}: {case.name}: {bad}") from bad
            for one in expand(case):
                if one.name in names:
                    raise SystemExit(f"{file}: {one.name} is there twice")
                names.add(one.name)
                cases.append(one)
    return cases


def read_plugin(file):
    facts = {"set": {}, "watch": [], "links": False, "holds": "", "leaves": ""}
    for number, word, rest in lines_of(file):
        if word == "set":
            name, _, value = rest.partition(" ")
            facts["set"][name] = value
        elif word == "watch":
            facts["watch"] += rest.split()
        elif word in ("kind", "binary", "path", "conf", "holds", "leaves"):
            facts[word] = rest
        elif word == "links":
            facts["links"] = True
        else:
            raise SystemExit(f"{file}:{number}: unknown word {word}")
    return facts


def stated_refusal(case):
    """The case for a plugin that is known to refuse the first call: that must be an error, and change nothing."""
    first = next(step for step in case.steps if step.verb)
    first = replace(first, expect="error", codes=[], text="", result=[], stderr="", together="", state="same")
    return replace(case, steps=[first], after=[])


def refusal(case):
    """The case for a plugin that does not speak the version: then the first call must be an error."""
    first = next(step for step in case.steps if step.verb)
    version = case.variables.get("version", case.needs)
    late = [f'{{"cniVersion": "{version}"}}']
    return replace(case, steps=[Step(verb=first.verb, env=first.env, late=late, expect="error")], after=[])


def last_values(cases):
    """Of a case that is there once for each value, the last one alone."""
    return list({case.name.partition("[")[0]: case for case in cases}.values())


def report(plugin, lines, once):
    count = {result: sum(line.result == result for line in lines) for result in ("ok", "deviates", "not ok", "other")}
    head = f"""\
{plugin.name} ({plugin.binary}) against the CNI specification 1.1.0: each case with result, name, section and rule.
    ok         the rule holds
    deviates   it does not, and the table knows that and says why
    not ok     it does not
    other      the rule is for another kind of plugin than this one ({plugin.kind}), or left to another's report
"""
    if once:
        head += "Of a case that is there once for each of several values, the last one alone was run (--once).\n"
    tail = f"{plugin.name}: {len(lines)} cases: " + ", ".join(f"{n} {result}" for result, n in count.items())
    return "\n".join([head, *map(str, lines), "", tail]) + "\n"
