// The loop: ask the model, run the tools it calls, ask again. Knows nothing of the protocol.
import { ask } from './model.mjs'

export class GaveUp extends Error {}

export class Conversation {
  constructor(setup) {
    this.setup = setup
    this.messages = setup.system ? [{ role: 'system', content: setup.system }] : []
  }

  async send(text) {
    this.messages.push({ role: 'user', content: text })
    for (let made = 0; made < (this.setup.limits.requests ?? 20); made++) {
      const { content, tool_calls: calls } = await ask(this.setup, this.messages, this.offered())
      if (!calls && !content?.trim()) throw new GaveUp('the model gave no answer')
      this.messages.push({ role: 'assistant', content: content ?? null, ...(calls ? { tool_calls: calls } : {}) })
      if (!calls) return content
      const results = await Promise.all(calls.map(({ function: called }) => this.result(called)))
      calls.forEach(({ id }, i) => this.messages.push({ role: 'tool', tool_call_id: id, content: results[i] }))
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
    if (!tool) return `Error: there is no tool ${name}. There is ${tools.map(tool => tool.name).join(', ') || 'none'}.`
    let args
    try {
      args = JSON.parse(text || '{}')
    } catch {
      return 'Error: the arguments are not JSON.'
    }
    if (args === null || typeof args !== 'object' || Array.isArray(args)) return 'Error: the arguments are no object.'
    const { text: output, error } = await tool.result(args)
    return error === undefined ? output : `Error: ${error}`
  }
}
