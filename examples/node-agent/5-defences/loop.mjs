// The loop: ask the model, run the tools it calls, ask again. Knows nothing of the protocol.
import { ask } from './model.mjs'

export class GaveUp extends Error {}

export class Conversation {
  constructor(setup) {
    this.setup = setup
    this.messages = setup.system ? [{ role: 'system', content: setup.system }] : []
  }

  async send(text, { signal }) {
    const kept = this.messages.length
    this.messages.push({ role: 'user', content: text })
    // Leave no call without its result.
    signal.addEventListener('abort', () => this.messages.splice(kept))
    for (let made = 0; made < (this.setup.limits.requests ?? 20); made++) {
      const answer = await ask(this.setup, this.messages, this.offered(), signal)
      const { content, tool_calls: calls } = answer
      if (!calls && !content?.trim()) throw new GaveUp('the model gave no answer')
      const called = calls ? { tool_calls: calls } : {}
      this.messages.push({ role: 'assistant', content: content ?? null, ...called })
      if (!calls) return content
      const results = await Promise.all(calls.map(call => this.result(call.function)))
      calls.forEach(({ id }, i) =>
        this.messages.push({ role: 'tool', tool_call_id: id, content: results[i] }),
      )
    }
    throw new GaveUp('no answer within the limit')
  }

  offered() {
    return this.enabled().map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    }))
  }

  enabled() {
    return this.setup.tools.filter(({ enabled }) => enabled)
  }

  // What the model gets back for its call. Mistakes in the call are for the model to correct.
  async result({ name, arguments: text }) {
    const tools = this.enabled()
    const tool = tools.find(tool => tool.name === name)
    const names = tools.map(tool => tool.name).join(', ') || 'none'
    if (!tool) return `Error: there is no tool ${name}. There is ${names}.`
    let args
    try {
      args = JSON.parse(text || '{}')
    } catch {
      return 'Error: the arguments are not JSON.'
    }
    const object = args !== null && typeof args === 'object' && !Array.isArray(args)
    if (!object) return 'Error: the arguments are no object.'
    const { text: output, error } = await tool.result(args)
    return error === undefined ? output : `Error: ${error}`
  }
}
