// Tools: a call is sent, and its result awaited.
import assert from 'node:assert/strict'
import test from 'node:test'
import { inSession } from '../fixtures/suite.mjs'

const S = { session: 's1' }

test('a call has the arguments, and its result is the text', inSession(async suite => {
  const call = await suite.send('call')
  suite.write({ type: 'result', ...S, id: call.id, text: '7 degrees' })

  assert.deepEqual(call, { type: 'call', id: call.id, tool: 'get_weather', arguments: { city: 'Oslo' }, ...S })
  assert.equal((await suite.read()).text, '7 degrees')
}))

test('results find their calls in any order', inSession(async suite => {
  const [first, second] = [await suite.send('both'), await suite.read()]
  suite.write({ type: 'result', ...S, id: second.id, text: 'two' })
  suite.write({ type: 'result', ...S, id: first.id, text: 'one' })

  assert.equal((await suite.read()).text, 'one, two')
}))

test('a tool that failed throws ToolError', inSession(async suite => {
  const call = await suite.send('catch')
  suite.write({ type: 'result', ...S, id: call.id, error: 'no such city' })
  assert.equal((await suite.read()).text, 'true: no such city')

  const again = await suite.send('call')
  suite.write({ type: 'result', ...S, id: again.id, error: 'no such city' })
  assert.deepEqual(await suite.read(), { type: 'error', message: 'no such city', ...S })
}))

test('the result as it was sent has the value, or the error', inSession(async suite => {
  for (const sent of [{ text: '{"n":7}', value: { n: 7 } }, { text: 'plain' }, { error: 'broken' }]) {
    const call = await suite.send('result')
    suite.write({ type: 'result', ...S, id: call.id, ...sent })
    assert.deepEqual(JSON.parse((await suite.read()).text), sent)
  }
}))

test('enabled is what the last message says', inSession(async suite => {
  assert.equal((await suite.send('enabled')).text, 'get_weather')
  assert.equal((await suite.send('enabled', { enabled: [] })).text, '')
  const call = await suite.send('call', { enabled: [] })
  suite.write({ type: 'result', ...S, id: call.id, text: '', enabled: ['get_weather'] })
  await suite.read()
}))

test('the user allows a call, denies it, or has not answered yet', inSession(async suite => {
  for (const allowed of [true, false]) {
    const { id, ...asked } = await suite.send('approve')
    assert.deepEqual(asked, { type: 'approve', tool: 'get_weather', arguments: {}, call_id: 'c1', ...S })
    suite.write({ type: 'approval', ...S, id, allowed })
    assert.equal((await suite.read()).text, `ask ${allowed}`)
  }
  const { id } = await suite.send('approve')
  suite.write({ type: 'approval', ...S, id, allowed: null })
  assert.deepEqual(await suite.read(), { type: 'parked', ...S })
}))
