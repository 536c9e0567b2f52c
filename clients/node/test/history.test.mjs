// Histories in each wire's messages. That they are those of the Python adapters is tested in tests/clients/.
import assert from 'node:assert/strict'
import test from 'node:test'
import {
  anthropicMessages,
  CannotRestore,
  geminiContents,
  leadingSystem,
  ollamaMessages,
  openaiChatMessages,
  openaiResponsesItems,
  turnsOf,
} from 'agent-conformance-client'

const HISTORY = [
  { role: 'user', text: 'Weather?' },
  { role: 'assistant', text: '', tool_calls: [{ id: 'a', name: 'look', arguments: { city: 'Oslo' } }, { id: null, name: 'look', arguments_text: '[1]' }] },
  { role: 'tool', text: '7', tool_call_id: 'a', name: 'look', is_error: false },
  { role: 'tool', text: 'none', tool_call_id: null, name: null, is_error: true },
  { role: 'assistant', text: 'It is 7.', thinking: 'hm' },
]
const BROKEN = [{ role: 'assistant', text: '', tool_calls: [{ id: 'a', name: 'look', arguments_text: '{"city' }] }]

test('neutral turns join results in a row', () => {
  assert.deepEqual(turnsOf(HISTORY), [
    { role: 'user', text: 'Weather?' },
    {
      role: 'assistant',
      text: '',
      thinking: undefined,
      calls: [
        { id: 'a', name: 'look', text: '{"city":"Oslo"}', arguments: { city: 'Oslo' } },
        { name: 'look', text: '[1]', arguments: [1] },
      ],
    },
    { role: 'tool', results: [{ id: 'a', name: 'look', text: '7', isError: false }, { text: 'none', isError: true }] },
    { role: 'assistant', text: 'It is 7.', thinking: 'hm', calls: [] },
  ])
})

test('argument text that is no JSON stays verbatim where the wire has a text', () => {
  assert.equal(openaiChatMessages(BROKEN)[0].tool_calls[0].function.arguments, '{"city')
  assert.equal(openaiResponsesItems(BROKEN)[0].arguments, '{"city')
  assert.equal(turnsOf(BROKEN)[0].calls[0].text, '{"city')
})

test('argument text that is no JSON cannot be restored where the wire has a value', () => {
  for (const translate of [anthropicMessages, geminiContents, ollamaMessages, history => turnsOf(history)[0].calls[0].arguments]) {
    assert.throws(() => translate(BROKEN), error => error instanceof CannotRestore && /arguments of look/.test(error.message))
  }
})

test('system messages at the start can be taken off', () => {
  const system = [{ role: 'system', text: 'Be brief.' }, { role: 'system', text: 'Be kind.' }]

  assert.deepEqual(leadingSystem([...system, ...HISTORY]), { system: 'Be brief.\n\nBe kind.', history: HISTORY })
  assert.deepEqual(leadingSystem(system), { system: 'Be brief.\n\nBe kind.', history: [] })
  assert.throws(() => geminiContents(system), CannotRestore)
})

test('a system prompt and thinking go where the wire has them', () => {
  assert.deepEqual(openaiChatMessages(HISTORY, 'Be brief.', { thinkingField: 'reasoning_content' }).at(-1), {
    role: 'assistant',
    content: 'It is 7.',
    reasoning_content: 'hm',
  })
  assert.deepEqual(ollamaMessages([], 'Be brief.'), [{ role: 'system', content: 'Be brief.' }])
})
