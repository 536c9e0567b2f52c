import readline from 'node:readline'

const write = message => process.stdout.write(JSON.stringify(message) + '\n')

readline.createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line)
  console.error('got', message.type)
  if (message.type === 'hello') write({ type: 'hello', protocol: 1, wires: ['openai-chat'] })
  if (message.type === 'send') write({ type: 'reply', text: 'It is sunny.' })
})
