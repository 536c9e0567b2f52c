// Failures, and which of them are controlled. Knows no message of the protocol.

/** The agent gave up: a controlled failure. Throw it in `send` or `open`, or list the agent's own classes in `errors`. */
export class AgentError extends Error {
  name = 'AgentError'
}

/** A tool failed. `tool.call` throws it; if it leaves `send`, it is a controlled failure. */
export class ToolError extends Error {
  name = 'ToolError'
}

/** The agent cannot hold this history: the case is not verified. Throw it in `open` or `send`. */
export class CannotRestore extends Error {
  name = 'CannotRestore'
}

/** The user has not yet answered whether a call may run. `setup.approve` throws it; if it leaves `send`, the turn ends. */
export class Pending extends Error {
  name = 'Pending'
}

const BUILT_IN = new Set([Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError])

/** The classes and the places of an agent's `errors`. Throws a `TypeError` for what would hide crashes. */
export function declaredErrors(errors = []) {
  const places = errors.filter(error => typeof error === 'string')
  const classes = errors.filter(error => typeof error !== 'string')
  for (const one of classes) {
    if (typeof one !== 'function') {
      throw new TypeError(`errors: found ${JSON.stringify(one)}, expected a class, or a part of a path as a text`)
    }
    if (BUILT_IN.has(one)) {
      throw new TypeError(
        `errors: ${one.name} would hide crashes; list the agent's own classes, or the package that throws it on ` +
          "purpose, as a text: 'node_modules/some-package/'",
      )
    }
  }
  return { classes: [AgentError, ToolError, ...classes], places }
}

/** The `error` message for whatever was thrown: a crash, unless it is one of these classes. */
export function failure(error, classes) {
  const message = error instanceof Error ? error.message || error.name : textOf(error)
  if (classes.some(one => error instanceof one) || isLostConnection(error)) return { type: 'error', message }
  const named = error instanceof Error ? `${error.constructor.name}: ${message}` : `thrown, and no Error: ${message}`
  return { type: 'error', message: named, controlled: false, traceback: stackOf(error) }
}

/** What was thrown in place of an error: an SDK may throw an object with a message, or the provider's JSON. */
function textOf(thrown) {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  if (typeof thrown.message === 'string' && thrown.message) return thrown.message
  try {
    return JSON.stringify(thrown) ?? String(thrown)
  } catch {
    return Object.prototype.toString.call(thrown) // a circle, or a text of its own that throws
  }
}

/** Whether `fetch` lost its connection, which it throws as a `TypeError`: the provider's failure, and no bug of the agent. */
function isLostConnection(error) {
  const code = error instanceof TypeError && error.cause?.code
  return ['fetch failed', 'terminated'].includes(error?.message) && /^(E[A-Z]{3}|UND_ERR_(SOCKET|.*TIMEOUT))/.test(code || '')
}

/** The stack of an error, and of its causes below it. */
function stackOf(error) {
  const stacks = []
  for (let one = error; one instanceof Error && stacks.length < 5; one = one.cause) {
    stacks.push(stacks.length ? `caused by ${one.stack}` : one.stack)
  }
  return stacks.join('\n')
}
