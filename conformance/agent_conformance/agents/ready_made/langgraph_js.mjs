// LangGraph.js's prebuilt agent as an agent: npm install @langchain/langgraph @langchain/core @langchain/openai ...
//
// Knows the framework's documented surface and the client; nothing of fakes or laws.
import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { MemorySaver } from '@langchain/langgraph'
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
  features: ['deltas', 'history', 'conversation', 'native-tools', 'request-limit', 'cancel'],
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
    this.graph = createReactAgent({
      llm: modelOf(setup),
      tools: setup.tools.map(toolOf),
      prompt: [setup.system, system].filter(Boolean).join('\n\n') || undefined,
      checkpointer: new MemorySaver(),
    })
  }

  async send(text, { signal, delta }) {
    const messages = [...this.unsent.splice(0), new HumanMessage(text)]
    let reply
    for await (const [mode, event] of await this.graph.stream({ messages }, { ...this.options, signal })) {
      if (mode === 'values') reply = event.messages.at(-1).text
      else if (event[0].getType() === 'ai') delta(event[0].text)
    }
    return reply
  }
}

function modelOf({ wire, base_url: url, api_key: apiKey, model, stream: streaming }) {
  if (wire === 'anthropic-messages') return new ChatAnthropic({ model, apiKey, anthropicApiUrl: url, streaming })
  if (wire === 'gemini-generate') return new ChatGoogleGenerativeAI({ model, apiKey, baseUrl: url, streaming })
  if (wire === 'ollama-chat') {
    return new ChatOllama({ model, baseUrl: url, headers: { Authorization: `Bearer ${apiKey}` }, streaming })
  }
  const useResponsesApi = wire === 'openai-responses'
  return new ChatOpenAI({ model, apiKey, configuration: { baseURL: url }, useResponsesApi, streaming })
}

function toolOf({ name, description, parameters, call }) {
  return tool(call, { name, description, schema: parameters })
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
