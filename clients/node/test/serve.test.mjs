// The protocol's loop, as the suite meets it.
import assert from 'node:assert/strict'
import test from 'node:test'
import { serve } from 'agent-conformance-client'
import { inSession, Suite } from '../fixtures/suite.mjs'

const S = { session: 's1' }

test('hello has what the agent declares, and the places of its errors', async () => {
  const suite = new Suite()
  suite.write({ type: 'hello', protocol: 1 })

  assert.deepEqual(await suite.read(), {
    type: 'hello',
    protocol: 1,
    reuse: true,
    wires: ['openai-chat'],
    features: ['conversation', 'cancel', 'steering', 'model-switch', 'compaction'],
    side_request: { required: ['title'] },
    reply_tool: { tool: 'answer', argument: 'text' },
    instructions_as_message: true,
    scrub: ['[0-9]+ ms'],
    opened: true,
    errors: ['node_modules/some-package/'],
  })
  suite.child.kill()
})

test('open is answered when the agent is made, with its tool names', async () => {
  const suite = new Suite()

  assert.deepEqual(await suite.open(), { type: 'opened', ...S })
  assert.deepEqual(await suite.open({ session: 's2', system: 'rename' }), {
    type: 'opened',
    session: 's2',
    tool_names: { get_weather: 'weather' },
  })
  suite.child.kill()
})

test('an agent that cannot be made is an error', async () => {
  const suite = new Suite()

  assert.deepEqual(await suite.open({ system: 'fail' }), { type: 'error', message: 'cannot be made', ...S })
  suite.child.kill()
})

test('what send resolves to is the reply', inSession(async suite => {
  assert.deepEqual(await suite.send('reply'), { type: 'reply', text: 'Hello.', ...S })
  assert.deepEqual(await suite.send('nothing'), { type: 'reply', text: null, ...S })
}))

test('deltas come in order, without empty ones, and can be withdrawn', inSession(async suite => {
  const streamed = [await suite.send('stream'), await suite.read(), await suite.read()]
  const withdrawn = [await suite.send('withdraw'), await suite.read(), await suite.read(), await suite.read()]

  assert.deepEqual(streamed.map(({ text }) => text), ['a', 'b', null])
  assert.deepEqual(withdrawn.map(({ type, text, characters }) => [type, text ?? characters]), [
    ['delta', 'wrong'],
    ['withdraw', undefined],
    ['delta', 'right'],
    ['withdraw', 2],
  ])
}))

test('pictures of the user are parts of the turn', inSession(async suite => {
  const parts = [{ type: 'text', text: 'What is it?' }]

  assert.deepEqual(JSON.parse((await suite.send('parts', { parts })).text), parts)
}))

test('a delta after its turn is not sent', inSession(async suite => {
  await suite.send('late')
  await new Promise(resolve => setTimeout(resolve, 50))

  assert.equal((await suite.send('reply')).type, 'reply')
}))

test('a controlled failure is an error, of the own classes too', inSession(async suite => {
  assert.deepEqual(await suite.send('give up'), { type: 'error', message: 'no more', ...S })
  assert.deepEqual(await suite.send('give up in a library'), { type: 'error', message: 'its limit', ...S })
}))

test('any other failure is a crash, with its stack and its cause', inSession(async suite => {
  const { message, controlled, traceback } = await suite.send('crash')

  assert.deepEqual([message, controlled], ['TypeError: x is undefined', false])
  assert.match(traceback, /^TypeError: x is undefined\n\s+at .*agent\.mjs:/)
  assert.match(traceback, /caused by RangeError: too far\n\s+at /)
  assert.deepEqual(await suite.send('throw a text'), {
    type: 'error',
    message: 'thrown, and no Error: a text',
    controlled: false,
    traceback: '',
    ...S,
  })
}))

test('an object that is thrown is told by its message, or as JSON', inSession(async suite => {
  for (const [said, text] of [
    ['throw an object', 'the provider failed'],
    ['throw what a stream has', '{"type":"error","error":{"type":"overloaded_error"}}'],
    ['throw a circle', '[object Object]'],
    ['throw nothing', 'null'],
  ]) {
    assert.equal((await suite.send(said)).message, `thrown, and no Error: ${text}`)
  }
}))

test('a lost connection is the failure of the provider, and a bad address is a crash', inSession(async suite => {
  assert.deepEqual(await suite.send('lose the connection'), { type: 'error', message: 'fetch failed', ...S })
  assert.equal((await suite.send('fetch a bad address')).controlled, false)
}))

test('what the user says while a turn runs reaches the agent', inSession(async suite => {
  suite.write({ type: 'send', ...S, message: 'say what was said', enabled: [] })
  suite.write({ type: 'steer', ...S, message: 'In Celsius.' })

  assert.deepEqual(await suite.read(), { type: 'reply', text: 'In Celsius.', ...S })
}))

test('a turn begins with the model that the agent was switched to', inSession(async suite => {
  suite.write({ type: 'switch', ...S, wire: 'openai-chat', model: 'gpt-4.1' })
  assert.equal((await suite.send('name the model')).text, 'gpt-4.1')

  suite.write({ type: 'switch', ...S, wire: 'openai-chat', model: 'unknown' })
  assert.deepEqual(await suite.send('name the model'), { type: 'error', message: 'no such model', ...S })
  assert.equal((await suite.send('name the model')).text, 'gpt-4.1')
}))

test('a conversation is made shorter before the message that says so', inSession(async suite => {
  suite.write({ type: 'send', ...S, message: 'say what is left', enabled: [], compact: true })

  assert.deepEqual(await suite.read(), { type: 'reply', text: 'a summary', ...S })
}))

test('a feature without its method is refused', async () => {
  const suite = new Suite('steering')

  const { message, controlled } = await suite.open()

  assert.deepEqual([message, controlled], [
    'TypeError: the feature steering is declared, and the agent that open returns has no method steer',
    false,
  ])
  suite.child.kill()
})

test('a history that the agent cannot hold is said', inSession(async suite => {
  assert.deepEqual(await suite.send('forget'), { type: 'cannot-restore', reason: 'no place for it', ...S })
}))

test('cancel aborts the turn, however it then ends', inSession(async suite => {
  for (const message of ['wait', 'finish', 'call']) {
    suite.write({ type: 'send', ...S, message, enabled: [] })
    if (message === 'call') await suite.read()
    suite.write({ type: 'cancel', ...S })
    assert.deepEqual(await suite.read(), { type: 'cancelled', ...S })
  }
  suite.write({ type: 'cancel', ...S }) // too late, and ignored
  assert.equal((await suite.send('reply')).text, 'Hello.')
}))

test('events are sent where the suite observes', inSession(async suite => {
  assert.deepEqual(await suite.send('observe'), { type: 'event', event: { tool: 'get_weather' }, ...S })
}, { observe: true }))

test('events are not sent where nobody observes', inSession(async suite => {
  assert.equal((await suite.send('observe')).text, 'observed')
}))

test('what the agent prints goes to standard error', inSession(async suite => {
  assert.equal((await suite.send('print')).text, 'printed')
  await suite.end()
  assert.match(suite.stderr, /a log line/)
}))

test('unknown messages are ignored, and the end of the input ends the process', inSession(async suite => {
  suite.write({ type: 'news-of-a-later-version', ...S })
  suite.write({ type: 'result', session: 'of the past', id: 7, text: '' })

  assert.equal((await suite.send('reply')).type, 'reply')
  assert.equal(await suite.end(), 0)
  assert.equal(suite.stderr, 'closed\n')
}))

test('two sessions are kept apart', inSession(async suite => {
  await suite.open({ session: 's2' })
  suite.write({ type: 'send', session: 's1', message: 'wait', enabled: [] })

  assert.deepEqual(await suite.send('reply', { session: 's2' }), { type: 'reply', text: 'Hello.', session: 's2' })
  suite.write({ type: 'cancel', session: 's1' })
  assert.deepEqual(await suite.read(), { type: 'cancelled', session: 's1' })
}))

test('errors that would hide crashes are refused', () => {
  const open = () => ({})

  assert.throws(() => serve({ wires: ['openai-chat'], errors: [TypeError], open }), /errors: TypeError would hide crashes/)
  assert.throws(() => serve({ wires: ['openai-chat'], errors: [7], open }), /errors: found 7, expected a class/)
})
