// A strict fake provider for tests in vitest, jest and node:test: starts `agent-conformance serve`, and asks it what it saw.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'

const CONTROL = '/__conformance'
const STARTED = /: base URL (http:\/\/[^/\s]+)/
const command = process.platform === 'win32' ? 'agent-conformance.exe' : 'agent-conformance'

/**
 * Start a fake, or use one that runs: `url`, or the variable FAKE_URL.
 *
 * `provider` is a name or a list of names, `args` more options of `agent-conformance serve`, and `command` the program
 * and its first arguments, such as `['uvx', '--from', 'PATH-OF-THE-CLONE', 'agent-conformance']`.
 */
export async function startFake(options = {}) {
  const { provider = 'openai', args = [], url = process.env.FAKE_URL } = options
  if (url) return opened(url, async () => {})
  const [program, ...first] = options.command ?? [command]
  const providers = [provider].flat().flatMap(name => ['--provider', name])
  const server = spawn(program, [...first, 'serve', ...providers, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(server, 'exit')
  ended.catch(() => {})
  const stop = async () => {
    server.kill()
    await ended.catch(() => {})
  }
  process.once('exit', () => server.kill())
  return opened(await addressOf(server), stop)
}

/** Where the server is, by what it prints. Rejects with its own words where it does not start. */
function addressOf(server) {
  return new Promise((resolve, reject) => {
    let printed = ''
    let complained = ''
    server.stderr.on('data', piece => (complained += piece))
    server.stdout.on('data', piece => {
      const found = STARTED.exec((printed = (printed + piece).slice(-4000)))
      if (found) resolve(found[1])
    })
    server.once('error', error => reject(new Error(`agent-conformance serve cannot be started: ${error.message}`)))
    server.once('close', code => reject(new Error(`agent-conformance serve ended with ${code}: ${complained.trim()}`)))
  })
}

async function opened(url, stop) {
  const env = await asked(url, 'GET', '/variables')
  return {
    url,
    /** The variables by which SDKs find the fake, such as `OPENAI_BASE_URL`. */
    env,
    stop,
    /** A client of its own: its key, and the replies, faults and requests of whoever sends that key. */
    client(key = `test-${randomUUID()}`) {
      const ask = (method, path, body) => asked(url, method, path, body, key)
      return {
        key,
        reply: replies => ask('PUT', '/replies', replies),
        fail: faults => ask('PUT', '/faults', faults),
        unused: async () => (await ask('GET', '/replies')).unused,
        requests: async verdict => (await ask('GET', verdict ? `/requests?verdict=${verdict}` : '/requests')).requests,
        /** Throws with the provider's words and the advice for the first request that was refused. */
        async assertAccepted() {
          const [refused] = await this.requests('refused')
          if (refused) {
            const advice = refused.advice.map(line => `\n  ${line}`).join('')
            throw new Error(`request ${refused.number} was refused by ${refused.rule} at ${refused.at}: ${refused.message}${advice}`)
          }
        },
        reset: () => ask('POST', '/reset'),
      }
    },
  }
}

async function asked(url, method, path, body, key) {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  const answer = await fetch(url + CONTROL + path, { method, headers, body: body && JSON.stringify(body) })
  const data = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${CONTROL}${path}: ${data.error.message}`)
  return data
}
