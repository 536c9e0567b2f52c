import { serve } from 'agent-conformance-client'
import { ask } from './model.mjs'

serve({
  wires: ['openai-chat'],
  open: setup => ({
    async send(text) {
      const answer = await ask(setup, [{ role: 'user', content: text }])
      return answer.content
    },
  }),
})
