#!/bin/bash
# An agent in bash, jq and curl that speaks ACP: chat completions without streams, one MCP server over streamable HTTP.
OWN='[{"type":"function","function":{"name":"run_command","description":"Runs a command.","parameters":{"type":"object","properties":{}}}}]'
HEADERS=$(mktemp) SHOWN=$(mktemp) MESSAGES='[]' TOOLS='[]' SERVER='' SESSION=''
trap 'rm -f "$HEADERS" "$SHOWN"' EXIT

write() { jq -cn "$@"; }

request() { # of the MCP server: method, params
  local body
  body=$(write --arg method "$1" --argjson params "$2" '{jsonrpc: "2.0", id: 1, $method, $params}')
  curl -sS -D "$HEADERS" -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \
    ${SESSION:+-H "mcp-session-id: $SESSION"} -d "$body" "$SERVER" | sed -n 's/^data: //; /^{/p' | head -1
}

ask() {
  jq -c --arg model "$OPENAI_MODEL" --argjson own "$OWN" --argjson tools "$TOOLS" \
    '{$model, messages: ., tools: ($own + $tools)}' <<<"$MESSAGES" |
    curl -sS -w '\n%{http_code}' -H 'content-type: application/json' -H "authorization: Bearer $OPENAI_API_KEY" \
      -d @- "$OPENAI_BASE_URL/chat/completions"
}

result_of() { # a call
  local name arguments
  name=$(jq -r .function.name <<<"$1")
  if ! jq -e --arg name "$name" 'any(.[]; .function.name == $name)' <<<"$TOOLS" >/dev/null; then
    echo "There is no tool $name."
  elif ! arguments=$(jq -ce '.function.arguments | if test("^\\s*$") then {} else fromjson end | objects' <<<"$1" 2>/dev/null); then
    echo "The arguments are no JSON object."
  else
    request tools/call "$(write --arg name "$name" --argjson arguments "$arguments" '{$name, $arguments}')" |
      jq -r 'if .error then "Error: " + .error.message else [.result.content[] | .text // ""] | join("\n") end'
  fi
}

turn() { # what the user says; in OUTCOME how it ends
  local kept=$MESSAGES all answer call calls text
  MESSAGES=$(jq -c --arg text "$1" '. + [{role: "user", content: $text}]' <<<"$MESSAGES")
  for _ in $(seq 20); do
    all=$(ask) answer=${all%$'\n'*}
    text=$(jq -r '.choices[0].message.content // ""' <<<"$answer")
    calls=$(jq -c '.choices[0].message.tool_calls // [] | .[]' <<<"$answer")
    if [ "${all##*$'\n'}" != 200 ] || [ "$(jq -r '.choices[0].finish_reason' <<<"$answer")" = length ] ||
      [ -z "$calls${text//[[:space:]]/}" ]; then
      MESSAGES=$kept OUTCOME='{"error": {"code": -32000, "message": "the provider failed, or its answer was cut off or blank"}}'
      return
    fi
    MESSAGES=$(jq -c --argjson answer "$answer" '. + [$answer.choices[0].message | {role, content, tool_calls} | with_entries(select(.value))]' <<<"$MESSAGES")
    if [ -z "$calls" ]; then
      write --arg text "$text" '{jsonrpc: "2.0", method: "session/update", params: {sessionId: "s", update: {sessionUpdate: "agent_message_chunk", content: {type: "text", $text}}}}'
      OUTCOME='{"result": {"stopReason": "end_turn"}}'
      return
    fi
    while IFS= read -r call; do
      MESSAGES=$(jq -c --argjson call "$call" --arg content "$(result_of "$call")" '. + [{role: "tool", tool_call_id: $call.id, $content}]' <<<"$MESSAGES")
    done <<<"$calls"
  done
  OUTCOME='{"result": {"stopReason": "max_turn_requests"}}'
}

while IFS= read -r line; do
  OUTCOME='{"result": {}}'
  case "$(jq -r '.method // ""' <<<"$line")" in
    initialize)
      OUTCOME='{"result": {"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": {"http": true}}, "agentInfo": {"name": "in-a-shell", "version": "0"}}}' ;;
    session/new)
      SERVER=$(jq -r 'first(.params.mcpServers[] | select(.type == "http") | .url) // ""' <<<"$line") MESSAGES='[]' TOOLS='[]' SESSION=''
      if [ -n "$SERVER" ]; then
        request initialize '{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "in-a-shell", "version": "0"}}' >"$SHOWN"
        SESSION=$(sed -n 's/^mcp-session-id: *//Ip' "$HEADERS" | tr -d '\r')
        TOOLS=$(request tools/list '{}' | jq -c '[.result.tools[] | {type: "function", function: {name, description, parameters: .inputSchema}}]')
      fi
      OUTCOME='{"result": {"sessionId": "s"}}' ;;
    session/prompt)
      turn "$(jq -r '[.params.prompt[].text] | join("")' <<<"$line")" ;;
    *) continue ;;
  esac
  jq -c --argjson outcome "$OUTCOME" '{jsonrpc, id} + $outcome' <<<"$line"
done
