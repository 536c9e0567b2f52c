<?php
// The agent's side of agent conformance's protocol: lines of JSON on standard input and output. PHP 8.1 or newer, no
// dependency. It knows no agent and no model. docs/protocol.md has the messages.
declare(strict_types=1);

namespace AgentConformance;

/** A controlled failure: the agent gave up. Anything else that is thrown is a crash. */
class AgentError extends \RuntimeException {}

/** The agent cannot hold the history; the case is not verified then. */
class CannotRestore extends \RuntimeException {}

/** A tool failed; its text is for the model to read. */
class ToolError extends \RuntimeException {}

/** The user has not answered yet. Let it through `send`. */
class Pending extends \RuntimeException {}

/** The user has cancelled the turn. Let it through `send`. */
class Cancelled extends \RuntimeException {}

/** One tool of a case, as it is offered. `enabled` may change while a turn runs: read it before each request. */
final class Tool
{
    public readonly string $name;
    public readonly string $description;
    public readonly object $parameters;
    public readonly bool $needsApproval;
    /** Whether it is offered only once a search has found it. */
    public readonly bool $deferred;

    public function __construct(object $declared, private readonly Session $session)
    {
        $this->name = $declared->name;
        $this->description = $declared->description;
        $this->parameters = $declared->parameters;
        $this->needsApproval = ($declared->approval ?? null) === 'ask';
        $this->deferred = $declared->deferred ?? false;
    }

    public function enabled(): bool
    {
        return in_array($this->name, $this->session->enabled, true);
    }

    /** Runs it, and gives its result as text. Throws `ToolError`. */
    public function call(mixed $arguments): string
    {
        $result = $this->result($arguments);
        return isset($result->error) ? throw new ToolError($result->error) : $result->text;
    }

    /** The same as the suite sends it: `text`, and `value` if it is more than a text; or `error`. */
    public function result(mixed $arguments): object
    {
        return $this->session->ask(['type' => 'call', 'tool' => $this->name, 'arguments' => $arguments]);
    }

    /** Whether the user allows this call. Throws `Pending`. */
    public function approve(mixed $arguments, ?string $callId = null): bool
    {
        $asked = ['type' => 'approve', 'tool' => $this->name, 'arguments' => $arguments];
        $answer = $this->session->ask($asked + ($callId === null ? [] : ['call_id' => $callId]));
        return $answer->allowed ?? throw new Pending('the user has not answered yet');
    }
}

/** What an agent is made of: the fields of the protocol's `open`, and the tools with their methods. */
final class Setup
{
    /** @param Tool[] $tools */
    public function __construct(public readonly object $fields, public readonly array $tools, private readonly Session $session) {}

    /** Reports an event, for the feature `observer`: any JSON, as the agent reports it to its own observers. */
    public function observe(mixed $event): void
    {
        if ($this->fields->observe ?? false) {
            $this->session->say(['type' => 'event', 'event' => $event]);
        }
    }
}

/** What an agent says and hears while it works. */
final class Session
{
    /** The method of the agent that a feature needs: what the suite says is for it, and nobody else would hear it. */
    private const NEEDED = ['steering' => 'steer', 'model-switch' => 'switch', 'compaction' => 'compact'];

    /** @var string[] The names of the tools that may be offered now. */
    public array $enabled = [];
    /** @var ?object[] The user's message where it has pictures. */
    public ?array $parts = null;
    private ?object $agent = null;
    private bool $cancelled = false;
    private int $asked = 0;
    /** @var object[] What the next turn begins with. */
    private array $switched = [];

    public function __construct(private readonly object $opened, private readonly Channel $channel) {}

    /** A piece of text that the user sees. */
    public function delta(string $text): void
    {
        if ($text !== '') {
            $this->say(['type' => 'delta', 'text' => $text]);
        }
    }

    /** Takes the last characters, counted in code points, off the user's screen again; or all text of this turn. */
    public function withdraw(?int $characters = null): void
    {
        $this->say(['type' => 'withdraw'] + ($characters === null ? [] : ['characters' => $characters]));
    }

    /** Hears what the user has said meanwhile, before a request or between two deltas. Throws `Cancelled`. */
    public function listen(): void
    {
        $this->hearWhatCame();
        $this->cancelled && throw new Cancelled('the turn was cancelled');
    }

    /** @internal Sends a call or a question, and reads until its answer. */
    public function ask(array $message): object
    {
        $this->listen();
        $this->say($message + ['id' => ++$this->asked]);
        while (($got = $this->channel->read()) !== null) {
            if (in_array($got->type, ['result', 'approval'], true) && $got->id === $this->asked) {
                $this->enabled = $got->enabled ?? $this->enabled;
                return $got;
            }
            $this->hear($got);
            $this->cancelled && throw new Cancelled('the turn was cancelled');
        }
        exit(0);
    }

    /** @internal Makes the agent of this conversation. */
    public function open(callable $open, array $features): bool
    {
        $offered = array_filter($this->opened->tools, fn(object $tool) => $tool->enabled);
        $this->enabled = array_column($offered, 'name');
        return $this->attempt(function () use ($open, $features) {
            $tools = array_map(fn(object $tool) => new Tool($tool, $this), $this->opened->tools);
            $this->agent = $open(new Setup($this->opened, $tools, $this), $this);
            foreach (array_intersect_key(self::NEEDED, array_flip($features)) as $feature => $method) {
                if (!method_exists($this->agent, $method)) {
                    $class = get_class($this->agent);
                    throw new \LogicException("the feature $feature is declared, and the agent that \$open returns, a $class, has no method $method");
                }
            }
            $names = method_exists($this->agent, 'toolNames') ? $this->agent->toolNames() : [];
            return ['type' => 'opened'] + ($names ? ['tool_names' => $names] : []);
        });
    }

    /** @internal What arrives between turns, or in one and is no answer. A later version of the suite may send more. */
    public function hear(object $got): void
    {
        match ($got->type) {
            'send' => $this->turn($got),
            'steer' => method_exists($this->agent, 'steer') && $this->agent->steer($got->message),
            'switch' => $this->switched[] = $got,
            'cancel' => $this->cancelled = true,
            'close' => method_exists($this->agent, 'close') && $this->agent->close(),
            default => null,
        };
    }

    private function turn(object $got): void
    {
        [$this->enabled, $this->parts, $this->cancelled] = [$got->enabled, $got->parts ?? null, false];
        [$switched, $this->switched] = [$this->switched, []];
        $this->attempt(function () use ($got, $switched) {
            array_map(fn(object $to) => $this->agent->switch($to), $switched);
            ($got->compact ?? false) && $this->agent->compact();
            try {
                return ['type' => 'reply', 'text' => $this->agent->send($got->message, $this)];
            } finally {
                $this->hearWhatCame(); // a cancel that came during the last request
            }
        });
    }

    private function hearWhatCame(): void
    {
        while (!$this->cancelled && $this->channel->hasMore() && ($got = $this->channel->read()) !== null) {
            $this->hear($got);
        }
    }

    /** Says what comes of this, or why nothing does; and whether it went well. */
    private function attempt(callable $work): bool
    {
        $failed = null;
        try {
            $ended = $work();
        } catch (\Throwable $failed) {
            $ended = failure($failed);
        }
        $this->say($this->cancelled ? ['type' => 'cancelled'] : $ended); // however a cancelled turn ends
        return $failed === null;
    }

    /** @internal */
    public function say(array $message): void
    {
        $this->channel->write($message + ['session' => $this->opened->session]);
    }
}

/** The lines between the suite and this process. */
final class Channel
{
    /** @param resource $input @param resource $output */
    public function __construct(private $input, private $output) {}

    public function read(): ?object
    {
        $line = fgets($this->input);
        return $line === false ? null : json_decode($line, false, 512, JSON_THROW_ON_ERROR);
    }

    public function hasMore(): bool
    {
        [$read, $none] = [[$this->input], null];
        return stream_select($read, $none, $none, 0) === 1;
    }

    public function write(array $message): void
    {
        $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR;
        fwrite($this->output, json_encode($message, $flags) . "\n");
        fflush($this->output);
    }
}

/**
 * Serve an agent until standard input ends. `$open(Setup, Session)` makes the agent of each conversation: an object with
 * `send(string $message, Session $session): ?string`, and perhaps `steer(string)`, `switch(object)`, `compact()`,
 * `toolNames(): array` and `close()`. `$hello` has the fields of the protocol's hello: `wires`, and perhaps others.
 * What the process prints goes to standard error from then on.
 */
function serve(array $hello, callable $open): void
{
    ob_start(fn(string $printed) => fwrite(STDERR, $printed) === false ? $printed : '', 1);
    $channel = new Channel(STDIN, STDOUT);
    $sessions = [];
    while (($got = $channel->read()) !== null) {
        $session = $sessions[$got->session ?? ''] ?? null;
        if ($got->type === 'hello') {
            $channel->write(['type' => 'hello', 'protocol' => 1, 'reuse' => true, 'opened' => true] + $hello);
        } elseif ($got->type === 'open') {
            $session = new Session($got, $channel);
            if ($session->open($open, $hello['features'] ?? [])) {
                $sessions[$got->session] = $session;
            }
        } elseif ($session !== null) {
            $session->hear($got);
            if ($got->type === 'close') {
                unset($sessions[$got->session]);
            }
        }
    }
    array_map(fn(Session $session) => $session->hear((object) ['type' => 'close']), $sessions);
}

/** The message for whatever was thrown: a crash, unless it is a class of this file. */
function failure(\Throwable $thrown): array
{
    return match (true) {
        $thrown instanceof Cancelled => ['type' => 'cancelled'],
        $thrown instanceof Pending => ['type' => 'parked'],
        $thrown instanceof CannotRestore => ['type' => 'cannot-restore', 'reason' => $thrown->getMessage()],
        $thrown instanceof AgentError, $thrown instanceof ToolError => ['type' => 'error', 'message' => $thrown->getMessage()],
        default => [
            'type' => 'error', 'controlled' => false, 'raised_in' => $thrown->getFile(),
            'message' => get_class($thrown) . ": {$thrown->getMessage()} at {$thrown->getFile()}:{$thrown->getLine()}",
            'traceback' => $thrown->getTraceAsString(),
        ],
    };
}
