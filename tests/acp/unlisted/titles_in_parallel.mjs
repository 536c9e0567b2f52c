// An agent in Node that speaks ACP without an SDK: streamed chat completions, MCP servers over stdio, a tool of its own.
// It asks for a title while it answers, and its questions to the user name no tool: only its updates do.
import { spawn } from 'node:child_process'
import readline from 'node:readline'
import { Readable } from 'node:stream'

const { OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL } = process.env
const URL_OF_MODEL = `${OPENAI_BASE_URL}/chat/completions`
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` }
const TODO = { name: 'todo', description: 'Writes the list of things to do.', parameters: { type: 'object', properties: {} } }
const OPTIONS = [
  { optionId: 'y', name: 'Yes, always', kind: 'allow_always' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
]
const ROUNDS = 20

/** Requests in lines of JSON, to a client or an MCP server; `answer` takes what comes back. */
class Peer {
  #waiting = new Map()
  #last = 0

  constructor(write) {
    this.write = message => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  request(method, params) {
    const id = ++this.#last
    this.write({ id, method, params })
    return new Promise(resolve => this.#waiting.set(id, resolve))
  }

  answer({ id, result, error }) {
    this.#waiting.get(id)?.(result ?? { error })
  }
}

const client = new Peer(text => process.stdout.write(text))
const sessions = new Map()

async function toolServer({ command, args }) {
  const program = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const server = new Peer(text => program.stdin.write(text))
  readline.createInterface({ input: program.stdout }).on('line', line => server.answer(JSON.parse(line)))
  const about = { name: 'titles', version: '1' }
  await server.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: about })
  server.write({ method: 'notifications/initialized' })
  return server
}

async function newSession({ mcpServers }) {
  const tools = {}
  for (const one of mcpServers) {
    const server = await toolServer(one)
    for (const tool of (await server.request('tools/list', {})).tools) tools[`${one.name}.${tool.name}`.replace(/\W/g, '-')] = { server, tool }
  }
  const sessionId = `s-${sessions.size + 1}`
  sessions.set(sessionId, { sessionId, tools, messages: [] })
  return { sessionId }
}

function post(body, signal) {
  return fetch(URL_OF_MODEL, { method: 'POST', headers: HEADERS, signal, body: JSON.stringify({ model: OPENAI_MODEL, ...body }) })
}

function update(sessionId, update) {
  client.write({ method: 'session/update', params: { sessionId, update } })
}

/** The model's message: its text is shown piece by piece. */
async function asked({ sessionId, tools, messages }, signal) {
  const functions = Object.entries(tools).map(([name, { tool }]) => ({ name, description: tool.description, parameters: tool.inputSchema }))
  const offered = [TODO, ...functions].map(each => ({ type: 'function', function: each }))
  const response = await post({ messages, tools: offered, stream: true }, signal)
  if (!response.ok) throw new Error(`the provider answered ${response.status}`)
  const message = { content: '', calls: [] }
  for await (const line of readline.createInterface({ input: Readable.fromWeb(response.body) })) {
    if (!line.startsWith('data:') || line.includes('[DONE]')) continue
    const { delta = {}, finish_reason: reason } = JSON.parse(line.slice(5)).choices?.[0] ?? {}
    if (reason === 'length') throw new Error('the answer was cut off')
    if (delta.content) {
      message.content += delta.content
      update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: delta.content } })
    }
    for (const { index, id, function: part } of delta.tool_calls ?? []) {
      const call = (message.calls[index] ??= { id, type: 'function', function: { name: '', arguments: '' } })
      call.function.name ||= part?.name ?? ''
      call.function.arguments += part?.arguments ?? ''
    }
  }
  return message
}

/** The result of a call, after the user has been asked about what goes on. */
async function resultOf({ sessionId, tools }, { id, function: { name, arguments: text } }) {
  update(sessionId, { sessionUpdate: 'tool_call', toolCallId: id, title: name, status: 'pending' })
  const called = tools[name]
  const values = parsed(text)
  let result = called ? 'The arguments are no JSON object.' : `There is no tool ${name}.`
  if (called && values) {
    const question = { toolCallId: `question-about-${sessionId}`, title: 'Go on?' }
    const { outcome } = await client.request('session/request_permission', { sessionId, toolCall: question, options: OPTIONS })
    const answer = outcome?.optionId === 'y' && (await called.server.request('tools/call', { name: called.tool.name, arguments: values }))
    result = answer ? (answer.content?.map(block => block.text ?? '').join('\n') ?? `Error: ${answer.error?.message}`) : 'The user said no.'
  }
  update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' })
  return { role: 'tool', tool_call_id: id, content: result }
}

function parsed(text) {
  try {
    const value = JSON.parse(text || '{}')
    return value && typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

async function prompt({ sessionId, prompt: blocks }) {
  const session = sessions.get(sessionId)
  const { messages } = session
  const text = blocks.map(block => block.text).join('')
  const title = messages.length ? null : post({ messages: [{ role: 'user', content: `Name this chat in three words: ${text}` }] })
  session.stop = new AbortController()
  messages.push({ role: 'user', content: text })
  const kept = messages.length
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const { content, calls } = await asked(session, session.stop.signal)
      if (!calls.length) {
        if (!content.trim()) throw new Error('the model said nothing')
        messages.push({ role: 'assistant', content })
        await title?.catch(() => {})
        return { stopReason: 'end_turn' }
      }
      messages.push({ role: 'assistant', content: content || null, tool_calls: calls })
      for (const call of calls) messages.push(await resultOf(session, call))
    }
    return { stopReason: 'max_turn_requests' }
  } catch (error) {
    messages.length = kept
    if (session.stop.signal.aborted) return { stopReason: 'cancelled' }
    throw error
  }
}

const about = { name: 'titles', version: '1' }
const methods = {
  initialize: async () => ({ protocolVersion: 1, agentCapabilities: {}, agentInfo: about }),
  'session/new': newSession,
  'session/prompt': prompt,
}

readline
  .createInterface({ input: process.stdin })
  .on('line', async line => {
    const message = JSON.parse(line)
    const { id, method, params } = message
    if (!method) return client.answer(message)
    if (method === 'session/cancel') return sessions.get(params.sessionId)?.stop?.abort()
    try {
      client.write({ id, result: await methods[method](params) })
    } catch (error) {
      client.write({ id, error: { code: -32000, message: error.message } })
    }
  })
  .on('close', () => process.exit(0))
