// One conversation between `open` and `close`: its turns, one after the other. Knows no process and no wire.
import { CannotRestore, failure, Pending } from './errors.mjs'
import { Tools } from './tools.mjs'

/** The method of the agent that a feature needs: what the suite says is for it, and nobody else would hear it. */
const NEEDED = { steering: 'steer', 'model-switch': 'switch', compaction: 'compact' }

export class Session {
  #agent
  #classes
  #say
  #tools
  #turn // the AbortController of the turn that runs
  #switched // a promise, until the agent uses the model that it was switched to
  #features

  constructor(say, classes, features) {
    this.#say = say
    this.#classes = classes
    this.#features = features
  }

  /** Make the agent of this session, and say that it is ready. */
  async open(message, makeAgent) {
    this.#tools = new Tools(message.tools, this.#say, () => this.#turn?.signal)
    const { type, session, ...fields } = message
    const observe = event => message.observe && this.#say({ type: 'event', event })
    try {
      this.#agent = await makeAgent({ ...fields, tools: this.#tools.all, observe, approve: this.#tools.approve })
      for (const [feature, method] of Object.entries(NEEDED)) {
        if (this.#features.includes(feature) && typeof this.#agent[method] !== 'function') {
          throw new TypeError(`the feature ${feature} is declared, and the agent that open returns has no method ${method}`)
        }
      }
    } catch (error) {
      return this.#say(this.#failed(error))
    }
    const names = this.#agent.toolNames
    this.#say({ type: 'opened', ...(names ? { tool_names: names } : {}) })
  }

  /** One turn: the user's message, until the agent replies, fails or is cancelled. */
  async send({ message, parts, enabled, compact }) {
    this.#tools.enabled = new Set(enabled)
    const { signal } = (this.#turn = new AbortController())
    const say = part => this.#turn?.signal === signal && this.#say(part) // what comes after the turn belongs to none
    const turn = {
      signal,
      ...(parts ? { parts } : {}),
      delta: text => text && say({ type: 'delta', text }),
      withdraw: characters => say({ type: 'withdraw', ...(characters === undefined ? {} : { characters }) }),
    }
    const switched = this.#switched
    this.#switched = undefined
    const begin = async () => {
      if (compact) await this.#agent.compact()
      return this.#agent.send(message, turn)
    }
    const end = await this.#outcome(switched ? () => switched.then(begin) : begin, signal)
    this.#turn = undefined // a cancel that arrives now is too late
    this.#say(end)
  }

  result(message) {
    this.#tools.resolve(message)
  }

  cancel() {
    this.#turn?.abort()
  }

  /** What the user says while a turn runs. */
  steer({ message }) {
    return this.#agent.steer?.(message)
  }

  /** Another model or provider from the next turn on, which fails if this does. */
  switch({ type, session, ...changed }) {
    this.#switched = Promise.resolve(this.#switched).then(() => this.#agent.switch?.(changed))
    this.#switched.catch(() => {})
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
