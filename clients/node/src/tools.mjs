// The tools of a session. The suite runs them: a call is sent, and its result awaited. Knows no agent and no wire.
import { ToolError } from './errors.mjs'

/** One tool of the case: `name`, `description`, and `parameters`, the JSON Schema of an object. */
class Tool {
  #tools

  constructor({ name, description, parameters }, tools) {
    Object.assign(this, { name, description, parameters })
    this.#tools = tools
  }

  /** Whether it may be offered now. It can change during a turn: read it before each request. */
  get enabled() {
    return this.#tools.enabled.has(this.name)
  }

  /** Run the tool with these arguments, normally an object: its result as text. Throws `ToolError`. */
  call = async args => {
    const { text, error } = await this.result(args)
    if (error !== undefined) throw new ToolError(error)
    return text
  }

  /** The same as the suite sends it: `text`, and `value` if it is more than a text; or `error`. Throws no `ToolError`. */
  result = args => this.#tools.run(this.name, args)
}

/** All tools of a session, and the calls that have no result yet. */
export class Tools {
  #say
  #signal = () => undefined
  #waiting = new Map()
  #calls = 0

  /** `say` sends a message; `signal` gives the abort signal of the turn that runs. */
  constructor(tools, say, signal) {
    this.#say = say
    this.#signal = signal
    this.enabled = new Set(tools.filter(({ enabled }) => enabled).map(({ name }) => name))
    this.all = tools.map(tool => new Tool(tool, this))
  }

  /** Send a call. The promise is rejected when its turn is cancelled: no result comes any more. */
  run(tool, args) {
    const id = ++this.#calls
    const signal = this.#signal()
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve)
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      this.#say({ type: 'call', id, tool, arguments: args ?? null })
    })
  }

  /** A result has arrived. */
  resolve({ id, text, value, error, enabled }) {
    if (enabled) this.enabled = new Set(enabled)
    this.#waiting.get(id)?.(error === undefined ? { text, ...(value === undefined ? {} : { value }) } : { error })
    this.#waiting.delete(id)
  }
}
