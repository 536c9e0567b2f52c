import { serve } from 'agent-conformance-client'
import { Conversation, GaveUp } from './loop.mjs'
import { ProviderError } from './model.mjs'

serve({
  wires: ['openai-chat'],
  features: ['conversation', 'native-tools', 'tool-filter', 'request-limit', 'cancel'],
  errors: [GaveUp, ProviderError],
  open: setup => new Conversation(setup),
})
