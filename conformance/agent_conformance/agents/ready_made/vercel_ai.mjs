// The Vercel AI SDK as an agent: npm install ai @ai-sdk/openai @ai-sdk/anthropic @ai-sdk/google
//
// Knows the SDK's documented surface and the client; nothing of fakes or laws.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { AgentError, CannotRestore, leadingSystem, serve, turnsOf } from 'agent-conformance-client'
import { AISDKError, generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import { messageOf } from './ai_sdk_messages.mjs'

const STEPS = 20 // what the SDK's own agent class has

serve({
  name: 'vercel-ai',
  wires: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'],
  modes: ['plain', 'stream'],
  features: ['deltas', 'history', 'conversation', 'native-tools', 'request-limit', 'tool-filter', 'cancel'],
  errors: [AISDKError],
  open: setup => new Agent(setup),
})

class Agent {
  constructor(setup) {
    const { system, history } = leadingSystem(setup.history)
    if (setup.wire === 'gemini-generate' && history.some(({ role }) => role === 'system')) {
      throw new CannotRestore('a system message within the history, which the SDK refuses to send to Gemini')
    }
    this.setup = setup
    this.messages = turnsOf(history).map(messageOf)
    this.steps = setup.limits.requests ?? STEPS
    this.settings = {
      model: modelOf(setup),
      instructions: [setup.system, system].filter(Boolean).join('\n\n') || undefined,
      tools: Object.fromEntries(setup.tools.map(each => [each.name, toolOf(each)])),
      stopWhen: isStepCount(this.steps),
      prepareStep: () => ({ activeTools: setup.tools.filter(({ enabled }) => enabled).map(({ name }) => name) }),
      allowSystemInMessages: true,
    }
  }

  async send(text, { signal, delta }) {
    this.messages.push({ role: 'user', content: text })
    const options = { ...this.settings, messages: this.messages, abortSignal: signal }
    const result = this.setup.stream ? await streamed(options, delta) : await generateText(options)
    const [steps, reason, reply, added] = await Promise.all([
      result.steps,
      result.finishReason,
      result.text,
      result.responseMessages,
    ])
    this.messages.push(...added)
    if (reason === 'tool-calls' && steps.length >= this.steps) throw new AgentError(`stopped after ${steps.length} steps`)
    return reply
  }
}

/** The result of a stream that was read to its end. An error is a part of it, and fatal if its step has no answer. */
async function streamed(options, delta) {
  let failed
  let said
  const result = streamText(options)
  for await (const part of result.fullStream) {
    if (part.type === 'start-step') failed = said = undefined // the run went on
    if (part.type === 'text-delta') delta((said = part.text))
    if (part.type === 'error') failed = part.error
    if (part.type === 'finish-step' && said && part.finishReason !== 'error') failed = undefined
  }
  if (failed) throw failed
  return result
}

function modelOf({ wire, base_url: url, api_key: apiKey, model }) {
  if (wire === 'anthropic-messages') return createAnthropic({ baseURL: `${url}/v1`, apiKey })(model)
  if (wire === 'gemini-generate') return createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model)
  const openai = createOpenAI({ baseURL: url, apiKey })
  return wire === 'openai-chat' ? openai.chat(model) : openai.responses(model)
}

function toolOf(each) {
  return tool({
    description: each.description,
    inputSchema: jsonSchema(each.parameters),
    execute: input => each.call(input),
  })
}
