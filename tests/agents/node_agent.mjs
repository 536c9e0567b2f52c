// An agent in Node without dependencies: chat completions, plain. The tutorial's are in examples/.
import readline from 'node:readline'

const sessions = new Map()
const write = message => process.stdout.write(JSON.stringify(message) + '\n')

async function complete({ setup, messages }, tools) {
  const body = { model: setup.model, messages, ...(tools.length ? { tools } : {}) }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${setup.api_key}` }
  const response = await fetch(`${setup.base_url}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
  return (await response.json()).choices[0].message
}

function run(state, call, enabled) {
  const { name } = call.function
  if (!enabled.includes(name)) return `Error: there is no tool ${name}. Available: ${enabled.join(', ') || 'none'}.`
  let args
  try { args = JSON.parse(call.function.arguments || '{}') } catch { return 'Error: the arguments are not valid JSON.' }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'Error: the arguments must be a JSON object.'
  return new Promise(resolve => {
    const id = ++state.calls
    state.waiting.set(id, result => resolve(result.error ? `Error: ${result.error}` : result.text))
    write({ type: 'call', session: state.setup.session, id, tool: name, arguments: args })
  })
}

async function turn(state, { message, enabled }) {
  const tools = state.setup.tools.filter(tool => enabled.includes(tool.name))
    .map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } }))
  state.messages.push({ role: 'user', content: message })
  for (let turn = 0; turn < (state.setup.limits.requests ?? 20); turn++) {
    const { content, tool_calls: calls } = await complete(state, tools)
    state.messages.push({ role: 'assistant', content: content ?? (calls ? null : ''), ...(calls ? { tool_calls: calls } : {}) })
    if (!calls && !content?.trim()) throw new Error('the model gave no answer')
    if (!calls) return content
    const results = await Promise.all(calls.map(call => run(state, call, enabled)))
    calls.forEach((call, i) => state.messages.push({ role: 'tool', tool_call_id: call.id, content: results[i] }))
  }
  throw new Error('no answer within the limit')
}

function opened(setup) {
  const messages = setup.system ? [{ role: 'system', content: setup.system }] : []
  return { setup, messages, waiting: new Map(), calls: 0 }
}

readline.createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line)
  const { type, session, id } = message
  const state = sessions.get(session)
  const features = ['conversation', 'native-tools', 'request-limit', 'tool-filter']
  if (type === 'hello') write({ type, protocol: 1, wires: ['openai-chat'], modes: ['plain'], features, name: 'node-agent', version: '1', reuse: true })
  if (type === 'open') sessions.set(session, opened(message))
  if (type === 'result') state.waiting.get(id)(message)
  if (type === 'close') sessions.delete(session)
  if (type === 'send') turn(state, message)
    .then(text => write({ type: 'reply', session, text }), error => write({ type: 'error', session, message: error.message }))
})
