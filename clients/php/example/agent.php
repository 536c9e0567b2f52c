<?php
// A small agent on chat completions, with nothing but PHP and the client.
declare(strict_types=1);

require __DIR__ . '/../conformance.php';

use AgentConformance\AgentError;
use AgentConformance\Session;
use AgentConformance\Setup;
use AgentConformance\ToolError;

final class Agent
{
    private array $messages = [];
    private array $said = []; // what the user says while a turn runs

    /** @param object $model with `base_url`, `api_key` and `model` */
    public function __construct(private readonly Setup $setup, private object $model)
    {
        if ($setup->fields->system) {
            $this->messages[] = ['role' => 'system', 'content' => $setup->fields->system];
        }
    }

    /** What a turn has added is kept only where no call of it is open. */
    public function send(string $text, Session $session): string
    {
        $messages = [...$this->messages, ['role' => 'user', 'content' => $text]];
        for ($made = 0; $made < ($this->setup->fields->limits->requests ?? 20); $made++) {
            $session->listen();
            array_push($messages, ...array_splice($this->said, 0));
            $reply = $this->ask($messages);
            $calls = $reply->tool_calls ?? [];
            if (!$calls && trim($reply->content ?? '') === '') {
                throw new AgentError('the model gave no answer');
            }
            $messages[] = ['role' => 'assistant', 'content' => $reply->content ?? null] + ($calls ? ['tool_calls' => $calls] : []);
            foreach ($calls as $call) {
                $messages[] = ['role' => 'tool', 'tool_call_id' => $call->id, 'content' => $this->result($call)];
            }
            $this->messages = $messages;
            if (!$calls) {
                return $reply->content;
            }
        }
        throw new AgentError('no answer within the limit');
    }

    /** What the user says waits for the next request. */
    public function steer(string $message): void
    {
        $this->said[] = ['role' => 'user', 'content' => $message];
    }

    public function switch(object $to): void
    {
        $this->model = $to;
    }

    /** What the model gets back for its call. Mistakes in the call are for the model to correct. */
    private function result(object $call): string
    {
        $text = trim($call->function->arguments) ?: '{}';
        $offered = array_filter($this->setup->tools, fn($tool) => $tool->enabled());
        foreach ($offered as $tool) {
            if ($tool->name !== $call->function->name) {
                continue;
            }
            $arguments = json_decode($text, false, 512, JSON_BIGINT_AS_STRING);
            if (!is_object($arguments)) {
                return 'Error: the arguments are no JSON object.';
            }
            if ($tool->needsApproval && !$tool->approve($arguments, $call->id)) {
                return 'Error: the user did not allow this call.';
            }
            $this->setup->observe(['tool' => $tool->name]);
            try {
                return $tool->call($arguments);
            } catch (ToolError $failed) {
                return "Error: {$failed->getMessage()}";
            }
        }
        $names = implode(', ', array_map(fn($tool) => $tool->name, $offered));
        return "Error: there is no tool {$call->function->name}. There is: $names.";
    }

    private function ask(array $messages): object
    {
        $offered = [];
        foreach ($this->setup->tools as $tool) {
            if ($tool->enabled()) {
                $function = ['name' => $tool->name, 'description' => $tool->description, 'parameters' => $tool->parameters];
                $offered[] = ['type' => 'function', 'function' => $function];
            }
        }
        $body = ['model' => $this->model->model, 'messages' => $messages] + ($offered ? ['tools' => $offered] : []);
        $context = stream_context_create(['http' => [
            'method' => 'POST',
            'header' => "content-type: application/json\r\nauthorization: Bearer {$this->model->api_key}",
            'content' => json_encode($body, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION),
            'ignore_errors' => true,
        ]]);
        $answer = @file_get_contents("{$this->model->base_url}/chat/completions", false, $context);
        $status = $answer === false ? 'nothing' : explode(' ', $http_response_header[0])[1];
        $decoded = json_decode((string) $answer);
        if ($status !== '200' || !isset($decoded->choices[0]->message)) {
            throw new AgentError("the provider answered $status: $answer");
        }
        return $decoded->choices[0]->message;
    }
}

AgentConformance\serve(
    [
        'wires' => ['openai-chat'],
        'features' => ['conversation', 'native-tools', 'tool-filter', 'request-limit', 'approval', 'cancel', 'steering', 'model-switch', 'observer'],
        'name' => 'php-example',
    ],
    fn(Setup $setup) => new Agent($setup, $setup->fields),
);
