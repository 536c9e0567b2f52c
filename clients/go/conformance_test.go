package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

type plain struct{ setup Setup }

func (p plain) Send(ctx context.Context, message string, turn *Turn) (string, error) {
	p.setup.Observe(map[string]string{"event": "began"})
	turn.Delta("draft")
	turn.Withdraw(0)
	for _, tool := range p.setup.Tools {
		_, value, err := tool.Result(ctx, json.RawMessage(`{}`))
		if err != nil {
			return "", err
		}
		return string(value), nil
	}
	return message, nil
}

type compacting struct {
	plain
	compacted *bool
}

func (c compacting) Compact() error { *c.compacted = true; return nil }

func (c compacting) ToolNames() map[string]string { return map[string]string{"a b": "a_b"} }

// said plays these lines of the suite, and returns what the agent writes until it has written this many messages.
func said(t *testing.T, hello Hello, open func(Setup) (Agent, error), count int, lines ...string) []map[string]any {
	t.Helper()
	input, suite := io.Pipe()
	agent, output := io.Pipe()
	go func() { _ = serve(input, output, hello, open) }()
	go func() {
		for _, line := range lines {
			_, _ = io.WriteString(suite, line+"\n")
		}
	}()
	written := []map[string]any{}
	for scanner := bufio.NewScanner(agent); len(written) < count && scanner.Scan(); {
		var message map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &message); err != nil {
			t.Fatal(err)
		}
		written = append(written, message)
		if message["type"] == "call" {
			go func() {
				_, _ = io.WriteString(suite, `{"type":"result","session":"s","id":1,"text":"[image/png]","value":[{"type":"image"}]}`+"\n")
			}()
		}
	}
	return written
}

const openLine = `{"type":"open","session":"s","wire":"openai-chat","observe":true,"tools":[{"name":"look","deferred":true}]}`

func TestDeclaredFeatureWithoutItsMethodIsRefused(t *testing.T) {
	for feature, method := range map[string]string{"steering": "Steer", "model-switch": "Switch", "compaction": "Compact"} {
		open := func(setup Setup) (Agent, error) { return plain{setup}, nil }
		got := said(t, Hello{Features: []string{feature}}, open, 1, openLine)[0]
		text, _ := got["message"].(string)
		if got["type"] != "error" || got["controlled"] != false || !strings.Contains(text, feature+" is declared") ||
			!strings.Contains(text, "no method "+method) {
			t.Errorf("%s: %v", feature, got)
		}
	}
}

func TestAgentReportsWithdrawsAndGetsTheValueOfAResult(t *testing.T) {
	open := func(setup Setup) (Agent, error) {
		if !setup.Tools[0].Deferred {
			t.Error("the tool is deferred")
		}
		return plain{setup}, nil
	}
	got := said(t, Hello{}, open, 6, openLine, `{"type":"send","session":"s","message":"Hi","enabled":["look"]}`)
	kinds := []string{}
	for _, one := range got {
		kinds = append(kinds, one["type"].(string))
	}
	if strings.Join(kinds, " ") != "opened event delta withdraw call reply" {
		t.Error(kinds)
	}
	if got[5]["text"] != `[{"type":"image"}]` {
		t.Error(got[5])
	}
}

func TestCompactionComesBeforeTheMessageAndToolNamesAreSaid(t *testing.T) {
	compacted := false
	open := func(setup Setup) (Agent, error) { return compacting{plain{setup}, &compacted}, nil }
	hello := Hello{Features: []string{"compaction"}}
	got := said(t, hello, open, 3, openLine, `{"type":"send","session":"s","message":"Hi","compact":true,"enabled":[]}`)
	names, _ := got[0]["tool_names"].(map[string]any)
	if names["a b"] != "a_b" || !compacted {
		t.Error(got[0], compacted)
	}
}
