import readline from 'node:readline'
import { Conversation } from './loop.mjs'

const write = message => process.stdout.write(JSON.stringify(message) + '\n')
const features = ['conversation', 'native-tools', 'tool-filter']
const waiting = new Map() // pending calls by id
let conversation
let calls = 0

function call(tool, args) {
  const id = ++calls
  write({ type: 'call', id, tool, arguments: args })
  return new Promise(resolve => waiting.set(id, resolve))
}

async function turn({ message, enabled }) {
  write({ type: 'reply', text: await conversation.turn(message, enabled) })
}

readline.createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line)
  if (message.type === 'hello') write({ type: 'hello', protocol: 1, wires: ['openai-chat'], features })
  if (message.type === 'open') conversation = new Conversation(message, call)
  if (message.type === 'send') turn(message)
  if (message.type === 'result') waiting.get(message.id)(message)
})
