package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Tool is a tool as it is offered.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Agent is the agent itself: it knows nothing of the suite, but that somebody else runs its tools.
type Agent struct {
	setup    Message
	run      func(tool string, arguments json.RawMessage) (string, error)
	messages []any
}

type answer struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Calls   []call  `json:"tool_calls,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func NewAgent(setup Message, run func(string, json.RawMessage) (string, error)) *Agent {
	agent := &Agent{setup: setup, run: run}
	if setup.System != "" {
		agent.messages = append(agent.messages, map[string]string{"role": "system", "content": setup.System})
	}
	return agent
}

// Turn answers one message of the user.
func (a *Agent) Turn(text string, enabled []string) (string, error) {
	a.messages = append(a.messages, map[string]string{"role": "user", "content": text})
	limit := 20
	if a.setup.Limits != nil && a.setup.Limits.Requests != nil {
		limit = *a.setup.Limits.Requests
	}
	for made := 0; made < limit; made++ {
		reply, err := a.ask(enabled)
		if err != nil {
			return "", err
		}
		if len(reply.Calls) == 0 && (reply.Content == nil || strings.TrimSpace(*reply.Content) == "") {
			return "", errors.New("the model gave no answer")
		}
		a.messages = append(a.messages, reply)
		if len(reply.Calls) == 0 {
			return *reply.Content, nil
		}
		for _, one := range reply.Calls {
			result := a.result(one, enabled)
			a.messages = append(a.messages, map[string]string{"role": "tool", "tool_call_id": one.ID, "content": result})
		}
	}
	return "", errors.New("no answer within the limit")
}

// result is what the model gets back for its call. Mistakes in the call are for the model to correct.
func (a *Agent) result(one call, enabled []string) string {
	name, text := one.Function.Name, one.Function.Arguments
	if !contains(enabled, name) {
		return fmt.Sprintf("Error: there is no tool %s. There is: %s.", name, strings.Join(enabled, ", "))
	}
	if text == "" {
		text = "{}"
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		return "Error: the arguments are no JSON object."
	}
	result, err := a.run(name, json.RawMessage(text))
	if err != nil {
		return "Error: " + err.Error()
	}
	return result
}

func (a *Agent) ask(enabled []string) (*answer, error) {
	request := map[string]any{"model": a.setup.Model, "messages": a.messages}
	var offered []any
	for _, tool := range a.setup.Tools {
		if contains(enabled, tool.Name) {
			offered = append(offered, map[string]any{"type": "function", "function": tool})
		}
	}
	if offered != nil {
		request["tools"] = offered
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequest("POST", a.setup.BaseURL+"/chat/completions", bytes.NewReader(body))
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
	var completion struct {
		Choices []struct{ Message answer }
	}
	if err := json.Unmarshal(content, &completion); err != nil {
		return nil, err
	}
	if len(completion.Choices) == 0 {
		return nil, errors.New("the provider answered without a choice")
	}
	return &completion.Choices[0].Message, nil
}

func contains(names []string, name string) bool {
	for _, one := range names {
		if one == name {
			return true
		}
	}
	return false
}
