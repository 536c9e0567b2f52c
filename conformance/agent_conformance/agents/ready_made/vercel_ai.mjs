// The Vercel AI SDK as an agent: npm install ai @ai-sdk/openai @ai-sdk/anthropic @ai-sdk/google @ai-sdk/amazon-bedrock
//
// Knows the SDK's documented surface and the client; nothing of fakes or laws.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { AgentError, CannotRestore, leadingSystem, Pending, serve, turnsOf } from 'agent-conformance-client'
import * as sdk from 'ai'
import { messageOf } from './ai_sdk_messages.mjs'

const { AISDKError, generateText, jsonSchema, Output, streamText, tool } = sdk
const isVersion6 = !sdk.isStepCount // what Node 20 gets; two names were others
const isStepCount = sdk.isStepCount ?? sdk.stepCountIs
const STEPS = 20 // what the SDK's own agent class has

/** Those of the SDK, by its own check: npm may give a provider another copy of the classes. */
class SdkError extends Error {
  static [Symbol.hasInstance](error) {
    return AISDKError.isInstance(error)
  }
}

serve({
  name: 'vercel-ai',
  wires: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate', 'bedrock-converse'],
  modes: ['plain', 'stream'],
  features: [
    ...['deltas', 'history', 'conversation', 'native-tools', 'request-limit', 'tool-filter', 'cancel', 'restart'],
    ...['approval', 'steering', 'sessions', 'model-switch', 'structured-output', 'tool-choice', 'user-images'],
  ],
  together: true,
  errors: [SdkError],
  open: setup => new Agent(setup),
})

class Agent {
  constructor(setup) {
    const { system, history } = leadingSystem(setup.history)
    if (setup.wire === 'gemini-generate' && history.some(({ role }) => role === 'system')) {
      throw new CannotRestore('a system message within the history, which the SDK refuses to send to Gemini')
    }
    if (setup.wire === 'bedrock-converse' && (setup.system || system) && history.some(({ role }) => role === 'system')) {
      throw new CannotRestore('system messages in several places, which the SDK refuses to send to Bedrock')
    }
    this.setup = setup
    this.stored = path.join(setup.state_dir, 'messages.json')
    this.messages = existsSync(this.stored) ? JSON.parse(readFileSync(this.stored)) : turnsOf(history).map(messageOf)
    this.steered = []
    this.steps = setup.limits.requests ?? STEPS
    this.settings = {
      model: modelOf(setup),
      [isVersion6 ? 'system' : 'instructions']: [setup.system, system].filter(Boolean).join('\n\n') || undefined,
      tools: Object.fromEntries(setup.tools.map(each => [each.name, toolOf(each)])),
      stopWhen: isStepCount(this.steps),
      allowSystemInMessages: true,
      ...(setup.output_schema ? { output: Output.object({ schema: jsonSchema(setup.output_schema) }) } : {}),
    }
  }

  steer(text) {
    this.steered.push({ role: 'user', content: text })
  }

  switch(setup) {
    this.settings.model = modelOf(setup)
  }

  async send(text, { signal, delta, parts }) {
    if (openQuestions(this.messages).length) await this.#run(signal, delta) // what the user was asked comes first
    this.messages.push({ role: 'user', content: parts ? parts.map(partOf) : text })
    return this.#run(signal, delta)
  }

  /** The tools and the choice of a step, and what the user has said meanwhile, unless an earlier step's messages stay. */
  #step({ stepNumber, messages }, isResumed) {
    const said = this.steered.filter(one => !messages.includes(one))
    const choice = stepNumber === 0 && !isResumed ? this.setup.tool_choice : undefined
    return {
      activeTools: this.setup.tools.filter(({ enabled }) => enabled).map(({ name }) => name),
      ...(choice ? { toolChoice: choice.tool ? { type: 'tool', toolName: choice.tool } : choice } : {}),
      ...(said.length ? { messages: [...messages, ...said] } : {}),
    }
  }

  /**
   * Whether calls waited for the user's answers, which are known then. Where the turn is cancelled instead, none of them
   * has run.
   */
  async #ask() {
    const questions = openQuestions(this.messages)
    if (!questions.length) return false
    try {
      const content = []
      for (const { approvalId, call } of questions) {
        const asked = { id: call.toolCallId, name: call.toolName, arguments: call.input }
        content.push({ type: 'tool-approval-response', approvalId, approved: await this.setup.approve(asked) })
      }
      this.messages.push({ role: 'tool', content })
      return true
    } catch (error) {
      if (!(error instanceof Pending)) this.#close(questions, 'The user stopped before this call.')
      throw error
    }
  }

  /** Results for calls that will have none: the SDK refuses a conversation without them. */
  #close(questions, value) {
    const output = { type: 'text', value }
    const content = questions.map(({ call: { toolCallId, toolName } }) => ({ type: 'tool-result', toolCallId, toolName, output }))
    this.messages.push({ role: 'tool', content })
  }

  /** Runs until no call waits for the user, who is asked in between. */
  async #run(signal, delta) {
    for (;;) {
      const questions = openQuestions(this.messages)
      const isResumed = await this.#ask()
      const prepareStep = step => this.#step(step, isResumed)
      const options = { ...this.settings, prepareStep, messages: this.messages, abortSignal: signal }
      const { steps, reason, reply, added } = await this.#result(options, delta).catch(error => {
        if (isResumed) this.#close(questions, 'The turn ended before this call had a result.')
        throw error
      })
      this.messages.push(...added, ...this.steered.splice(0))
      writeFileSync(this.stored, JSON.stringify(this.messages))
      if (openQuestions(this.messages).length) continue
      if (reason === 'tool-calls' && steps.length >= this.steps) throw new AgentError(`stopped after ${steps.length} steps`)
      return reply
    }
  }

  async #result(options, delta) {
    const result = this.setup.stream ? await streamed(options, delta) : await generateText(options)
    const [steps, reason, reply, added] = await Promise.all([
      result.steps,
      result.finishReason,
      result.text,
      result.responseMessages ?? Promise.resolve(result.response).then(({ messages }) => messages),
    ])
    return { steps, reason, reply, added }
  }
}

/** The calls that wait for the user's answer, each with the id of its question. */
function openQuestions(messages) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const answered = new Set(parts.filter(({ type }) => type === 'tool-approval-response').map(({ approvalId }) => approvalId))
  const done = new Set(parts.filter(({ type }) => type === 'tool-result').map(({ toolCallId }) => toolCallId))
  const calls = new Map(parts.filter(({ type }) => type === 'tool-call').map(call => [call.toolCallId, call]))
  return parts
    .filter(({ type, approvalId }) => type === 'tool-approval-request' && !answered.has(approvalId))
    .filter(({ toolCallId }) => !done.has(toolCallId))
    .map(({ approvalId, toolCallId }) => ({ approvalId, call: calls.get(toolCallId) }))
}

function partOf({ type, text, data, media_type: mediaType }) {
  return type === 'text' ? { type, text } : { type: 'file', data, mediaType }
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
  if (wire === 'bedrock-converse') return createAmazonBedrock({ baseURL: url, apiKey, region: 'us-east-1' })(model)
  const openai = createOpenAI({ baseURL: url, apiKey })
  return wire === 'openai-chat' ? openai.chat(model) : openai.responses(model)
}

function toolOf(each) {
  return tool({
    description: each.description,
    inputSchema: jsonSchema(each.parameters),
    needsApproval: Boolean(each.approval),
    execute: input => each.call(input),
  })
}
