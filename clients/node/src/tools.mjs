// The tools of a session. The suite runs them: a call is sent, and its result awaited. Knows no agent and no wire.
import { Pending, ToolError } from './errors.mjs'

/** One tool of the case: `name`, `description`, `parameters`, the JSON Schema of an object, and perhaps
 * `approval` and `deferred`. */
class Tool {
  #tools

  constructor({ name, description, parameters, approval, deferred }, tools) {
    Object.assign(this, { name, description, parameters, approval, deferred })
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

  /** Send a call, and wait for its result. */
  async run(tool, args) {
    const { text, value, error } = await this.#answered({ type: 'call', tool, arguments: args ?? null })
    return error === undefined ? { text, ...(value === undefined ? {} : { value }) } : { error }
  }

  /** Ask the user whether a call may run. Throws `Pending` if the user has not answered yet. */
  approve = async ({ name, arguments: args, id }) => {
    const call = { tool: name, arguments: args ?? null, ...(id === undefined || id === null ? {} : { call_id: id }) }
    const { allowed } = await this.#answered({ type: 'approve', ...call })
    if (allowed === null) throw new Pending(`the user has not answered yet whether ${name} may run`)
    return allowed
  }

  /** A result or an approval has arrived. */
  resolve(answer) {
    if (answer.enabled) this.enabled = new Set(answer.enabled)
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
  }

  /** Send a message, and wait for what answers it. Rejects when its turn is cancelled: no answer comes any more. */
  #answered(message) {
    const id = ++this.#calls
    const signal = this.#signal()
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve)
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      this.#say({ ...message, id })
    })
  }
}
