// The OpenAI Agents SDK for JavaScript as an agent: npm install @openai/agents openai
//
// Knows the SDK's documented surface and the client; nothing of fakes or laws.
import {
  Agent,
  AgentsError,
  MemorySession,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { CannotRestore, serve, turnsOf } from 'agent-conformance-client'
import OpenAI, { OpenAIError } from 'openai'

setTracingDisabled(true)

serve({
  name: 'openai-agents-js',
  wires: ['openai-chat', 'openai-responses'],
  modes: ['plain', 'stream'],
  features: ['deltas', 'history', 'conversation', 'native-tools', 'request-limit', 'tool-filter', 'cancel'],
  errors: [AgentsError, OpenAIError],
  open: setup => new Conversation(setup),
})

class Conversation {
  constructor(setup) {
    const tools = setup.tools.map(toolOf)
    this.stream = setup.stream
    this.maxTurns = setup.limits.requests ?? undefined
    this.toolNames = Object.fromEntries(setup.tools.map(({ name }, i) => [name, tools[i].name]))
    this.agent = new Agent({ name: 'Assistant', instructions: setup.system || undefined, model: modelOf(setup), tools })
    this.session = new MemorySession({ initialItems: turnsOf(setup.history).flatMap(itemsOf) })
  }

  async send(text, { signal, delta }) {
    const options = { session: this.session, maxTurns: this.maxTurns, signal }
    if (!this.stream) return (await run(this.agent, text, options)).finalOutput
    const result = await run(this.agent, text, { ...options, stream: true })
    for await (const piece of result.toTextStream()) delta(piece)
    await result.completed
    return result.finalOutput
  }
}

function modelOf({ wire, base_url: baseURL, api_key: apiKey, model }) {
  const client = new OpenAI({ baseURL, apiKey })
  return wire === 'openai-chat' ? new OpenAIChatCompletionsModel(client, model) : new OpenAIResponsesModel(client, model)
}

function toolOf(each) {
  return tool({
    name: each.name,
    description: each.description,
    parameters: each.parameters,
    strict: false,
    execute: input => each.call(input),
    isEnabled: () => each.enabled,
  })
}

/** A turn of the history as items of the SDK. */
function itemsOf({ role, text, calls = [], results }) {
  if (role === 'tool') return results.map(resultItem)
  if (role !== 'assistant') return [{ role, content: text }]
  const said = { role, status: 'completed', content: [{ type: 'output_text', text }] }
  return [...(text || !calls.length ? [said] : []), ...calls.map(callItem)]
}

function callItem(call) {
  const callId = known(call.id, 'a call without an id')
  return { type: 'function_call', callId, name: call.name, arguments: call.text, status: 'completed' }
}

function resultItem({ id, name, text }) {
  const callId = known(id, 'a result without an id')
  const tool = known(name, 'a result without its call')
  return { type: 'function_call_result', callId, name: tool, status: 'completed', output: { type: 'text', text } }
}

function known(value, what) {
  if (value === undefined) throw new CannotRestore(`the SDK's items cannot hold ${what}`)
  return value
}
