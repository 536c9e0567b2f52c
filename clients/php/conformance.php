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
        return $this->result($arguments)->text;
    }

    /** The same with `text` and `value`, which for pictures is a list of parts. */
    public function result(mixed $arguments): object
    {
        $result = $this->session->ask(['type' => 'call', 'tool' => $this->name, 'arguments' => $arguments]);
        if (isset($result->error)) {
            throw new ToolError($result->error);
        }
        return $result;
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
    public function __construct(
        public readonly object $fields, public readonly array $tools, private readonly Session $session,
    ) {}

    /** Reports an event, any JSON, where the case has an observer. */
    public function observe(mixed $event): void
    {
        if ($this->fields->observe ?? false) {
            $this->session->say(['type' => 'event', 'event' => $event]);
        }
    }
}

/** The method of the agent that a feature needs: what the suite says is for it, and nobody else would hear it. */
const NEEDED = ['steering' => 'steer', 'model-switch' => 'switch', 'compaction' => 'compact'];

final class Session
{
    /** @var string[] */
    public array $enabled = [];
    public ?object $agent = null;
    /** The parts of the user's message, where it has pictures. */
    public ?array $parts = null;
    private int $asked = 0;

    public function __construct(private readonly string $name, private readonly Channel $channel) {}

    public function say(array $message): void
    {
        $this->channel->write($message + ['session' => $this->name]);
    }

    /** A piece of text that the user sees. */
    public function delta(string $text): void
    {
        if ($text !== '') {
            $this->say(['type' => 'delta', 'text' => $text]);
        }
    }

    /** Takes text off the user's screen again, as before a visible retry: the last characters, or all. */
    public function withdraw(?int $characters = null): void
    {
        $this->say(['type' => 'withdraw'] + ($characters === null ? [] : ['characters' => $characters]));
    }

    /** Sends a call or a question, and reads until its answer. One turn runs at a time, so nothing else can come. */
    public function ask(array $message): object
    {
        $this->say($message + ['id' => ++$this->asked]);
        while (($got = $this->channel->read()) !== null) {
            if ($got->type === 'cancel') {
                throw new Cancelled('the turn was cancelled');
            }
            if ($got->type === 'steer') {
                $this->agent->steer($got->message);
            } elseif (($got->id ?? null) === $this->asked) {
                $this->enabled = $got->enabled ?? $this->enabled;
                return $got;
            }
        }
        exit(0);
    }
}

final class Channel
{
    /** @param resource $input @param resource $output */
    public function __construct(private $input, private $output) {}

    public function read(): ?object
    {
        $line = fgets($this->input);
        return $line === false ? null : json_decode($line, false, 512, JSON_THROW_ON_ERROR);
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
 * `send(string $message, Session $session): ?string`, and perhaps `steer(string)`, `switch(object)`,
 * `compact()`, `toolNames(): array` and `close()`. `$hello` has the fields of the protocol's hello: `wires`, and perhaps
 * `modes`, `features`, `name`, `version`, `side_request`, `reply_tool` and `scrub`.
 */
function serve(array $hello, callable $open): void
{
    $channel = new Channel(STDIN, STDOUT);
    $sessions = [];
    while (($got = $channel->read()) !== null) {
        $session = $sessions[$got->session ?? ''] ?? null;
        if ($got->type === 'hello') {
            $channel->write(['type' => 'hello', 'protocol' => 1, 'reuse' => true, 'opened' => true] + $hello);
        } elseif ($got->type === 'open') {
            $sessions[$got->session] = $session = new Session($got->session, $channel);
            $session->enabled = array_column($got->tools, 'name');
            attempt($session, function () use ($session, $open, $got, $hello) {
                $tools = array_map(fn(object $tool) => new Tool($tool, $session), $got->tools);
                $session->agent = $agent = $open(new Setup($got, $tools, $session), $session);
                foreach (array_intersect_key(NEEDED, array_flip($hello['features'] ?? [])) as $feature => $method) {
                    if (!method_exists($agent, $method)) {
                        $what = "the feature $feature is declared, and the agent that open returns has no method $method";
                        throw new \TypeError($what);
                    }
                }
                $names = method_exists($agent, 'toolNames') ? $agent->toolNames() : [];
                return ['type' => 'opened'] + ($names ? ['tool_names' => $names] : []);
            });
        } elseif ($session === null) {
            continue; // a later version of the suite may send other messages
        } elseif ($got->type === 'send') {
            $session->enabled = $got->enabled;
            $session->parts = $got->parts ?? null;
            attempt($session, function () use ($session, $got) {
                if ($got->compact ?? false) {
                    $session->agent->compact();
                }
                return ['type' => 'reply', 'text' => $session->agent->send($got->message, $session)];
            });
        } elseif ($got->type === 'switch') {
            $session->agent->switch($got);
        } elseif ($got->type === 'close') {
            if ($session->agent !== null && method_exists($session->agent, 'close')) {
                $session->agent->close();
            }
            unset($sessions[$got->session]);
        }
    }
}

/** Says what comes of this, or why nothing does. */
function attempt(Session $session, callable $work): void
{
    try {
        $session->say($work());
    } catch (Cancelled) {
        $session->say(['type' => 'cancelled']);
    } catch (Pending) {
        $session->say(['type' => 'parked']);
    } catch (CannotRestore $unable) {
        $session->say(['type' => 'cannot-restore', 'reason' => $unable->getMessage()]);
    } catch (AgentError $failure) {
        $session->say(['type' => 'error', 'message' => $failure->getMessage()]);
    } catch (\Throwable $bug) {
        $where = $bug->getFile() . ':' . $bug->getLine();
        $message = get_class($bug) . ': ' . $bug->getMessage() . " at $where";
        $session->say([
            'type' => 'error', 'message' => $message, 'controlled' => false,
            'traceback' => $bug->getTraceAsString(), 'raised_in' => $bug->getFile(),
        ]);
    }
}
