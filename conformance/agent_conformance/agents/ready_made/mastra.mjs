// Mastra's `Agent` as an agent: npm install @mastra/core @ai-sdk/openai @ai-sdk/anthropic @ai-sdk/google
//
// Knows the framework's documented surface and the client; nothing of fakes or laws.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent } from '@mastra/core/agent'
import { MastraError } from '@mastra/core/error'
import { createTool } from '@mastra/core/tools'
import { AgentError, leadingSystem, serve, turnsOf } from 'agent-conformance-client'
import { messageOf } from './ai_sdk_messages.mjs'

serve({
  name: 'mastra',
  wires: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'],
  modes: ['plain', 'stream'],
  features: ['deltas', 'history', 'conversation', 'native-tools', 'request-limit', 'cancel'],
  errors: [MastraError, '/node_modules/@ai-sdk/', '/node_modules/@mastra/'],
  open: setup => new Conversation(setup),
})

class Conversation {
  constructor(setup) {
    const { system, history } = leadingSystem(setup.history)
    const tools = Object.fromEntries(setup.tools.map(tool => [tool.name, toolOf(tool)]))
    const instructions = [setup.system, system].filter(Boolean).join('\n\n')
    this.agent = new Agent({ id: 'assistant', name: 'Assistant', instructions, model: modelOf(setup), tools })
    this.messages = turnsOf(history).map(messageOf)
    this.limit = setup.limits.requests ? { maxSteps: setup.limits.requests } : {}
    this.stream = setup.stream
  }

  async send(text, { signal, delta }) {
    this.messages.push({ role: 'user', content: text })
    const options = { ...this.limit, abortSignal: signal }
    const result = this.stream ? await this.streamed(options, delta) : await this.agent.generate(this.messages, options)
    if (result.error) throw result.error
    this.messages.push(...result.response.messages)
    if (result.finishReason === 'tool-calls') throw new AgentError(`stopped after ${result.steps.length} steps`)
    return result.text
  }

  async streamed(options, delta) {
    const output = await this.agent.stream(this.messages, options)
    for await (const piece of output.textStream) delta(piece)
    return output.getFullOutput().catch(error => {
      throw error.stack?.includes('\n') ? error : new AgentError(error.message) // an error of the provider has no stack
    })
  }
}

function modelOf({ wire, base_url: url, api_key: apiKey, model }) {
  if (wire === 'anthropic-messages') return createAnthropic({ baseURL: `${url}/v1`, apiKey })(model)
  if (wire === 'gemini-generate') return createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model)
  const openai = createOpenAI({ baseURL: url, apiKey })
  return wire === 'openai-chat' ? openai.chat(model) : openai.responses(model)
}

function toolOf({ name, description, parameters, call }) {
  return createTool({ id: name, description, inputSchema: parameters, execute: input => call(input) })
}
