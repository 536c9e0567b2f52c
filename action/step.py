"""What `action.yml` calls, such as `python action/step.py run`. The suite has to be installed."""

import sys

from agent_conformance.commands.main import Program, main

DESCRIPTION = "The steps of the GitHub Action."
STEPS = Program("step.py", DESCRIPTION, "", {"github": "github_steps.command"})

if __name__ == "__main__":
    sys.exit(main(["github", *sys.argv[1:]], STEPS))
