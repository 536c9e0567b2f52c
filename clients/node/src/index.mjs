// What an agent in Node needs to be judged by agent conformance. README.md shows how it is used.
export { AgentError, CannotRestore, Pending, ToolError } from './errors.mjs'
export {
  anthropicMessages,
  cohereMessages,
  geminiContents,
  leadingSystem,
  ollamaMessages,
  openaiChatMessages,
  openaiResponsesItems,
  turnsOf,
} from './history.mjs'
export { serve } from './serve.mjs'
