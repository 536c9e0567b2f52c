// Runs against the server whose address is in FAKE_URL, or one that it starts by FAKE_COMMAND.
import assert from 'node:assert/strict'
import test from 'node:test'
import { startFake } from 'agent-conformance-client/fake'

const command = JSON.parse(process.env.FAKE_COMMAND ?? 'null') ?? undefined

const ask = async (fake, key, body) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${fake.env.OPENAI_BASE_URL}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  return { status: answer.status, text: answer.ok ? JSON.parse(text).choices[0].message.content : text }
}
const HI = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi.' }] }

test('clients have replies, faults and requests of their own', async t => {
  const fake = await startFake({ command })
  t.after(fake.stop)
  const [one, two] = [fake.client(), fake.client()]
  await one.reply([{ text: 'One.' }, { text: 'Later.' }])
  await two.fail({ 1: { status: 503 } })

  const [first, second] = await Promise.all([ask(fake, one.key, HI), ask(fake, two.key, HI)])

  assert.equal(first.text, 'One.')
  assert.equal(second.status, 503)
  assert.deepEqual((await one.unused()).map(({ reply }) => reply.text), ['Later.'])
  await ask(fake, one.key, { ...HI, messages: [...HI.messages, { role: 'assistant', content: 'One.' }, ...HI.messages] })
  assert.deepEqual(await one.unused(), [])
  assert.equal((await one.requests()).length, 2)
  await one.assertAccepted()
  await one.reset()
  assert.deepEqual(await one.requests(), [])
})

test('what was refused is said with the rule, the words of the provider and the advice', async t => {
  const fake = await startFake({ command })
  t.after(fake.stop)
  const client = fake.client('test-refused')
  await ask(fake, client.key, { ...HI, tools: [] })

  await assert.rejects(client.assertAccepted(), /request 1 was refused by openai\/tools-empty at tools: .*empty array.*\n {2}\w/)
  assert.deepEqual((await client.requests('accepted')).length, 0)
})

test('a wrong reply is refused with the place', async t => {
  const fake = await startFake({ command })
  t.after(fake.stop)

  await assert.rejects(fake.client().reply([{ txt: 'a' }]), /PUT .*replies: .*txt/)
})

test('what the server says against its options is the error', { skip: process.env.FAKE_URL }, async () => {
  await assert.rejects(startFake({ command, provider: 'opnai' }), /ended with 2: (.|\n)*Did you mean `openai`/)
  await assert.rejects(startFake({ command: ['no-such-program'] }), /cannot be started/)
})
