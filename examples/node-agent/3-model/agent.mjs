import readline from 'node:readline'
import { ask } from './model.mjs'

const write = message => process.stdout.write(JSON.stringify(message) + '\n')
let setup

async function turn(text) {
  const answer = await ask(setup, [{ role: 'user', content: text }])
  write({ type: 'reply', text: answer.content })
}

readline.createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line)
  if (message.type === 'hello') write({ type: 'hello', protocol: 1, wires: ['openai-chat'] })
  if (message.type === 'open') setup = message
  if (message.type === 'send') turn(message.message)
})
