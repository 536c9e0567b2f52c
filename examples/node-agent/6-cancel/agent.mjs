import readline from 'node:readline'
import { Conversation, GaveUp } from './loop.mjs'
import { ProviderError } from './model.mjs'

const write = message => process.stdout.write(JSON.stringify(message) + '\n')
const features = ['conversation', 'native-tools', 'tool-filter', 'request-limit', 'cancel']
const waiting = new Map() // pending calls by id
let session
let conversation
let running
let calls = 0

const say = message => write({ ...message, session })

function call(tool, args, signal) {
  const id = ++calls
  say({ type: 'call', id, tool, arguments: args })
  return new Promise((resolve, reject) => {
    waiting.set(id, resolve)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

async function turn({ message, enabled }) {
  const { signal } = (running = new AbortController())
  try {
    say({ type: 'reply', text: await conversation.turn(message, enabled, signal) })
  } catch (error) {
    if (signal.aborted) return say({ type: 'cancelled' })
    if (!(error instanceof GaveUp || error instanceof ProviderError)) throw error // a bug: let it end the process
    say({ type: 'error', message: error.message })
  } finally {
    running = undefined // a cancel that arrives now is too late
  }
}

readline.createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line)
  if (message.type === 'hello') write({ type: 'hello', protocol: 1, wires: ['openai-chat'], features, reuse: true })
  if (message.type === 'open') {
    session = message.session
    conversation = new Conversation(message, call)
  }
  if (message.type === 'send') turn(message)
  if (message.type === 'result') waiting.get(message.id)(message)
  if (message.type === 'cancel') running?.abort()
})
