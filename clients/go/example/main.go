// A small agent on chat completions, with nothing but the standard library and the client.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	conformance "agentconformance"
)

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type answer struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Calls   []call  `json:"tool_calls,omitempty"`
}

type agent struct {
	setup    conformance.Setup
	messages []any
	said     chan string // what the user says while a turn runs
}

func main() {
	hello := conformance.Hello{
		Wires:    []string{"openai-chat"},
		Features: []string{"conversation", "native-tools", "tool-filter", "request-limit", "approval", "cancel", "steering", "model-switch", "observer"},
		Name:     "go-example",
	}
	open := func(setup conformance.Setup) (conformance.Agent, error) {
		made := &agent{setup: setup, said: make(chan string, 100)}
		if setup.System != "" {
			made.messages = append(made.messages, map[string]string{"role": "system", "content": setup.System})
		}
		return made, nil
	}
	if err := conformance.Serve(hello, open); err != nil {
		log.Fatal(err)
	}
}

// Send keeps what a turn has added only if it ended well: a turn that failed or was cancelled leaves no open call.
func (a *agent) Send(ctx context.Context, text string, _ *conformance.Turn) (string, error) {
	messages := append(append([]any(nil), a.messages...), map[string]string{"role": "user", "content": text})
	limit := 20
	if a.setup.Limits.Requests != nil {
		limit = *a.setup.Limits.Requests
	}
	for made := 0; made < limit; made++ {
		for len(a.said) > 0 {
			messages = append(messages, map[string]string{"role": "user", "content": <-a.said})
		}
		reply, err := a.ask(ctx, messages)
		if err != nil {
			return "", err
		}
		if len(reply.Calls) == 0 && (reply.Content == nil || strings.TrimSpace(*reply.Content) == "") {
			return "", errors.New("the model gave no answer")
		}
		messages = append(messages, reply)
		if len(reply.Calls) == 0 {
			a.messages = messages
			return *reply.Content, nil
		}
		for _, one := range reply.Calls {
			result, err := a.result(ctx, one)
			if err != nil {
				return "", err
			}
			messages = append(messages, map[string]string{"role": "tool", "tool_call_id": one.ID, "content": result})
		}
		a.messages = messages
	}
	return "", errors.New("no answer within the limit")
}

// result is what the model gets back for its call. Mistakes in the call are for the model to correct.
func (a *agent) result(ctx context.Context, one call) (string, error) {
	var names []string
	for _, tool := range a.setup.Tools {
		if !tool.Enabled() {
			continue
		}
		names = append(names, tool.Name)
		if tool.Name != one.Function.Name {
			continue
		}
		text := one.Function.Arguments
		if strings.TrimSpace(text) == "" {
			text = "{}"
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
			return "Error: the arguments are no JSON object.", nil
		}
		if tool.Approval == "ask" {
			allowed, err := tool.Approve(ctx, one.ID, json.RawMessage(text))
			if err != nil || !allowed {
				return "Error: the user did not allow this call.", err
			}
		}
		a.setup.Observe(map[string]string{"tool": tool.Name})
		result, err := tool.Call(ctx, json.RawMessage(text))
		if err != nil {
			return "Error: " + err.Error(), nil
		}
		return result, nil
	}
	return fmt.Sprintf("Error: there is no tool %s. There is: %s.", one.Function.Name, strings.Join(names, ", ")), nil
}

// Steer keeps what the user says until the next request.
func (a *agent) Steer(message string) { a.said <- message }

// Switch goes on with another model.
func (a *agent) Switch(to conformance.Setup) error {
	a.setup.BaseURL, a.setup.APIKey, a.setup.Model = to.BaseURL, to.APIKey, to.Model
	return nil
}

func (a *agent) ask(ctx context.Context, messages []any) (*answer, error) {
	request := map[string]any{"model": a.setup.Model, "messages": messages}
	var offered []any
	for _, tool := range a.setup.Tools {
		if tool.Enabled() {
			offered = append(offered, map[string]any{"type": "function", "function": map[string]any{
				"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters}})
		}
	}
	if offered != nil {
		request["tools"] = offered
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, "POST", a.setup.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Authorization", "Bearer "+a.setup.APIKey)
	post.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(post)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("the provider answered %d: %s", response.StatusCode, content)
	}
	var completion struct{ Choices []struct{ Message answer } }
	if err := json.Unmarshal(content, &completion); err != nil {
		return nil, err
	}
	if len(completion.Choices) == 0 {
		return nil, errors.New("the provider answered without a choice")
	}
	return &completion.Choices[0].Message, nil
}
