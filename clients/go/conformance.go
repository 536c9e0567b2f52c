// Package conformance is the agent's side of agent conformance's protocol: lines of JSON on standard input and output.
// It knows no agent and no model. docs/protocol.md has the messages; session.go speaks them.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"os"
)

// Hello says what the agent can do. The other fields of the protocol's hello are added.
type Hello struct {
	Wires    []string `json:"wires"`
	Modes    []string `json:"modes,omitempty"`
	Features []string `json:"features,omitempty"`
	Name     string   `json:"name,omitempty"`
	Version  string   `json:"version,omitempty"`
	// Together says that turns of two sessions may run at the same time.
	Together bool `json:"together,omitempty"`
	// SideRequest is a JSON Schema: a request whose body matches it is no part of the conversation.
	SideRequest map[string]any `json:"side_request,omitempty"`
	// ReplyTool is the agent's own tool that ends a turn.
	ReplyTool *ReplyTool `json:"reply_tool,omitempty"`
	// InstructionsAsMessage says that the system prompt is sent in the first message of the user.
	InstructionsAsMessage bool `json:"instructions_as_message,omitempty"`
	// Scrub are regular expressions, in Python's syntax, of what changes from run to run.
	Scrub []string `json:"scrub,omitempty"`
}

// ReplyTool names a tool and the argument that is the reply. Without an argument, all of them are the reply.
type ReplyTool struct {
	Tool     string  `json:"tool"`
	Argument *string `json:"argument"`
}

// Setup is what an agent is made of. Raw has all fields of the protocol's open.
type Setup struct {
	Wire     string          `json:"wire"`
	Provider string          `json:"provider"`
	BaseURL  string          `json:"base_url"`
	APIKey   string          `json:"api_key"`
	Model    string          `json:"model"`
	Stream   bool            `json:"stream"`
	System   string          `json:"system"`
	StateDir string          `json:"state_dir"`
	Tools    []*Tool         `json:"tools"`
	History  json.RawMessage `json:"history"`
	Limits   struct {
		Requests      *int     `json:"requests"`
		ContextTokens *int     `json:"context_tokens"`
		Seconds       *float64 `json:"seconds"`
		IdleSeconds   *float64 `json:"idle_seconds"`
	} `json:"limits"`
	Raw      json.RawMessage `json:"-"`
	session  *session
	observed bool
}

// Tool is one tool of a case, as it is offered. Enabled may change while a turn runs: read it before each request.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Approval    string          `json:"approval,omitempty"`
	Deferred    bool            `json:"deferred,omitempty"` // whether it is offered only once a search has found it
	session     *session
}

// Agent is one conversation. It may have more methods: those of Steerer, Switcher, Compacter, ToolNamer and Closer.
type Agent interface {
	// Send is one turn. What it returns is the reply; an empty one with a nil error means that the deltas were it.
	Send(ctx context.Context, message string, turn *Turn) (string, error)
}

// Steerer hears what the user says while a turn runs, which runs in another goroutine; for the feature steering.
type Steerer interface{ Steer(message string) }

// Switcher goes on with the wire, the provider and the model of a Setup; for the feature model-switch. An error is that
// of the next turn.
type Switcher interface{ Switch(to Setup) error }

// Compacter makes the conversation shorter, before a turn; for the feature compaction.
type Compacter interface {
	Compact(ctx context.Context) error
}

// ToolNamer says under which names the agent offers tools, by their own names.
type ToolNamer interface{ ToolNames() map[string]string }

// Closer hears that the conversation is over.
type Closer interface{ Close() }

// missing is the method that a feature needs and the agent does not have: what the suite says is for it, and nobody
// else would hear it.
func missing(feature string, agent Agent) string {
	method, has := "", true
	switch feature {
	case "steering":
		method = "Steer(string)"
		_, has = agent.(Steerer)
	case "model-switch":
		method = "Switch(Setup) error"
		_, has = agent.(Switcher)
	case "compaction":
		method = "Compact(context.Context) error"
		_, has = agent.(Compacter)
	}
	if has {
		return ""
	}
	return method
}

// Turn is what an agent says while it works. Parts are the user's message where it has pictures.
type Turn struct {
	Parts   json.RawMessage
	session *session
}

var (
	// ErrPending comes of Approve where the user has not answered yet. Return it from Send.
	ErrPending = errors.New("the user has not answered yet")
	// ErrCancelled comes of Call, Result and Approve in a turn that is over or that the user has cancelled.
	ErrCancelled = errors.New("the turn is over")
)

// CannotRestore says why an agent cannot hold the history; the case is not verified then.
type CannotRestore struct{ Reason string }

func (c CannotRestore) Error() string { return c.Reason }

// Serve speaks the protocol until standard input ends. open makes the agent of each conversation. An error that it or
// a method of the agent returns is a controlled failure; a panic ends the process, and is a crash with its stack.
// What the process prints goes to standard error from then on.
func Serve(hello Hello, open func(Setup) (Agent, error)) error {
	output := os.Stdout
	os.Stdout = os.Stderr
	return serve(os.Stdin, output, hello, open)
}

// Observe reports an event, which may be any JSON, to whom the agent tells what it does; for the feature observer.
func (s Setup) Observe(event any) {
	if s.observed {
		s.session.say(map[string]any{"type": "event", "event": event})
	}
}

// Delta is a piece of text that the user sees.
func (t *Turn) Delta(text string) {
	if text != "" {
		t.say(map[string]any{"type": "delta", "text": text})
	}
}

// Withdraw takes the last characters, counted in code points, off the user's screen again.
func (t *Turn) Withdraw(characters int) {
	t.say(map[string]any{"type": "withdraw", "characters": characters})
}

// WithdrawAll takes all text of this turn off the user's screen again.
func (t *Turn) WithdrawAll() {
	t.say(map[string]any{"type": "withdraw"})
}

// Enabled says whether the tool may be offered now.
func (t *Tool) Enabled() bool {
	t.session.mutex.Lock()
	defer t.session.mutex.Unlock()
	return t.session.enabled[t.Name]
}

// Call runs the tool. The arguments are any JSON; the result is text, and the error is for the model to read.
func (t *Tool) Call(ctx context.Context, arguments json.RawMessage) (string, error) {
	text, _, err := t.Result(ctx, arguments)
	return text, err
}

// Result is Call with the result's JSON where it is more than a text: for pictures a list of parts.
func (t *Tool) Result(ctx context.Context, arguments json.RawMessage) (string, json.RawMessage, error) {
	got, err := t.session.ask(ctx, map[string]any{"type": "call", "tool": t.Name, "arguments": arguments})
	if err == nil && got.Error != nil {
		err = errors.New(*got.Error)
	}
	return got.Text, got.Value, err
}

// Approve asks the user whether this call may run. callID is the model's id of it, and may be empty.
func (t *Tool) Approve(ctx context.Context, callID string, arguments json.RawMessage) (bool, error) {
	fields := map[string]any{"type": "approve", "tool": t.Name, "arguments": arguments}
	if callID != "" {
		fields["call_id"] = callID
	}
	got, err := t.session.ask(ctx, fields)
	switch {
	case err != nil:
		return false, err
	case got.Allowed == nil:
		return false, ErrPending
	}
	return *got.Allowed, nil
}
