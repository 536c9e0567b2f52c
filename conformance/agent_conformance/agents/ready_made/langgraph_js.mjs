// LangGraph.js's prebuilt agent as an agent: npm install @langchain/langgraph @langchain/core @langchain/openai ...
//
// Knows the framework's documented surface and the client; nothing of fakes or laws.
import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { Command, interrupt, MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'
import { CannotRestore, leadingSystem, serve } from 'agent-conformance-client'

// Most of what the framework and the vendors' SDKs throw on purpose is a plain `Error`, or an SDK's own class.
const DELIBERATE = ['@langchain/', 'openai/', '@anthropic-ai/sdk/', '@google/generative-ai/', 'ollama/']

serve({
  name: 'langgraph-js',
  wires: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate', 'ollama-chat'],
  modes: ['plain', 'stream'],
  features: [
    ...['deltas', 'history', 'conversation', 'native-tools', 'request-limit', 'cancel'],
    ...['approval', 'steering', 'sessions', 'model-switch', 'fallback'],
  ],
  together: true,
  errors: DELIBERATE.map(folder => `/node_modules/${folder}`),
  open: setup => new Agent(setup),
})

class Agent {
  constructor(setup) {
    const { system, history } = leadingSystem(setup.history)
    if (setup.wire === 'gemini-generate') refuseForGemini(history)
    this.unsent = history.map(messageOf)
    this.options = { configurable: { thread_id: '1' }, streamMode: setup.stream ? ['values', 'messages'] : ['values'] }
    // A request and the run of its tools are one step each, as the documents count them.
    if (setup.limits.requests) this.options.recursionLimit = 2 * setup.limits.requests
    this.setup = setup
    this.questions = []
    this.said = []
    // Its guide turns retries off where there is a fallback.
    this.model = modelOf(setup.fallback ? { ...setup, maxRetries: 0 } : setup)
    const tools = setup.tools.map(toolOf)
    const second = setup.fallback && fallbackOf(setup.fallback, setup.stream).bindTools(tools)
    this.graph = createReactAgent({
      llm: () => (second ? this.model.bindTools(tools).withFallbacks([second]) : this.model.bindTools(tools)),
      tools,
      prompt: [setup.system, system].filter(Boolean).join('\n\n') || undefined,
      preModelHook: () => ({ messages: this.said.splice(0).map(text => new HumanMessage(text)) }),
      checkpointer: new MemorySaver(),
    })
  }

  steer(text) {
    this.said.push(text)
  }

  switch(setup) {
    this.model = modelOf({ ...this.setup, ...setup })
  }

  async send(text, turn) {
    if (this.questions.length) await this.#run(await this.#answers(), turn) // it has an answer of its own
    return this.#run({ messages: [...this.unsent.splice(0), new HumanMessage(text)] }, turn)
  }

  /** A run, and the rest of it for as long as calls wait for the user. */
  async #run(said, { signal, delta }) {
    for (;;) {
      let reply
      for await (const [mode, event] of await this.graph.stream(said, { ...this.options, signal })) {
        if (mode === 'messages') {
          if (event[0].getType() === 'ai') delta(event[0].text)
        } else if (event.__interrupt__) this.questions = event.__interrupt__
        else reply = event.messages.at(-1).text
      }
      if (!this.questions.length) return reply
      said = await this.#answers()
    }
  }

  async #answers() {
    const answers = {}
    for (const { id, value } of this.questions) answers[id] = await this.setup.approve(value)
    this.questions = []
    return new Command({ resume: answers })
  }
}

function fallbackOf(second, stream) {
  if (second.provider === 'mistral') throw new CannotRestore('Mistral is asked through a class of its own, of @langchain/mistralai')
  return modelOf({ ...second, stream })
}

function modelOf({ wire, base_url: url, api_key: apiKey, model, stream: streaming, maxRetries }) {
  const options = { model, streaming, ...(maxRetries === undefined ? {} : { maxRetries }) }
  if (wire === 'anthropic-messages') return new ChatAnthropic({ ...options, apiKey, anthropicApiUrl: url })
  if (wire === 'gemini-generate') return new ChatGoogleGenerativeAI({ ...options, apiKey, baseUrl: url })
  if (wire === 'ollama-chat') {
    return new ChatOllama({ ...options, baseUrl: url, headers: { Authorization: `Bearer ${apiKey}` } })
  }
  const useResponsesApi = wire === 'openai-responses'
  return new ChatOpenAI({ ...options, apiKey, configuration: { baseURL: url }, useResponsesApi })
}

function toolOf({ name, description, parameters, call, approval }) {
  const asking = input => (interrupt({ name, arguments: input }) ? call(input) : 'The user did not allow this call.')
  return tool(approval ? asking : call, { name, description, schema: parameters })
}

/** What messages for Gemini cannot hold: it refuses them itself, before each request. */
function refuseForGemini(history) {
  for (const { role, name } of history) {
    if (role === 'system') throw new CannotRestore('a system message within the history, on Gemini')
    if (role === 'tool') known(name, 'a result without its call, on Gemini')
  }
}

/** A message of the history as one of the framework's. */
function messageOf({ role, text, tool_calls: calls = [], tool_call_id: id, name, is_error: isError }) {
  if (role === 'user') return new HumanMessage(text)
  if (role === 'system') return new SystemMessage(text)
  if (role === 'tool') {
    const tool_call_id = known(id, 'a result without an id')
    return new ToolMessage({ content: text, tool_call_id, name: name ?? undefined, status: isError ? 'error' : 'success' })
  }
  const parsed = calls.map(callOf)
  const tool_calls = parsed.filter(({ type }) => type === 'tool_call')
  const invalid_tool_calls = parsed.filter(({ type }) => type === 'invalid_tool_call')
  return new AIMessage({ content: text, tool_calls, invalid_tool_calls })
}

/** A call of the history; one whose arguments are no object is invalid, as in the framework's own parser. */
function callOf({ id, name, arguments: args, arguments_text: text }) {
  const value = text === undefined ? (args ?? {}) : valueOf(text)
  const known = { id: id ?? undefined, name }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ...known, args: value, type: 'tool_call' }
  return { ...known, args: text, error: 'no JSON object', type: 'invalid_tool_call' }
}

function valueOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function known(value, what) {
  if (value === undefined || value === null) throw new CannotRestore(`LangChain's messages cannot hold ${what}`)
  return value
}
