// The OpenAI Agents SDK for JavaScript as an agent: npm install @openai/agents openai
//
// Knows the SDK's documented surface and the client; nothing of fakes or laws.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  Agent,
  AgentsError,
  MemorySession,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  RunState,
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
  features: [
    ...['deltas', 'history', 'conversation', 'native-tools', 'request-limit', 'tool-filter', 'cancel', 'restart'],
    ...['approval', 'steering', 'sessions', 'model-switch'],
  ],
  together: true,
  errors: [AgentsError, OpenAIError],
  open: setup => new Conversation(setup),
})

class Conversation {
  constructor(setup) {
    const tools = setup.tools.map(toolOf)
    this.setup = setup
    this.maxTurns = setup.limits.requests ?? undefined
    this.toolNames = Object.fromEntries(setup.tools.map(({ name }, i) => [name, tools[i].name]))
    this.agent = new Agent({ name: 'Assistant', instructions: setup.system || undefined, model: modelOf(setup), tools })
    this.session = new StoredSession(path.join(setup.state_dir, 'items.json'), turnsOf(setup.history).flatMap(itemsOf))
    this.parked = path.join(setup.state_dir, 'parked.json')
    this.said = []
  }

  /** What the user says meanwhile stands at the end of each later request of the run; the SDK keeps it in the session. */
  steer(content) {
    this.said.push({ role: 'user', content })
  }

  switch(setup) {
    this.agent = this.agent.clone({ model: modelOf(setup) })
  }

  async send(text, turn) {
    if (existsSync(this.parked)) await this.#run(await this.#answered(), turn) // it has an answer of its own
    return this.#run(text, turn)
  }

  /** A run, and the rest of it for as long as calls wait for the user. */
  async #run(said, { signal, delta }) {
    for (;;) {
      const result = await run(this.agent, said, {
        session: this.session,
        maxTurns: this.maxTurns,
        signal,
        stream: this.setup.stream,
        callModelInputFilter: ({ modelData }) => ({ ...modelData, input: [...modelData.input, ...this.said] }),
      })
      if (this.setup.stream) {
        for await (const piece of result.toTextStream()) delta(piece)
        await result.completed
      }
      this.said = [] // the session has them
      if (!result.interruptions.length) return result.finalOutput
      writeFileSync(this.parked, result.state.toString())
      said = await this.#answered()
    }
  }

  /** The parked run, with the user's answers about its calls. */
  async #answered() {
    const state = await RunState.fromString(this.agent, readFileSync(this.parked, 'utf8'))
    for (const item of state.getInterruptions()) {
      const { callId: id, name, arguments: args } = item.rawItem
      if (await this.setup.approve({ id, name, arguments: JSON.parse(args || '{}') })) state.approve(item)
      else state.reject(item)
    }
    rmSync(this.parked)
    return state
  }
}

/** Keeps the conversation in a file, as the SDK's guide has it done by a session of one's own. */
class StoredSession extends MemorySession {
  constructor(file, history) {
    super({ initialItems: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : history })
    this.file = file
  }

  async addItems(items) {
    await super.addItems(items)
    writeFileSync(this.file, JSON.stringify(await this.getItems()))
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
    needsApproval: Boolean(each.approval),
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
