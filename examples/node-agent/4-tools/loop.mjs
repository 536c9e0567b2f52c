// The loop: ask the model, run the tools it calls, ask again. Knows nothing of the protocol.
import { ask } from './model.mjs'

export class Conversation {
  constructor(setup, call) {
    this.setup = setup
    this.call = call
    this.messages = setup.system ? [{ role: 'system', content: setup.system }] : []
  }

  async turn(text, enabled) {
    const tools = this.setup.tools
      .filter(({ name }) => enabled.includes(name))
      .map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } }))
    this.messages.push({ role: 'user', content: text })
    for (;;) {
      const answer = await ask(this.setup, this.messages, tools)
      this.messages.push(answer)
      if (!answer.tool_calls) return answer.content
      for (const { id, function: called } of answer.tool_calls) {
        const result = await this.call(called.name, JSON.parse(called.arguments))
        this.messages.push({ role: 'tool', tool_call_id: id, content: result.text })
      }
    }
  }
}
