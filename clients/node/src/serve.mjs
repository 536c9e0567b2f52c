// The protocol's loop: lines of JSON on standard input and output, one session after the other. Knows no agent.
import readline from 'node:readline'
import { declaredErrors } from './errors.mjs'
import { Session } from './session.mjs'

const PROTOCOL = 1

/**
 * Serve an agent to the suite that has started this process.
 *
 * `open(setup)` makes the agent of a case: an object with `send(message, turn)`, which resolves to the reply, and
 * perhaps `close()`, `steer(message)`, `switch(setup)`, `compact()` and `toolNames`. All other members are those of the protocol's hello: `wires`, and perhaps `modes`,
 * `features`, `name`, `version`, `reuse`, `together`, `side_request`, `reply_tool`, `instructions_as_message`, `scrub`,
 * and `errors`, which takes classes as well.
 */
export function serve({ open, errors, ...declared }) {
  const { classes, places } = declaredErrors(errors)
  const write = standardOutput()
  const hello = { type: 'hello', protocol: PROTOCOL, reuse: true, ...declared, opened: true, errors: places }
  const sessions = new Map()

  const handlers = {
    hello: () => write(hello),
    open: message => {
      const { session } = message
      const opened = new Session(part => write({ ...part, session }), classes, declared.features ?? [])
      sessions.set(session, opened)
      return opened.open(message, open)
    },
    send: (message, session) => session.send(message),
    result: (message, session) => session.result(message),
    approval: (message, session) => session.result(message),
    cancel: (message, session) => session.cancel(),
    steer: (message, session) => session.steer(message),
    switch: (message, session) => session.switch(message),
    close: (message, session) => {
      sessions.delete(message.session)
      return session.close()
    },
  }

  const lines = readline.createInterface({ input: process.stdin })
  lines.on('line', line => {
    const message = JSON.parse(line)
    const session = sessions.get(message.session)
    // A later version of the suite may send other messages, and a result may cross the end of its session.
    if (session || message.type === 'hello' || message.type === 'open') handlers[message.type]?.(message, session)
  })
  lines.on('close', async () => {
    await Promise.allSettled([...sessions.values()].map(session => session.close()))
    process.exit(0) // whatever a library still waits for
  })
}

/** The writer of messages. From now on, what anybody else prints goes to standard error: the suite reads the output. */
function standardOutput() {
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr)
  return message => void write(JSON.stringify(message) + '\n')
}
