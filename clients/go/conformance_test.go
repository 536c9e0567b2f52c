package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
)

// speaker is an agent that is one function; complete adds the methods that features need.
type speaker func(ctx context.Context, message string, turn *Turn) (string, error)

func (s speaker) Send(ctx context.Context, message string, turn *Turn) (string, error) {
	return s(ctx, message, turn)
}

type complete struct{ speaker }

func (complete) Steer(string)                  {}
func (complete) Switch(Setup) error            { return nil }
func (complete) Compact(context.Context) error { return nil }

func says(reply string) speaker {
	return func(context.Context, string, *Turn) (string, error) { return reply, nil }
}

// suite is the other side of serve: it writes lines, and reads what comes back.
type suite struct {
	test *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func start(test *testing.T, hello Hello, open func(Setup) (Agent, error)) *suite {
	in, write := io.Pipe()
	read, out := io.Pipe()
	s := &suite{test, write, bufio.NewReader(read), make(chan error, 1)}
	go func() { s.done <- serve(in, out, hello, open) }()
	return s
}

func (s *suite) write(line string) {
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.test.Fatal(err)
	}
}

func (s *suite) expect(wanted string) {
	s.test.Helper()
	line, err := s.out.ReadBytes('\n')
	var got, want any
	if err != nil || json.Unmarshal(line, &got) != nil || json.Unmarshal([]byte(wanted), &want) != nil {
		s.test.Fatalf("read %q, %v", line, err)
	}
	if !reflect.DeepEqual(got, want) {
		s.test.Errorf("got %s, expected %s", line, wanted)
	}
}

func TestFeatureWithoutItsMethodIsRefused(test *testing.T) {
	for feature, method := range map[string]string{
		"steering": "Steer(string)", "model-switch": "Switch(Setup) error", "compaction": "Compact(context.Context) error",
	} {
		hello := Hello{Features: []string{"conversation", feature}}
		bare := start(test, hello, func(Setup) (Agent, error) { return says("Hello."), nil })
		bare.write(`{"type":"open","session":"s1","tools":[]}`)
		bare.expect(`{"type":"error","session":"s1","controlled":false,"message":"the feature ` + feature +
			` is declared, and the agent that open returns, a conformance.speaker, has no method ` + method + `"}`)

		whole := start(test, hello, func(Setup) (Agent, error) { return complete{says("Hello.")}, nil })
		whole.write(`{"type":"open","session":"s1","tools":[]}`)
		whole.expect(`{"type":"opened","session":"s1"}`)
	}
}

func TestTwoSessionsAreKeptApart(test *testing.T) {
	s := start(test, Hello{}, func(setup Setup) (Agent, error) {
		return speaker(func(ctx context.Context, message string, _ *Turn) (string, error) {
			return setup.Tools[0].Call(ctx, json.RawMessage(`{}`))
		}), nil
	})
	for _, name := range []string{"s1", "s2"} {
		s.write(`{"type":"open","session":"` + name + `","tools":[{"name":"look","enabled":true}]}`)
		s.expect(`{"type":"opened","session":"` + name + `"}`)
		s.write(`{"type":"send","session":"` + name + `","message":"Hi","enabled":["look"]}`)
		s.expect(`{"type":"call","session":"` + name + `","id":1,"tool":"look","arguments":{}}`)
	}
	s.write(`{"type":"cancel","session":"s1"}`)
	s.expect(`{"type":"cancelled","session":"s1"}`)
	s.write(`{"type":"result","session":"s2","id":1,"text":"seen"}`)
	s.expect(`{"type":"reply","session":"s2","text":"seen"}`)
}

func TestWhatComesAfterATurnBelongsToNone(test *testing.T) {
	var kept *Turn
	var over context.Context
	var tool *Tool
	s := start(test, Hello{}, func(setup Setup) (Agent, error) {
		tool = setup.Tools[0]
		return speaker(func(ctx context.Context, _ string, turn *Turn) (string, error) {
			if kept != nil {
				kept.Delta("late")
				_, err := tool.Call(over, nil)
				return err.Error(), nil
			}
			kept, over = turn, ctx
			return "first", nil
		}), nil
	})
	s.write(`{"type":"open","session":"s1","tools":[{"name":"look","enabled":true}]}`)
	s.expect(`{"type":"opened","session":"s1"}`)
	for _, reply := range []string{"first", ErrCancelled.Error()} {
		s.write(`{"type":"send","session":"s1","message":"Hi","enabled":["look"]}`)
		s.expect(`{"type":"reply","session":"s1","text":"` + reply + `"}`)
	}
}

func TestServeEndsWithItsInput(test *testing.T) {
	s := start(test, Hello{}, func(Setup) (Agent, error) { return nil, errors.New("no key") })
	s.write(`{"type":"open","session":"s1","tools":[]}`)
	s.expect(`{"type":"error","session":"s1","message":"no key"}`)
	s.in.Close()
	if err := <-s.done; err != nil {
		test.Error(err)
	}

	broken := start(test, Hello{}, nil)
	broken.write("no JSON")
	if err := <-broken.done; err == nil {
		test.Error("expected an error that says what is no JSON")
	}
}
