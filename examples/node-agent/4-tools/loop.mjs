// The loop: ask the model, run the tools it calls, ask again. Knows nothing of the protocol.
import { ask } from './model.mjs'

export class Conversation {
  constructor(setup) {
    this.setup = setup
    this.messages = setup.system ? [{ role: 'system', content: setup.system }] : []
  }

  async send(text) {
    this.messages.push({ role: 'user', content: text })
    for (;;) {
      const answer = await ask(this.setup, this.messages, this.offered())
      this.messages.push(answer)
      if (!answer.tool_calls) return answer.content
      for (const { id, function: called } of answer.tool_calls) {
        const tool = this.setup.tools.find(({ name }) => name === called.name)
        const content = await tool.call(JSON.parse(called.arguments))
        this.messages.push({ role: 'tool', tool_call_id: id, content })
      }
    }
  }

  offered() {
    return this.setup.tools
      .filter(({ enabled }) => enabled)
      .map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      }))
  }
}
