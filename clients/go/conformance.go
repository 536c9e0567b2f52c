// Package conformance is the agent's side of agent conformance's protocol: lines of JSON on standard input and output.
// It knows no agent and no model. docs/protocol.md has the messages.
package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Hello says what the agent can do. Protocol and type are added.
type Hello struct {
	Wires    []string `json:"wires"`
	Modes    []string `json:"modes,omitempty"`
	Features []string `json:"features,omitempty"`
	Name     string   `json:"name,omitempty"`
	Version  string   `json:"version,omitempty"`
	Together bool     `json:"together,omitempty"`
	// SideRequest is a JSON Schema of the agent's own requests, as for a title or a summary.
	SideRequest any        `json:"side_request,omitempty"`
	ReplyTool   *ReplyTool `json:"reply_tool,omitempty"`
	Scrub       []string   `json:"scrub,omitempty"`
}

// ReplyTool is the tool with which the agent ends a turn. Without an Argument, all its arguments are the reply.
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
		Requests      *int `json:"requests"`
		ContextTokens *int `json:"context_tokens"`
	} `json:"limits"`
	Observed bool            `json:"observe"`
	Raw      json.RawMessage `json:"-"`
	session  *session
}

// Tool is one tool of a case, as it is offered. Enabled may change while a turn runs: read it before each request.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Approval    string          `json:"approval,omitempty"`
	Deferred    bool            `json:"deferred,omitempty"`
	session     *session
}

// Agent is one conversation. If it also has Steer(string), Switch(Setup) error, Compact() error or Close(), these are
// called; the first three are needed for the features steering, model-switch and compaction. ToolNames()
// map[string]string has the tools' names on the wire, where they differ.
type Agent interface {
	// Send is one turn. What it returns is the reply; an empty one with a nil error means that the deltas were it.
	Send(ctx context.Context, message string, turn *Turn) (string, error)
}

// Turn is what an agent says while it works. Parts are the user's message where it has pictures.
type Turn struct {
	Parts   json.RawMessage
	session *session
}

var (
	// ErrPending comes of Approve where the user has not answered yet. Return it from Send.
	ErrPending = errors.New("the user has not answered yet")
	// ErrCancelled comes of Call and Approve in a turn that the user has cancelled.
	ErrCancelled = errors.New("the turn was cancelled")
)

// CannotRestore says why an agent cannot hold the history; the case is not verified then.
type CannotRestore struct{ Reason string }

func (c CannotRestore) Error() string { return c.Reason }

// Serve speaks the protocol until standard input ends. open makes the agent of each conversation. An error that it or
// Send returns is a controlled failure; a panic ends the process, and is a crash with its stack.
func Serve(hello Hello, open func(Setup) (Agent, error)) error {
	return serve(os.Stdin, os.Stdout, hello, open)
}

func serve(input io.Reader, output io.Writer, hello Hello, open func(Setup) (Agent, error)) error {
	out := &writer{encoder: json.NewEncoder(output)}
	sessions := map[string]*session{}
	lines := bufio.NewReaderSize(input, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			var got message
			if err := json.Unmarshal(line, &got); err != nil {
				return fmt.Errorf("a line of the suite: %w", err)
			}
			switch got.Type {
			case "hello":
				out.write(helloMessage{"hello", 1, true, true, hello})
			case "open":
				sessions[got.Session] = newSession(out, got.Session, line, hello.Features, open)
			default:
				if one := sessions[got.Session]; one != nil {
					one.take(got)
				}
				if got.Type == "close" {
					delete(sessions, got.Session)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// How it is done.

type message struct {
	Type    string          `json:"type"`
	Session string          `json:"session"`
	Message string          `json:"message"`
	Parts   json.RawMessage `json:"parts"`
	Enabled []string        `json:"enabled"`
	ID      int             `json:"id"`
	Text    string          `json:"text"`
	Value   json.RawMessage `json:"value"`
	Error   *string         `json:"error"`
	Allowed *bool           `json:"allowed"`
	Compact bool            `json:"compact"`
	Setup
}

type helloMessage struct {
	Type     string `json:"type"`
	Protocol int    `json:"protocol"`
	Reuse    bool   `json:"reuse"`
	Opened   bool   `json:"opened"`
	Hello
}

type writer struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (w *writer) write(value any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err := w.encoder.Encode(value); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type session struct {
	name    string
	out     *writer
	agent   Agent
	mutex   sync.Mutex
	enabled map[string]bool
	calls   int
	waiting map[int]chan message
	ctx     context.Context
	cancel  context.CancelFunc
}

// missing names a declared feature whose method the agent does not have: nobody else would hear what the suite says.
func missing(agent Agent, features []string) error {
	for _, feature := range features {
		has, method := true, ""
		switch feature {
		case "steering":
			_, has = agent.(interface{ Steer(string) })
			method = "Steer(string)"
		case "model-switch":
			_, has = agent.(interface{ Switch(Setup) error })
			method = "Switch(Setup) error"
		case "compaction":
			_, has = agent.(interface{ Compact() error })
			method = "Compact() error"
		}
		if !has {
			return fmt.Errorf("the feature %s is declared, and the agent that open returns has no method %s", feature, method)
		}
	}
	return nil
}

func newSession(
	out *writer, name string, line []byte, features []string, open func(Setup) (Agent, error),
) *session {
	s := &session{name: name, out: out, waiting: map[int]chan message{}, enabled: map[string]bool{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	setup := Setup{Raw: append([]byte(nil), line...), session: s}
	if err := json.Unmarshal(line, &setup); err != nil {
		s.fail(err)
		return s
	}
	for _, tool := range setup.Tools {
		tool.session = s
		s.enabled[tool.Name] = true
	}
	agent, err := open(setup)
	if err != nil {
		s.fail(err)
		return s
	}
	if err := missing(agent, features); err != nil {
		s.say(map[string]any{"type": "error", "message": err.Error(), "controlled": false})
		return s
	}
	s.agent = agent
	opened := map[string]any{"type": "opened"}
	if named, ok := agent.(interface{ ToolNames() map[string]string }); ok {
		opened["tool_names"] = named.ToolNames()
	}
	s.say(opened)
	return s
}

func (s *session) take(got message) {
	switch got.Type {
	case "send":
		s.enable(got.Enabled)
		s.mutex.Lock()
		s.ctx, s.cancel = context.WithCancel(context.Background())
		s.mutex.Unlock()
		go s.turn(s.ctx, got)
	case "result", "approval":
		if got.Enabled != nil {
			s.enable(got.Enabled)
		}
		s.mutex.Lock()
		waiting := s.waiting[got.ID]
		delete(s.waiting, got.ID)
		s.mutex.Unlock()
		if waiting != nil {
			waiting <- got
		}
	case "cancel":
		s.mutex.Lock()
		s.cancel()
		s.mutex.Unlock()
	case "steer":
		if agent, ok := s.agent.(interface{ Steer(string) }); ok {
			agent.Steer(got.Message)
		}
	case "switch":
		if agent, ok := s.agent.(interface{ Switch(Setup) error }); ok {
			if err := agent.Switch(got.Setup); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	case "close":
		if agent, ok := s.agent.(interface{ Close() }); ok {
			agent.Close()
		}
	}
}

func (s *session) turn(ctx context.Context, got message) {
	if agent, ok := s.agent.(interface{ Compact() error }); ok && got.Compact {
		if err := agent.Compact(); err != nil {
			s.fail(err)
			return
		}
	}
	reply, err := s.agent.Send(ctx, got.Message, &Turn{Parts: got.Parts, session: s})
	switch {
	case ctx.Err() != nil:
		s.say(map[string]any{"type": "cancelled"})
	case errors.Is(err, ErrPending):
		s.say(map[string]any{"type": "parked"})
	case err != nil:
		s.fail(err)
	case reply == "":
		s.say(map[string]any{"type": "reply", "text": nil})
	default:
		s.say(map[string]any{"type": "reply", "text": reply})
	}
}

func (s *session) fail(err error) {
	var unable CannotRestore
	if errors.As(err, &unable) {
		s.say(map[string]any{"type": "cannot-restore", "reason": unable.Reason})
		return
	}
	s.say(map[string]any{"type": "error", "message": err.Error()})
}

func (s *session) enable(names []string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.enabled = map[string]bool{}
	for _, name := range names {
		s.enabled[name] = true
	}
}

func (s *session) say(fields map[string]any) {
	fields["session"] = s.name
	s.out.write(fields)
}

// ask sends a call or a question, and waits for what comes back.
func (s *session) ask(ctx context.Context, fields map[string]any) (message, error) {
	answer := make(chan message, 1)
	s.mutex.Lock()
	s.calls++
	fields["id"] = s.calls
	s.waiting[s.calls] = answer
	s.mutex.Unlock()
	s.say(fields)
	select {
	case got := <-answer:
		return got, nil
	case <-ctx.Done():
		return message{}, ErrCancelled
	}
}

// Delta is a piece of text that the user sees.
func (t *Turn) Delta(text string) {
	if text != "" {
		t.session.say(map[string]any{"type": "delta", "text": text})
	}
}

// Withdraw takes text off the user's screen again, as before a visible retry: the last characters, or all for 0.
func (t *Turn) Withdraw(characters int) {
	fields := map[string]any{"type": "withdraw"}
	if characters > 0 {
		fields["characters"] = characters
	}
	t.session.say(fields)
}

// Observe reports an event, any JSON, where the case has an observer; for the feature observer.
func (s Setup) Observe(event any) {
	if s.Observed && s.session != nil {
		s.session.say(map[string]any{"type": "event", "event": event})
	}
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

// Result runs the tool, and has its value as well: for pictures a list of parts, as docs/protocol.md describes them.
func (t *Tool) Result(ctx context.Context, arguments json.RawMessage) (string, json.RawMessage, error) {
	got, err := t.session.ask(ctx, map[string]any{"type": "call", "tool": t.Name, "arguments": arguments})
	if err != nil {
		return "", nil, err
	}
	if got.Error != nil {
		return "", nil, errors.New(*got.Error)
	}
	return got.Text, got.Value, nil
}

// Approve asks the user whether this call may run. callID is the model's id of it, and may be empty.
func (t *Tool) Approve(ctx context.Context, callID string, arguments json.RawMessage) (bool, error) {
	fields := map[string]any{"type": "approve", "tool": t.Name, "arguments": arguments}
	if callID != "" {
		fields["call_id"] = callID
	}
	got, err := t.session.ask(ctx, fields)
	if err != nil {
		return false, err
	}
	if got.Allowed == nil {
		return false, ErrPending
	}
	return *got.Allowed, nil
}
