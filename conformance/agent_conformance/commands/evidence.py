"""The subcommand `evidence`: a finding as a page that the maintainer of the agent, or of its framework, can act on."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agent_conformance.adapter.contract import DeclaredAgent
    from agent_conformance.scenario.cases import Case
    from agent_conformance.transcripts.finding import Finding, Verdict
    from agent_conformance.transcripts.transcript import RecordedRequest, Transcript

SUMMARY = "write a finding as a page of Markdown for the maintainer who can mend it"
DESCRIPTION = """\
Judge one case, and write its finding as one page of Markdown: what a user sees, the scenario, what happened, the
request and its refusal, a curl command for the real provider, a script that needs no installation of this suite, and
the versions. Secrets are left out."""
EXAMPLES = """\
examples:
  agent-conformance evidence mymodule:Adapter 'round-trip/empty-result[zero]@openai-chat+plain#paired'
  agent-conformance evidence pydantic-ai arguments/no-object --to docs/evidence/no-object.md
  agent-conformance evidence pydantic-ai arguments/no-object --script reproduce.py"""

LONGEST_SCRIPT = 40
LONGEST_BODY = 20_000
"""Characters of a request that is written out."""
LONGEST_TITLE = 100
NARRATIVE_LINES = 40
MOST_SOURCES = 5
PORT = 8080
SERVE = "uvx --from {suite} agent-conformance serve --provider {provider} --port 8080"
KEY_HEADERS = {
    "anthropic-messages": "x-api-key: {key}' -H 'anthropic-version: 2023-06-01",
    "gemini-generate": "x-goog-api-key: {key}",
}
"""What carries the key, on wires that take no bearer token."""

REPLAY = '''\
import subprocess, urllib.error, urllib.request

SERVE = "{serve}"
HEADERS = {{"content-type": "application/json", {headers}}}
BODY = r"""{body}"""

fake = subprocess.Popen(SERVE.split(), stdout=subprocess.PIPE)
try:
    fake.stdout.readline()  # it says its address once it serves
    request = urllib.request.Request("http://127.0.0.1:{port}{path}", BODY.encode(), HEADERS)
    with urllib.request.urlopen(request) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())
finally:
    fake.terminate()
'''
PLAY = """\
cat > replies.yaml <<'END'
{replies}END
{serve} --script replies.yaml &
trap "kill $!" EXIT
{users}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="AGENT", help="as for pytest's --agent: module:Adapter, cmd:..., a name, ...")
    parser.add_argument("finding", metavar="FINDING", help="its id in a report; of a case or a scenario, its first one")
    parser.add_argument("--to", type=Path, metavar="FILE", help="write the page there (default: print it)")
    parser.add_argument(
        "--script", type=Path, metavar="FILE", help=f"a script of your own for it, of at most {LONGEST_SCRIPT} lines"
    )
    parser.add_argument(
        "--timeout", type=float, default=10.0, metavar="SECONDS", help="silence before a case hangs (default: 10)"
    )


def run(options: argparse.Namespace) -> int:
    """0: the page is written; 1: there is no such finding; 2: a usage error; 4: there is no such agent."""
    from agent_conformance.commands.shared import CommandEnds
    from agent_conformance.commands.shared.minimising import cases_named, named_agent
    from agent_conformance.run.case_session import CaseSession
    from agent_conformance.scenario.files import case_and_finding
    from agent_conformance.transcripts.redaction import redacted

    script = options.script.read_text(encoding="utf-8") if options.script and options.script.is_file() else ""
    if options.script and not 0 < len(script.splitlines()) <= LONGEST_SCRIPT:
        problem = f"has {len(script.splitlines())} lines; at most {LONGEST_SCRIPT} are read" if script else "is no file"
        raise CommandEnds(f"--script={options.script}: {problem}", 2)
    named, wanted = case_and_finding(options.finding)
    agent = named_agent(options.agent)
    tried = []
    with CaseSession(agent, timeout=options.timeout, keeps_transcripts=True) as runner:
        for case in cases_named(named, agent):
            verdict = runner.run(case)
            tried.append(case.id)
            found = next((one for one in verdict.findings if wanted in ("", one.id, one.code)), None)
            if found is not None:
                page = _page(agent, case, verdict, found, runner.transcripts[0], script)
                break
        else:
            what = f"the finding {wanted}" if wanted else "a finding"
            raise CommandEnds(f"no case has {what}; tried were {', '.join(tried) or 'none'}", 1)
    text = redacted(page)
    if options.to is None:
        print(text, end="")
    else:
        options.to.parent.mkdir(parents=True, exist_ok=True)
        options.to.write_text(text, encoding="utf-8")
    return 0


def _page(
    agent: "DeclaredAgent", case: "Case", verdict: "Verdict", finding: "Finding", transcript: "Transcript", script: str
) -> str:
    from importlib.metadata import version

    from agent_conformance.attach.loading import agent_version
    from agent_conformance.baseline.case_report import facts_of
    from agent_conformance.explain import explain
    from agent_conformance.minimise import one_row, yaml_text
    from agent_conformance.scenario.yaml_files.reading import read, read_data

    explained = explain(finding.id)
    demanded = explained.demands.split(". ")[0].rstrip(".")
    # The one that broke the rule; else the last one of the turn that the finding is about.
    requests = [request for _, request in transcript.requests()]
    broke = [one for one in requests if one.violation and one.refused and one.violation.rule == finding.subject.rule]
    turn = finding.place.turn if finding.place is not None else 0
    of_turn = [request for record, request in transcript.requests() if record.number == turn]
    request = next(iter(broke), None) or next(reversed(of_turn or requests), None)
    document: Any = one_row(read(read_data(case.file.path)).value, case.row)
    facts = "\n".join(f"    {label:9} {text}" for label, text in facts_of(finding) if "\n" not in text)
    narrative = "\n".join(verdict.narrative.splitlines()[:NARRATIVE_LINES])
    name = " ".join(filter(None, (agent.spec, agent_version(agent))))
    sources = "\n".join(f"- {source.source}" for source in explained.evidence[:MOST_SOURCES])
    remedy = "\n".join(f"- {fix}" for fix in explained.fixes)
    sections = [
        f"# {name}: {_headline(finding)}",
        f"Not so here: {case.scenario.description}. Finding `{case.id}#{finding.id}`: {demanded}.",
        f"## What a user sees\n\n{_comment(case)}{_harm(finding)}\n\n{facts}",
        f"## The smallest scenario\n\n```yaml\n{yaml_text(document)}```",
        f"## What happened\n\n```text\n{narrative}\n```",
        _exchange(request) if request is not None else "",
        f"## Why\n\n{explained.why}\n\n{sources}".rstrip(),
        f"## What helps\n\n{remedy}" if remedy else "",
        _curl(case, request) if request is not None and request.refused else "",
        f"## Without this suite\n\n{_script_section(script) if script else _script(case, document, request)}",
        "## Versions\n\n"
        f"- {name}\n- pytest-agent-conformance {version('pytest-agent-conformance')}, Python {sys.version.split()[0]}, "
        f"{sys.platform}\n- again: `pytest --agent={agent.spec} '{case.id}'`",
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _headline(finding: "Finding") -> str:
    text = finding.refused or f"{finding.code}: {finding.got or finding.expected}"
    return text if len(text) <= LONGEST_TITLE else f"{text[:LONGEST_TITLE]} ..."


def _comment(case: "Case") -> str:
    why = " ".join(case.file.comment.split())
    return f"{why}\n\n" if why else ""


def _harm(finding: "Finding") -> str:
    from agent_conformance.judge.causes import harm_of
    from agent_conformance.judge.laws.law import Harm

    return {
        Harm.CRASH: "The turn ends in an exception in place of a reply.",
        Harm.REFUSAL: "The provider refuses the request. As it stays in the conversation, so are those after it.",
        Harm.HANG: "The turn does not end, or has no reply.",
        Harm.DATA: "The model, or a tool, gets something else than it should, and nobody is told.",
        Harm.WORDS: "The user reads something else than the model's answer.",
    }[harm_of(finding.subject.kind, finding.code, finding.detail)]


def _exchange(request: "RecordedRequest") -> str:
    answer = request.response
    body = "" if answer is None else answer.body.decode(errors="replace")
    what = "that is refused" if request.refused else "before it"
    return (
        f"## The request {what}\n\n`{request.http.method} {request.http.path}`\n\n"
        f"```json\n{_written(request.http.body)}\n```\n\n"
        f"The answer, {request.status}:\n\n```text\n{body[:2000].strip()}\n```"
    )


def _written(body: bytes) -> str:
    import json
    import re

    try:
        text = json.dumps(json.loads(body), indent=1, ensure_ascii=False)
    except ValueError:
        text = body.decode(errors="replace")
    text = re.sub(r'"([\w+/]{40})[\w+/=]{400,}"', r'"\1 ... (the rest is left out)"', text)  # a picture
    return (
        text if len(text) <= LONGEST_BODY else f"{text[:LONGEST_BODY]}\n... {len(text) - LONGEST_BODY} more characters"
    )


def _curl(case: "Case", request: "RecordedRequest") -> str:
    from fake_providers.provider_facts import facts_by_provider

    facts = facts_by_provider()[case.provider]
    key = f"'\"${facts.key_variable or 'API_KEY'}\"'"
    header = KEY_HEADERS.get(case.wire, "authorization: Bearer {key}").format(key=key)
    body = request.http.body.decode(errors="replace").replace("'", "'\\''")
    if len(body) > LONGEST_BODY:
        return ""
    url = (facts.base_url or "https://YOUR-HOST").rstrip("/")
    return (
        f"## At {facts.title} itself\n\n```sh\ncurl '{url}{request.http.path}' -H '{header}' \\\n"
        f"  -H 'content-type: application/json' -d '{body}'\n```"
    )


def _script_section(script: str) -> str:
    language = "js" if "import(" in script or "from '" in script else "sh" if script.startswith("#!/bin/") else "python"
    return f"```{language}\n{script.rstrip()}\n```"


def _script(case: "Case", document: Any, request: "RecordedRequest | None") -> str:
    """The request again for what was refused; else the model's replies, for the agent as its maintainer starts it."""
    import json

    from agent_conformance.machine.installation import ELSEWHERE, suite_for_pip

    serve = SERVE.format(suite=suite_for_pip() or ELSEWHERE, provider=case.provider)
    body = "" if request is None else request.http.body.decode(errors="replace")
    if request is not None and request.refused and len(body) <= LONGEST_BODY and '"""' not in body:
        name = KEY_HEADERS.get(case.wire, "authorization").partition(":")[0]
        headers = f'"{name}": "Bearer any"' if name == "authorization" else f'"{name}": "any"'
        headers += ', "anthropic-version": "2023-06-01"' if case.wire == "anthropic-messages" else ""
        filled = REPLAY.format(serve=serve, headers=headers, body=body, port=PORT, path=request.http.path)
        return f"```python\n{filled}```"
    turns = document["conversation"]
    replies = [reply for turn in turns for reply in turn.get("model", [])]
    said = [turn["user"] for turn in turns if isinstance(turn.get("user"), str)]
    tools = ", ".join(str(tool.get("name")) for tool in document.get("tools", []))
    users = "\n".join(
        [
            f"# Start the agent with the base URL that was printed, on {case.wire}, with the tools of the scenario:",
            f"#   {tools or 'none'}",
            *(f"# Say: {text.strip().splitlines()[0] if text.strip() else text!r}" for text in said),
            "wait",
        ]
    )
    text = "".join(f"- {json.dumps(reply, ensure_ascii=False)}\n" for reply in replies)
    return f"```sh\n{PLAY.format(replies=text, serve=serve, users=users)}```"
