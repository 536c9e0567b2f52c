"""Kinds of agents that speak JSON lines: what `command_agent.py` does, and what must become of it."""

import sys

from tests.hostile.right_agent import HERE, KINDS, Kind, Outcome, When

BROKEN = "ProtocolBroken"
DIED = "ProcessDied"


def command(name: str, outcome: Outcome, says: str = "", when: When = "weekly", options: tuple[str, ...] = ()) -> None:
    agent = f"cmd:{sys.executable} {HERE}/command_agent.py {name}"
    KINDS.append(Kind(f"agents_commands.py:{name}", agent, outcome, says, options, when=when))


for name in (
    *("WritesGarbage", "WritesBytesThatAreNoText", "WritesAList", "WritesDeepJson", "WritesAnEndlessLine"),
    *("WritesAnUnknownType", "WritesHelloAgain", "CallsAToolOfItsOwn", "IdsItsCallWithAnObject"),
    *("RepliesTwice", "WritesNotANumber"),
):
    command(name, "failed", BROKEN)
for name in ("Exits", "KillsItself", "StopsInTheMiddleOfALine", "ClosesItsOutput", "KillsItsGroup"):
    command(name, "failed", DIED)
for name in ("Hangs", "StopsItself", "HangsInTheMiddleOfALine"):
    command(name, "failed", "did not return within")
command("WritesHugeNumbers", "failed")
command("WritesAnEmptyLineForEver", "failed")
command("AnswersForAnotherSession", "passed")  # it has but one
command("RepliesBeforeItAsks", "error", "the fake received no request")
command("RepliesBeforeItIsOpened", "error", "found another message, expected opened in answer to open")
command("SendsDeltasForEver", "failed")
command("SendsEventsForEver", "failed")
command("WithdrawsABillion", "failed", BROKEN)
command("CallsForEver", "failed")
command("CallsWithArgumentsThatAreNoObject", "failed")
command("ClosesItsInput", "failed")
command("HangsAtItsEnd", "passed", options=("--agent-timeout=30",))  # it has three seconds to end
command("LeavesAChildThatHoldsItsOutput", "passed")
command("LeavesAChildOutsideItsGroup", "passed")
command("FloodsItsErrors", "passed", options=("--agent-timeout=30",))  # tens of megabytes, on a busy machine
command("SaysItCrashedInAnOddPlace", "failed", "AgentCrashed")
command("WritesAByteAtATime", "passed")
command("EndsItsLinesAsWindowsDoes", "passed")
command("AsksForEver", "failed", "the suite answered no more", "slow")
command("AsksForEverWithNamesOfItsOwn", "failed", "the suite answered no more")
command("AsksWhatIsRefusedForEver", "failed")
command("NeverSaysHelloAgain", "error", "the adapter's __init__ did not return within")
