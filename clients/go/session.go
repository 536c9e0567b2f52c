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

// message has what the suite sends, of whatever type.
type message struct {
	Type    string          `json:"type"`
	Session string          `json:"session"`
	Message string          `json:"message"`
	Parts   json.RawMessage `json:"parts"`
	Compact bool            `json:"compact"`
	Enabled []string        `json:"enabled"`
	ID      int             `json:"id"`
	Text    string          `json:"text"`
	Value   json.RawMessage `json:"value"`
	Error   *string         `json:"error"`
	Allowed *bool           `json:"allowed"`
	Observe bool            `json:"observe"`
	Setup
}

// helloMessage is the answer to hello.
type helloMessage struct {
	Type     string `json:"type"`
	Protocol int    `json:"protocol"`
	Reuse    bool   `json:"reuse"`
	Opened   bool   `json:"opened"`
	Hello
}

// session is one conversation, between open and close.
type session struct {
	name     string
	write    func(any)
	agent    Agent
	mutex    sync.Mutex // of what stands below
	enabled  map[string]bool
	calls    int
	waiting  map[int]chan message
	turn     *Turn // the one that runs
	cancel   context.CancelFunc
	switched []Setup // what the next turn begins with
}

func serve(input io.Reader, output io.Writer, hello Hello, open func(Setup) (Agent, error)) error {
	var mutex sync.Mutex
	encoder := json.NewEncoder(output)
	write := func(value any) {
		mutex.Lock()
		defer mutex.Unlock()
		if err := encoder.Encode(value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	sessions := map[string]*session{}
	defer func() {
		for _, one := range sessions {
			one.take(message{Type: "close"})
		}
	}()
	lines := bufio.NewReaderSize(input, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			var got message
			if err := json.Unmarshal(line, &got); err != nil {
				return fmt.Errorf("a line of the suite: %w", err)
			}
			one := sessions[got.Session]
			switch {
			case got.Type == "hello":
				write(helloMessage{"hello", 1, true, true, hello})
			case got.Type == "open":
				one = &session{name: got.Session, write: write, waiting: map[int]chan message{}}
				if one.open(got, line, hello.Features, open) {
					sessions[got.Session] = one
				}
			case one != nil: // a later version of the suite may send other messages
				one.take(got)
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

// open makes the agent, says how that went, and whether it went well.
func (s *session) open(got message, line []byte, features []string, open func(Setup) (Agent, error)) bool {
	var declared struct {
		Tools []struct {
			Name    string
			Enabled bool
		}
	}
	_ = json.Unmarshal(line, &declared) // it was decoded before
	s.enabled = map[string]bool{}
	for _, tool := range declared.Tools {
		s.enabled[tool.Name] = tool.Enabled
	}
	setup := got.Setup
	setup.Raw, setup.session, setup.observed = line, s, got.Observe
	for _, tool := range setup.Tools {
		tool.session = s
	}
	agent, err := open(setup)
	if err != nil {
		s.say(failed(err))
		return false
	}
	for _, feature := range features {
		if method := missing(feature, agent); method != "" {
			why := fmt.Sprintf("the feature %s is declared, and the agent that open returns, a %T, has no method %s", feature, agent, method)
			s.say(map[string]any{"type": "error", "message": why, "controlled": false})
			return false
		}
	}
	s.agent = agent
	opened := map[string]any{"type": "opened"}
	if agent, ok := agent.(ToolNamer); ok && len(agent.ToolNames()) > 0 {
		opened["tool_names"] = agent.ToolNames()
	}
	s.say(opened)
	return true
}

func (s *session) take(got message) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if got.Enabled != nil {
		s.enabled = map[string]bool{}
		for _, name := range got.Enabled {
			s.enabled[name] = true
		}
	}
	switch got.Type {
	case "send":
		var ctx context.Context
		ctx, s.cancel = context.WithCancel(context.Background())
		s.turn = &Turn{Parts: got.Parts, session: s}
		go s.run(ctx, s.turn, got, s.switched)
		s.switched = nil
	case "result", "approval":
		if waiting := s.waiting[got.ID]; waiting != nil {
			delete(s.waiting, got.ID)
			waiting <- got
		}
	case "cancel":
		if s.turn != nil {
			s.cancel()
		}
	case "steer":
		if agent, ok := s.agent.(Steerer); ok {
			s.mutex.Unlock() // it may ask whether a tool is enabled
			agent.Steer(got.Message)
			s.mutex.Lock()
		}
	case "switch":
		got.Setup.session = s
		s.switched = append(s.switched, got.Setup)
	case "close":
		if agent, ok := s.agent.(Closer); ok {
			s.mutex.Unlock()
			agent.Close()
			s.mutex.Lock()
		}
	}
}

// run is one turn. However one ends that was cancelled, it counts as cancelled.
func (s *session) run(ctx context.Context, turn *Turn, got message, switched []Setup) {
	reply, err := s.answer(ctx, turn, got, switched)
	ended := map[string]any{"type": "reply", "text": reply}
	switch {
	case ctx.Err() != nil:
		ended = map[string]any{"type": "cancelled"}
	case err != nil:
		ended = failed(err)
	case reply == "":
		ended["text"] = nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.turn = nil // what comes after the turn belongs to none
	s.cancel()
	s.say(ended)
}

func (s *session) answer(ctx context.Context, turn *Turn, got message, switched []Setup) (string, error) {
	for _, to := range switched {
		if agent, ok := s.agent.(Switcher); ok {
			if err := agent.Switch(to); err != nil {
				return "", err
			}
		}
	}
	if agent, ok := s.agent.(Compacter); ok && got.Compact {
		if err := agent.Compact(ctx); err != nil {
			return "", err
		}
	}
	return s.agent.Send(ctx, got.Message, turn)
}

// failed is the message for an error.
func failed(err error) map[string]any {
	var unable CannotRestore
	switch {
	case errors.Is(err, ErrPending):
		return map[string]any{"type": "parked"}
	case errors.As(err, &unable):
		return map[string]any{"type": "cannot-restore", "reason": unable.Reason}
	}
	return map[string]any{"type": "error", "message": err.Error()}
}

func (s *session) say(fields map[string]any) {
	fields["session"] = s.name
	s.write(fields)
}

func (t *Turn) say(fields map[string]any) {
	t.session.mutex.Lock()
	defer t.session.mutex.Unlock()
	if t.session.turn == t {
		t.session.say(fields)
	}
}

// ask sends a call or a question, and waits for what comes back.
func (s *session) ask(ctx context.Context, fields map[string]any) (message, error) {
	if ctx.Err() != nil {
		return message{}, ErrCancelled
	}
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
