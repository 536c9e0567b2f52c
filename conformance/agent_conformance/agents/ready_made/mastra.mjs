// Mastra's `Agent` as an agent: npm install @mastra/core @ai-sdk/openai @ai-sdk/anthropic @ai-sdk/google
//
// It documents no message amid a run. One that waits for the user is in its storage, which is in memory here.
// Knows the framework's documented surface and the client; nothing of fakes or laws.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent } from '@mastra/core/agent'
import { MastraError } from '@mastra/core/error'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { AgentError, CannotRestore, leadingSystem, Pending, serve, turnsOf } from 'agent-conformance-client'
import { messageOf } from './ai_sdk_messages.mjs'

serve({
  name: 'mastra',
  wires: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'],
  modes: ['plain', 'stream'],
  features: [
    ...['deltas', 'history', 'conversation', 'native-tools', 'request-limit', 'cancel', 'restart'],
    ...['approval', 'sessions', 'model-switch'],
  ],
  together: true,
  errors: [MastraError, '/node_modules/@ai-sdk/', '/node_modules/@mastra/'],
  open: setup => new Conversation(setup),
})

class Conversation {
  constructor(setup) {
    const { system, history } = leadingSystem(setup.history)
    const tools = Object.fromEntries(setup.tools.map(tool => [tool.name, toolOf(tool)]))
    const instructions = [setup.system, system].filter(Boolean).join('\n\n')
    this.setup = setup
    this.agent = new Agent({ id: 'assistant', name: 'Assistant', instructions, model: modelOf(setup), tools })
    if (setup.tools.some(({ approval }) => approval)) {
      new Mastra({ agents: { assistant: this.agent }, storage: new InMemoryStore(), logger: false })
    }
    this.stored = path.join(setup.state_dir, 'messages.json')
    this.parked = path.join(setup.state_dir, 'parked')
    if (existsSync(this.parked)) throw new CannotRestore('a run that waits for the user, which is in memory alone')
    this.messages = existsSync(this.stored) ? JSON.parse(readFileSync(this.stored)) : turnsOf(history).map(messageOf)
    this.limit = setup.limits.requests ? { maxSteps: setup.limits.requests } : {}
    this.stream = setup.stream
    this.model = {}
  }

  switch(setup) {
    this.model = { model: modelOf(setup) }
  }

  async send(text, { signal, delta }) {
    this.messages.push({ role: 'user', content: text })
    const options = { ...this.limit, ...this.model, abortSignal: signal }
    const { agent, messages, stream } = this
    let result = stream ? await streamed(agent.stream(messages, options), delta) : await agent.generate(messages, options)
    while (result.finishReason === 'suspended') result = await this.resumed(result, options, delta)
    if (result.error) throw result.error
    messages.push(...result.response.messages)
    writeFileSync(this.stored, JSON.stringify(messages))
    if (result.finishReason === 'tool-calls') throw new AgentError(`stopped after ${result.steps.length} steps`)
    return result.text
  }

  /** The rest of a run that waited for the user. */
  async resumed({ runId, suspendPayload }, options, delta) {
    const { toolCallId, toolName, args } = suspendPayload
    const allowed = await this.setup.approve({ id: toolCallId, name: toolName, arguments: args }).catch(error => {
      if (error instanceof Pending) writeFileSync(this.parked, runId)
      throw error
    })
    const way = `${allowed ? 'approve' : 'decline'}ToolCall${this.stream ? '' : 'Generate'}`
    const rest = this.agent[way]({ ...options, runId, toolCallId })
    return this.stream ? streamed(rest, delta) : rest
  }
}

async function streamed(begun, delta) {
  const output = await begun
  for await (const piece of output.textStream) delta(piece)
  return output.getFullOutput().catch(error => {
    throw error.stack?.includes('\n') ? error : new AgentError(error.message) // an error of the provider has no stack
  })
}

function modelOf({ wire, base_url: url, api_key: apiKey, model }) {
  if (wire === 'anthropic-messages') return createAnthropic({ baseURL: `${url}/v1`, apiKey })(model)
  if (wire === 'gemini-generate') return createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model)
  const openai = createOpenAI({ baseURL: url, apiKey })
  return wire === 'openai-chat' ? openai.chat(model) : openai.responses(model)
}

function toolOf({ name, description, parameters, approval, call }) {
  const requireApproval = Boolean(approval)
  return createTool({ id: name, description, inputSchema: parameters, requireApproval, execute: input => call(input) })
}
