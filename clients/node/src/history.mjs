// A history in each wire's own messages, and in neutral turns. It translates and never repairs: what is missing,
// doubled or out of order stays so, because that is often the subject of a scenario.
import { CannotRestore } from './errors.mjs'

/** The text of the system messages at the start, and the other messages. For wires with a field for this text. */
export function leadingSystem(history) {
  const others = history.findIndex(({ role }) => role !== 'system')
  const head = others < 0 ? history.length : others
  const system = history.slice(0, head).map(({ text }) => text)
  return { system: system.join('\n\n'), history: history.slice(head) }
}

/**
 * The history as neutral turns, for agents with messages of their own. Results in a row are one turn:
 * `{role: 'user' | 'system', text}`, `{role: 'assistant', text, thinking, calls: [{id, name, text, arguments}]}`,
 * `{role: 'tool', results: [{id, name, text, isError}]}`. What the history does not have is undefined. Reading
 * `arguments`, their JSON value, throws `CannotRestore` for argument text that is no JSON.
 */
export function turnsOf(history) {
  return runsOf(history).flatMap(([role, run]) => (role === 'tool' ? [{ role, results: run.map(result) }] : run.map(turn)))
}

/** The `messages` of chat completions. Argument text stays verbatim; thinking goes into `thinkingField`, or is left out. */
export function openaiChatMessages(history, system = '', { thinkingField = '' } = {}) {
  const head = system ? [{ role: 'system', content: system }] : []
  return [...head, ...history.map(message => openaiMessage(message, thinkingField))]
}

/** The `input` of Responses: a message, each of its calls and each result are separate items, and none has an `id`. */
export function openaiResponsesItems(history) {
  return history.flatMap(({ role, text, tool_calls: calls = [], tool_call_id: id }) => {
    if (role === 'tool') return [present({ type: 'function_call_output', call_id: id, output: text })]
    const message = text || !calls.length ? [{ role, content: text }] : []
    return [...message, ...calls.map(responsesCall)]
  })
}

/** The `messages` of the Messages API; results in a row share a user message. System messages stay where they are. */
export function anthropicMessages(history) {
  return runsOf(history).flatMap(([role, run]) =>
    role === 'tool' ? [{ role: 'user', content: run.map(anthropicResult) }] : run.map(anthropicMessage),
  )
}

/** The `contents` of generateContent; results in a row share a content. Throws `CannotRestore` for a system message. */
export function geminiContents(history) {
  return runsOf(history).flatMap(([role, run]) => {
    if (role === 'system') {
      throw new CannotRestore("a system message within the history: Gemini's contents have no such role")
    }
    if (role === 'tool') return [{ role: 'user', parts: run.map(geminiResult) }]
    return run.map(message => ({ role: role === 'assistant' ? 'model' : role, parts: geminiParts(message) }))
  })
}

/** The `messages` of Ollama's chat; thinking has its own field. */
export function ollamaMessages(history, system = '') {
  const head = system ? [{ role: 'system', content: system }] : []
  return [...head, ...history.map(ollamaMessage)]
}

/** The `messages` of Cohere's chat. A text beside calls is a message before them; thinking is left out. */
export function cohereMessages(history, system = '') {
  const head = system ? [{ role: 'system', content: system }] : []
  return [...head, ...history.flatMap(cohereMessage)]
}

function turn({ role, text, thinking, tool_calls: calls = [] }) {
  return role === 'assistant' ? { role, text, thinking, calls: calls.map(neutralCall) } : { role, text }
}

function neutralCall(call) {
  const known = present({ id: call.id, name: call.name, text: argumentText(call) })
  return Object.defineProperty(known, 'arguments', { get: () => argumentValue(call), enumerable: true })
}

function result({ tool_call_id: id, name, text, is_error: isError = false }) {
  return present({ id, name, text, isError })
}

function openaiMessage({ role, text, thinking, tool_calls: calls, tool_call_id: id }, thinkingField) {
  if (role === 'tool') return present({ role, tool_call_id: id, content: text })
  if (role !== 'assistant') return { role, content: text }
  return {
    role,
    content: calls ? text || null : text,
    ...(thinking && thinkingField ? { [thinkingField]: thinking } : {}),
    ...(calls ? { tool_calls: calls.map(openaiCall) } : {}),
  }
}

function openaiCall(call) {
  return present({ id: call.id, type: 'function', function: { name: call.name, arguments: argumentText(call) } })
}

function responsesCall(call) {
  return present({ type: 'function_call', call_id: call.id, name: call.name, arguments: argumentText(call) })
}

function anthropicMessage({ role, text, tool_calls: calls }) {
  if (!calls) return { role, content: text }
  return { role, content: [...(text ? [{ type: 'text', text }] : []), ...calls.map(anthropicCall)] }
}

function anthropicCall(call) {
  return present({ type: 'tool_use', id: call.id, name: call.name, input: argumentValue(call) })
}

function anthropicResult({ tool_call_id: id, text, is_error: isError }) {
  return present({ type: 'tool_result', tool_use_id: id, content: text, is_error: isError || undefined })
}

function geminiParts({ text, thinking, tool_calls: calls = [] }) {
  return [
    ...(thinking ? [{ text: thinking, thought: true }] : []),
    ...(text || !(calls.length || thinking) ? [{ text }] : []),
    ...calls.map(call => ({ functionCall: present({ id: call.id, name: call.name, args: argumentValue(call) }) })),
  ]
}

function geminiResult({ tool_call_id: id, name, text, is_error: isError }) {
  return { functionResponse: present({ id, name, response: { [isError ? 'error' : 'output']: text } }) }
}

function ollamaMessage({ role, text, thinking, tool_calls: calls, tool_call_id: id, name }) {
  if (role === 'tool') return present({ role, tool_name: name, tool_call_id: id, content: text })
  return {
    role,
    content: text,
    ...(thinking ? { thinking } : {}),
    ...(calls ? { tool_calls: calls.map(ollamaCall) } : {}),
  }
}

function cohereMessage({ role, text, tool_calls: calls = [], tool_call_id: id }) {
  // An empty text is no content; an empty block is one.
  if (role === 'tool') return [present({ role, tool_call_id: id, content: text || [{ type: 'text', text: '' }] })]
  const message = text || !calls.length ? [{ role, content: text }] : []
  return [...message, ...(calls.length ? [{ role, tool_calls: calls.map(openaiCall) }] : [])]
}

function ollamaCall(call) {
  return present({ id: call.id, function: { name: call.name, arguments: argumentValue(call) } })
}

/** The arguments as the model wrote them, else as JSON. */
function argumentText(call) {
  return call.arguments_text ?? JSON.stringify(call.arguments ?? {})
}

/** Whatever JSON value the arguments are: an array stays an array. */
function argumentValue(call) {
  if (call.arguments_text === undefined) return call.arguments ?? {}
  try {
    return JSON.parse(call.arguments_text)
  } catch {
    const text = JSON.stringify(call.arguments_text.slice(0, 60))
    throw new CannotRestore(`arguments of ${call.name} that are no JSON, where a value is needed: ${text}`)
  }
}

/** The messages in groups of one role, in their order. */
function runsOf(history) {
  const runs = []
  for (const message of history) {
    if (runs.at(-1)?.[0] === message.role) runs.at(-1)[1].push(message)
    else runs.push([message.role, [message]])
  }
  return runs
}

/** Without what the history does not have: an id or a name that is null or undefined. */
function present(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}
