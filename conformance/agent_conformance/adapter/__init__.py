"""The public adapter API: what you need to test an agent, and nothing else. `from agent_conformance import Setup,
Reply, ...`

An adapter is a class. The suite makes one instance for each case, sends it the user's messages, and closes it:

    class Adapter:
        wires = ("openai-chat",)          # the HTTP formats that the agent can use; the first one is its main wire
        modes = ("plain", "stream")       # default: ("plain",)
        features = {"history", "cancel"}  # see `Feature`; default: none
        errors = (MyAgentError,)          # exceptions that are controlled failures, like `AgentError`

        def __init__(self, setup: Setup) -> None: ...
        def send(self, message: str) -> str: ...

`send` runs one turn and returns the agent's reply. It may be a function, a coroutine function, or a generator or async
generator that yields deltas and, last, a `Reply`. It raises `AgentError` (or a class in `errors`) if the agent gives
up, `Cancelled` after `cancel()`, and `CannotRestore` if the agent cannot hold `setup.history`; else it crashed.

Optional members:

    def cancel(self) -> None
        Ends the running turn. It is called from another thread.
    def close(self) -> None
        Called at the end of a case, also after a crash. It may be a coroutine function.
    def side_request(self, request: dict) -> bool | str
        Whether this JSON body is a side request, such as one for a title. A string is the fake's answer to it.
    def steer(self, message: str) -> None
        Takes what the user says while a turn runs. It is called from another thread, or is a coroutine function.
    def compact(self) -> None
        Makes the conversation shorter, between two turns. It may be a coroutine function, and take a `session`.
    def kill(self) -> None
        Ends the process of the agent at once, without a warning. It is called from another thread.
    log_tail: str
        The end of the agent's log. It is read after a crash or a hang, and shown with the finding.
    tool_names: Mapping[str, str] | Callable[[str], str | None]
        From a tool's name to its name on the wire, if the agent renames tools.
    reply_tool: tuple[str, str | None]
        The tool of the agent's own with which it ends a turn, and the argument that is the reply; None if all are.
    instructions_as_message: bool
        Whether the agent sends the system prompt in its first message of the user.
    scrub: tuple[str, ...]
        Regular expressions whose matches become `...` in snapshots.

Modules:

- `types`: what an adapter gets and gives: `Setup`, `Tool`, `Message`, `Reply`, and the exceptions.
- `history`: `setup.history` in the message format of each wire, such as `openai_chat_messages(history)`.
- `functions`: tools as typed Python functions, for frameworks that accept nothing else.
- `mcp`: the tools as an MCP server, over HTTP or stdio. Needs the extra `mcp`.
- `https`: an https front for a loopback URL, for programs that refuse plain http. Needs the extra `mcp`.
- `background`: a server in a thread of its own, which `mcp` and `https` use.
- `contract`: what the suite itself knows of an adapter; adapters do not need it.
"""
