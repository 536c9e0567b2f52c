import { serve } from 'agent-conformance-client'

serve({
  wires: ['openai-chat'],
  open() {
    console.log('agent started')
    return { send: () => 'It is sunny.' }
  },
})
