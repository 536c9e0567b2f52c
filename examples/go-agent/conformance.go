package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
)

// Message has the fields of all messages of the protocol that this agent needs.
type Message struct {
	Type      string          `json:"type"`
	Session   string          `json:"session,omitempty"`
	Protocol  int             `json:"protocol,omitempty"`
	Wires     []string        `json:"wires,omitempty"`
	Features  []string        `json:"features,omitempty"`
	Reuse     bool            `json:"reuse,omitempty"`
	Wire      string          `json:"wire,omitempty"`
	BaseURL   string          `json:"base_url,omitempty"`
	APIKey    string          `json:"api_key,omitempty"`
	Model     string          `json:"model,omitempty"`
	System    string          `json:"system,omitempty"`
	Tools     []Tool          `json:"tools,omitempty"`
	Limits    *Limits         `json:"limits,omitempty"`
	Message   string          `json:"message,omitempty"`
	Enabled   []string        `json:"enabled,omitempty"`
	ID        int             `json:"id,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Text      *string         `json:"text,omitempty"`
	Error     *string         `json:"error,omitempty"`
}

type Limits struct {
	Requests *int `json:"requests"`
}

// Bridge lets the suite drive the agent: one line a message, turns in a goroutine, so that results can come in.
type Bridge struct {
	mutex   sync.Mutex
	out     *json.Encoder
	calls   int
	waiting map[int]chan Message
	agent   *Agent
}

// Conformance speaks the protocol on standard input and output until the suite ends it.
func Conformance() error {
	bridge := &Bridge{out: json.NewEncoder(os.Stdout), waiting: map[int]chan Message{}}
	lines := bufio.NewReader(os.Stdin)
	decoder := json.NewDecoder(lines)
	for decoder.More() {
		var message Message
		if err := decoder.Decode(&message); err != nil {
			return err
		}
		bridge.take(message)
	}
	return nil
}

func (b *Bridge) take(message Message) {
	switch message.Type {
	case "hello":
		b.say(Message{
			Type: "hello", Protocol: 1, Wires: []string{"openai-chat"}, Reuse: true,
			Features: []string{"conversation", "native-tools", "tool-filter", "request-limit"},
		})
	case "open":
		b.agent = NewAgent(message, func(tool string, arguments json.RawMessage) (string, error) {
			return b.call(message.Session, tool, arguments)
		})
	case "send":
		go b.turn(message)
	case "result":
		b.mutex.Lock()
		waiting := b.waiting[message.ID]
		delete(b.waiting, message.ID)
		b.mutex.Unlock()
		waiting <- message
	}
}

func (b *Bridge) turn(message Message) {
	reply, err := b.agent.Turn(message.Message, message.Enabled)
	if err != nil {
		b.fail(message.Session, err)
		return
	}
	b.say(Message{Type: "reply", Session: message.Session, Text: &reply})
}

// fail reports a controlled failure. A panic is not one: it ends the process, and is a crash with its stack.
func (b *Bridge) fail(session string, err error) {
	b.write(map[string]any{"type": "error", "session": session, "message": err.Error()})
}

func (b *Bridge) call(session, tool string, arguments json.RawMessage) (string, error) {
	result := make(chan Message, 1)
	b.mutex.Lock()
	b.calls++
	id := b.calls
	b.waiting[id] = result
	b.mutex.Unlock()
	b.say(Message{Type: "call", Session: session, ID: id, Tool: tool, Arguments: arguments})
	received := <-result
	if received.Error != nil {
		return "", errors.New(*received.Error)
	}
	return *received.Text, nil
}

func (b *Bridge) say(message Message) { b.write(message) }

func (b *Bridge) write(message any) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if err := b.out.Encode(message); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
