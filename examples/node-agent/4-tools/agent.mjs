import { serve } from 'agent-conformance-client'
import { Conversation } from './loop.mjs'

serve({
  wires: ['openai-chat'],
  features: ['conversation', 'native-tools', 'tool-filter'],
  open: setup => new Conversation(setup),
})
