// Turns of a history as messages of the AI SDK, which Mastra takes too.
import { CannotRestore } from 'agent-conformance-client'

export function messageOf({ role, text, thinking, calls, results }) {
  if (role === 'tool') return { role, content: results.map(resultPart) }
  if (role !== 'assistant') return { role, content: text }
  const reasoning = thinking ? [{ type: 'reasoning', text: thinking }] : []
  const said = text || !calls.length ? [{ type: 'text', text }] : []
  return { role, content: [...reasoning, ...said, ...calls.map(callPart)] }
}

function callPart(call) {
  const toolCallId = known(call.id, 'a call without an id')
  return { type: 'tool-call', toolCallId, toolName: call.name, input: call.arguments }
}

function resultPart({ id, name, text, isError }) {
  const toolCallId = known(id, 'a result without an id')
  const toolName = known(name, 'a result without its call')
  return { type: 'tool-result', toolCallId, toolName, output: { type: isError ? 'error-text' : 'text', value: text } }
}

function known(value, what) {
  if (value === undefined) throw new CannotRestore(`messages of the AI SDK cannot hold ${what}`)
  return value
}
