// One conversation between `open` and `close`: its turns, one after the other. Knows no process and no wire.
import { CannotRestore, failure, Pending } from './errors.mjs'
import { Tools } from './tools.mjs'

export class Session {
  #agent
  #classes
  #say
  #tools
  #turn // the AbortController of the turn that runs

  constructor(say, classes) {
    this.#say = say
    this.#classes = classes
  }

  /** Make the agent of this session, and say that it is ready. */
  async open(message, makeAgent) {
    this.#tools = new Tools(message.tools, this.#say, () => this.#turn?.signal)
    const { type, session, ...fields } = message
    const observe = event => message.observe && this.#say({ type: 'event', event })
    try {
      this.#agent = await makeAgent({ ...fields, tools: this.#tools.all, observe, approve: this.#tools.approve })
    } catch (error) {
      return this.#say(this.#failed(error))
    }
    const names = this.#agent.toolNames
    this.#say({ type: 'opened', ...(names ? { tool_names: names } : {}) })
  }

  /** One turn: the user's message, until the agent replies, fails or is cancelled. */
  async send({ message, parts, enabled }) {
    this.#tools.enabled = new Set(enabled)
    const { signal } = (this.#turn = new AbortController())
    const say = part => this.#turn?.signal === signal && this.#say(part) // what comes after the turn belongs to none
    const turn = {
      signal,
      ...(parts ? { parts } : {}),
      delta: text => text && say({ type: 'delta', text }),
      withdraw: characters => say({ type: 'withdraw', ...(characters === undefined ? {} : { characters }) }),
    }
    const end = await this.#outcome(() => this.#agent.send(message, turn), signal)
    this.#turn = undefined // a cancel that arrives now is too late
    this.#say(end)
  }

  result(message) {
    this.#tools.resolve(message)
  }

  cancel() {
    this.#turn?.abort()
  }

  async close() {
    await this.#agent?.close?.()
  }

  async #outcome(run, signal) {
    try {
      const text = await run()
      return signal.aborted ? { type: 'cancelled' } : { type: 'reply', text: text ?? null }
    } catch (error) {
      return signal.aborted ? { type: 'cancelled' } : this.#failed(error)
    }
  }

  #failed(error) {
    if (error instanceof Pending) return { type: 'parked' }
    if (error instanceof CannotRestore) return { type: 'cannot-restore', reason: error.message }
    return failure(error, this.#classes)
  }
}
