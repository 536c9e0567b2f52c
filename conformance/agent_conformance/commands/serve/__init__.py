"""The subcommand `serve`: a strict fake on a loopback port, until it is interrupted. Prints each refusal."""

import argparse
import os
from pathlib import Path

from agent_conformance.commands.shared import add_providers, not_negative, one_of, positive
from fake_providers import PROVIDERS, WIRES

SUMMARY = "serve a strict fake provider on a loopback port"
DESCRIPTION = """\
Serve a strict fake provider on a loopback port until it is interrupted, and print each request with its refusal. The
fake answers with the replies of a script. Without a script it obeys each request: it calls the first tool once for each
question of the user, and then answers. A test program sees the requests, and sets replies and faults, below
/__conformance of the same port."""
EXAMPLES = """\
examples:
  agent-conformance serve --provider openai
  agent-conformance serve --provider gemini --port 8080 --script replies.yaml
  agent-conformance serve --provider openai --provider anthropic --port 8080
  agent-conformance serve --all --port 8080
  agent-conformance serve --provider openai --ttft 0.4 --tokens-per-second 60 --jitter 0.3 --stall 5@20
  agent-conformance serve --provider openai --replay weather.jsonl
  agent-conformance serve --provider openai --mcp tools.yaml --mcp-port 8081"""

KEY_VARIABLE = "AGENT_CONFORMANCE_KEY"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_providers(parser)
    parser.add_argument(
        "--wire",
        type=one_of("wire", WIRES),
        metavar="NAME",
        help=f"only this wire of the provider (default: all of its wires): one of {', '.join(WIRES)}",
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: any free port")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="the address to listen on, such as 0.0.0.0 in a container; any but the default needs --key",
    )
    parser.add_argument(
        "--key",
        default=os.environ.get(KEY_VARIABLE) or None,
        metavar="KEY",
        help=f"answer only clients whose API key is KEY, or begins with `KEY-` (default: the variable {KEY_VARIABLE})",
    )
    parser.add_argument(
        "--script",
        type=Path,
        metavar="FILE",
        help="a YAML list of replies, as in a scenario's `model`, or with conditions; or fixtures of aimock",
    )
    parser.add_argument(
        "--replay",
        type=Path,
        metavar="FILE",
        help="answer from a cassette: of `agent-conformance record`, vcrpy or pytest-recording, or a HAR file",
    )
    add_tools(parser)
    parser.add_argument(
        "--window",
        type=positive,
        metavar="N",
        help="refuse a conversation of more than N tokens, counted as one for four characters (default: no limit)",
    )
    parser.add_argument(
        "--served-model",
        metavar="ID",
        help="the model behind a name that does not say it, such as an ARN of Bedrock's: which rules hold for it",
    )
    parser.add_argument(
        "--clients",
        type=positive,
        default=1000,
        metavar="N",
        help="how many clients' replies, faults and requests are kept, each with an API key of its own "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--any-reply",
        action="store_true",
        help="send each reply of the script, also one that the provider never sends, as a gateway might",
    )
    add_timing(parser)


def add_tools(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mcp",
        type=Path,
        metavar="FILE",
        help="serve tools over MCP as well: a YAML list of tools with their results, as under `tools` in a scenario",
    )
    parser.add_argument(
        "--mcp-port", type=int, default=0, metavar="N", help="of --mcp, on loopback alone (default: any free port)"
    )


def add_timing(parser: argparse.ArgumentParser) -> None:
    timing = parser.add_argument_group("how fast replies are sent", "By default at once. A reply may say it by itself.")
    timing.add_argument(
        "--ttft", type=float, default=0.0, metavar="SECONDS", help="the time to the first token of each reply"
    )
    timing.add_argument("--tokens-per-second", type=float, metavar="N", help="how fast the other tokens are sent")
    timing.add_argument(
        "--jitter", type=float, default=0.0, metavar="SHARE", help="0.2: each piece takes 80 to 120 %% of its time"
    )
    timing.add_argument(
        "--stall",
        type=stall,
        default=(0.0, 1),
        metavar="SECONDS[@TOKENS]",
        help="send nothing for so long, after so many tokens",
    )
    timing.add_argument(
        "--batch-seconds",
        type=not_negative,
        default=0.0,
        metavar="SECONDS",
        help="how long a batch is in progress (default: it has ended at the first look)",
    )


def stall(text: str) -> tuple[float, int]:
    """For `type=`: `5@20` is five seconds after twenty tokens, `5` after the first."""
    seconds, mark, tokens = text.partition("@")
    try:
        return float(seconds), int(tokens) if mark else 1
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is not as `5@20`, which is 5 seconds after 20 tokens.") from None


def run(options: argparse.Namespace) -> int:
    from agent_conformance.commands.serve.command import ServeOptions, serve

    providers = tuple(PROVIDERS) if options.all else tuple(options.provider)
    return serve(
        ServeOptions(
            provider=providers[0],
            beside=providers[1:],
            wire=options.wire,
            host=options.host,
            key=options.key,
            port=options.port,
            script=options.script,
            replay=options.replay,
            mcp=options.mcp,
            mcp_port=options.mcp_port,
            window=options.window,
            served_model=options.served_model,
            ttft=options.ttft,
            tokens_per_second=options.tokens_per_second,
            jitter=options.jitter,
            stall=options.stall,
            batch_seconds=options.batch_seconds,
            clients=options.clients,
            any_reply=options.any_reply,
        )
    )
