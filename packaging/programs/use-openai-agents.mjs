// Uses the package in its framework: its tools, its session and its memory, in runs of the OpenAI Agents SDK.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrainSession } from '@noema/openai-agents/session'
import { brainTools } from '@noema/openai-agents/tools'
import { Agent, RunContext, Runner } from '@openai/agents-core'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents-core/testing'
import {
  aborted,
  allTools,
  deletedBrain,
  listPending,
  loadExample,
  openBrain,
  proposal,
  readingTools,
  readOnly,
} from './adapter-brains.mjs'

const brain = await openBrain('handbook')
const { answer } = await loadExample('openai-agents')
const message = (content) => ({ type: 'message', role: 'user', content })
const textsOf = async (session, limit) => (await session.getItems(limit)).map(({ content }) => content)

test('a run has read what is relevant, uses the tools, and the next run of the session continues it', async () => {
  const model = new ScriptedModel([
    [functionCall('knowledge_search', { query: 'Who leads Apollo?' }, { callId: 'oa_1' })],
    [assistantMessage('Ada does.')],
    [assistantMessage('In May.')],
  ])
  assert.equal(await answer(model, 'Who leads Apollo?', 's1'), 'Ada does.')
  assert.equal(await answer(model, 'When does it start?', 's1'), 'In May.')
  assert.match(model.calls[0].request.systemInstructions, /> .*Apollo/)
  const types = model.calls[2].request.input.map(({ type, role }) => role ?? type)
  assert.deepEqual(types, ['user', 'function_call', 'function_call_result', 'assistant', 'user'])
  assert.match(JSON.stringify(model.calls[2].request.input), /ada/)
})

test('a call that is repeated writes once, in a change that waits for review', async () => {
  const tools = await brainTools(brain)
  assert.deepEqual(
    tools.map(({ name }) => name),
    allTools,
  )
  for (let time = 0; time < 2; time++) {
    const model = new ScriptedModel([
      [functionCall('knowledge_write', proposal, { callId: 'oa_2' })],
      [assistantMessage('Done.')],
    ])
    await new Runner({ tracingDisabled: true }).run(new Agent({ name: 'a', model, tools }), 'Write')
  }
  assert.equal((await listPending(brain)).length, 1)
})

test('a key that only reads has no tool to write, refusals are answers, and its session throws', async () => {
  const reader = await readOnly('handbook')
  const tools = await brainTools(reader)
  assert.deepEqual(
    tools.map(({ name }) => name),
    readingTools,
  )
  const read = tools.find(({ name }) => name === 'knowledge_read')
  assert.match(
    await read.invoke(new RunContext(), JSON.stringify({ action: 'get_record', id: 'none' })),
    /^not_found: /,
  )
  await assert.rejects(new BrainSession(reader).addItems([message('Hi')]), { kind: 'forbidden' })
})

test('an abort ends a call before the service is asked', async () => {
  const [search] = await brainTools(brain)
  const said = await search.invoke(new RunContext(), '{"query":"Apollo"}', { signal: aborted() }).catch(String)
  assert.match(said, /stopped|abort/i)
})

test('a session keeps its items in their order: all, the newest, without one, and none', async () => {
  const session = new BrainSession(brain, { sessionId: 's2' })
  assert.equal(await session.getSessionId(), 's2')
  assert.equal(await session.popItem(), undefined)
  await session.addItems([])
  await session.addItems(['a', 'b', 'c'].map(message))
  assert.deepEqual(await textsOf(session), ['a', 'b', 'c'])
  assert.deepEqual(await textsOf(session, 2), ['b', 'c'])
  assert.deepEqual(await textsOf(session, 0), [])
  assert.deepEqual(await session.popItem(), message('c'))
  assert.deepEqual(await textsOf(new BrainSession(brain, { sessionId: 's2' })), ['a', 'b'])
  await session.clearSession()
  assert.deepEqual(await textsOf(session), [])
})

test('two processes add to one session without loss, and pop different items', async () => {
  const open = () => new BrainSession(brain, { sessionId: 's3' })
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => open().addItems([message(`${index}`), message(`${index}+`)])),
  )
  const texts = await textsOf(open())
  assert.equal(texts.length, 16)
  for (let place = 0; place < texts.length; place += 2) assert.equal(texts[place + 1], `${texts[place]}+`)
  const popped = await Promise.all(Array.from({ length: 4 }, () => open().popItem()))
  assert.equal(new Set(popped.map(({ content }) => content)).size, 4)
  assert.deepEqual(await textsOf(open()), texts.slice(0, 12))
  await Promise.all([open().clearSession(), open().clearSession()])
  assert.deepEqual(await textsOf(open()), [])
})

test('a session holds more items than a batch or a page', async () => {
  const session = new BrainSession(brain, { sessionId: 's4' })
  await session.addItems(Array.from({ length: 1_100 }, (_, index) => message(`${index}`)))
  const texts = await textsOf(session)
  assert.deepEqual([texts.length, texts[0], texts[1_099]], [1_100, '0', '1099'])
  assert.equal((await textsOf(session, 600))[0], '500')
  await session.clearSession()
  assert.deepEqual(await textsOf(session), [])
})

test('a session reports a review, a large item and a deleted Brain', async () => {
  const reviewed = await openBrain('reviewed', 'review')
  await assert.rejects(new BrainSession(reviewed).addItems([message('Hi')]), /reviews writes/)
  await assert.rejects(new BrainSession(brain).addItems([message('x'.repeat(2 ** 20))]), { kind: 'validation' })
  await assert.rejects(new BrainSession(await deletedBrain('gone')).getItems(), { kind: 'not_found' })
})
