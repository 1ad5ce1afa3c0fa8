import type OpenAI from 'openai'
import { beforeAll, expect, test } from 'vitest'
import { addBrain } from '../test/app.ts'
import { refused, useOpenAi } from './scene.fixture.ts'

// Responses of agents, as the official client of OpenAI uses them.

const { runs, clients, says, lastSent } = useOpenAi()
let openai: OpenAI
let quoting: { id: string; name: string }
let talking: { id: string; name: string }
beforeAll(() => {
  ;({ openai, quoting, talking } = clients)
})

test('RUN-09 a response has its message, citations, tokens and facts, and can be read again', async () => {
  const made = await openai.responses.create({
    ...{ model: quoting.name, input: 'When does the warehouse in Lyon open?', metadata: { case: '7' } },
    instructions: 'Be brief.',
  })
  expect(made).toMatchObject({ status: 'completed', model: quoting.name, metadata: { case: '7' }, error: null })
  expect(made).toMatchObject({ instructions: 'Be brief.', previous_response_id: null, background: false })
  expect(made.output_text).toContain('opens at six')
  const [message] = made.output
  const content = message?.type === 'message' ? message.content[0] : undefined
  const [citation] = content?.type === 'output_text' ? content.annotations : []
  expect(citation).toMatchObject({ type: 'url_citation', title: 'Lyon', noema: { id: 'lyon hours' } })
  expect(await openai.responses.retrieve(made.id)).toEqual(made)
  says([{ text: ['Hi.'], usage: { input: 70, output: 30, cacheRead: 40, reasoning: 20 } }])
  expect((await openai.responses.create({ model: talking.name, input: 'Hi?' })).usage).toEqual({
    ...{ input_tokens: 70, output_tokens: 30, total_tokens: 100 },
    ...{ input_tokens_details: { cached_tokens: 40 }, output_tokens_details: { reasoning_tokens: 20 } },
  })
})

test('RUN-09 the events of a stream are numbered, in order, and their last one is the whole response', async () => {
  const question = { model: quoting.name, input: 'When does the warehouse in Lyon open?' }
  const events = []
  for await (const event of await openai.responses.create({ ...question, stream: true })) events.push(event)
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index))
  const kinds = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
  expect(kinds).toEqual([
    ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
    ...['response.output_text.delta', 'response.output_text.annotation.added', 'response.output_text.done'],
    ...['response.content_part.done', 'response.output_item.done', 'response.completed'],
  ])
  const final = await openai.responses.stream(question).finalResponse()
  expect(final.output_text).toContain('opens at six')
  const last = events.at(-1)
  const done = last?.type === 'response.completed' ? last.response : undefined
  const { output_text: _text, ...stored } = await openai.responses.retrieve(done?.id ?? '')
  expect(stored).toEqual(done)
})

test('RUN-09 a response continues an earlier one as often as it is asked, without its instructions', async () => {
  says([{ text: ['I am Bo.'] }, { text: ['Bo.'] }, { text: ['Bo again.'] }])
  const model = talking.name
  const first = await openai.responses.create({ model, input: 'Who are you?', instructions: 'Speak as Bo.' })
  const ask = { model, input: [{ role: 'user' as const, content: 'Say it.' }], previous_response_id: first.id }
  const second = await openai.responses.create({ ...ask, instructions: 'Be brief.' })
  const said = lastSent().map(({ role, content }) => [role, content])
  expect(said.slice(1)).toEqual([
    ['system', 'Be brief.'],
    ['user', 'Who are you?'],
    ['assistant', 'I am Bo.'],
    ['user', 'Say it.'],
  ])
  expect(second).toMatchObject({ previous_response_id: first.id, output_text: 'Bo.' })
  await openai.responses.create(ask)
  expect(
    lastSent()
      .slice(1)
      .map(({ content }) => content),
  ).toEqual(['Who are you?', 'I am Bo.', 'Say it.'])
  const missing = await refused(openai.responses.create({ ...ask, previous_response_id: 'run_none' }))
  expect(missing).toMatchObject({ status: 404, param: 'previous_response_id' })
})

test('RUN-09 a stored conversation gets the run as its next turn, and can be continued from any of its turns', async () => {
  says([{ text: ['One.'] }, { text: ['Two.'] }, { text: ['Other.'] }])
  const { id } = (await runs.call('POST', '/v1/conversations', {})).body.data.conversation
  const turn = (input: string, conversation: string | { id: string } = id) =>
    openai.responses.create({ model: talking.name, input, conversation })
  const first = await turn('First?')
  expect((await turn('Second?', { id })).conversation).toEqual({ id })
  const texts = () =>
    lastSent()
      .slice(1)
      .map(({ content }) => content)
  expect(texts()).toEqual(['First?', 'One.', 'Second?'])
  await openai.responses.create({ model: talking.name, input: 'Else?', previous_response_id: first.id })
  expect(texts()).toEqual(['First?', 'One.', 'Else?'])
  expect(await refused(turn('Third?', 'cnv_none'))).toMatchObject({ status: 404, param: 'conversation' })
  const both = { model: talking.name, input: 'x', conversation: id, previous_response_id: first.id }
  expect(await refused(openai.responses.create(both))).toMatchObject({ status: 400, param: 'conversation' })
})

test('RUN-09 a response in the background is answered at once, can be read meanwhile and be cancelled twice', async () => {
  says(() => ({ text: ['Once '], ending: 'hang' }))
  const made = await openai.responses.create({ model: talking.name, input: 'A tale?', background: true })
  expect(made).toMatchObject({ background: true, usage: null, output: [] })
  expect(['queued', 'in_progress']).toContain(made.status)
  const early = { model: talking.name, input: 'On.', previous_response_id: made.id }
  expect(await refused(openai.responses.create(early))).toMatchObject({ status: 409 })
  expect(await openai.responses.cancel(made.id)).toMatchObject({ status: 'cancelled' })
  expect(await openai.responses.cancel(made.id)).toMatchObject({ status: 'cancelled', id: made.id })
  says([{ text: ['Done.'] }])
  const { id } = await openai.responses.create({ model: talking.name, input: 'Quick?', background: true })
  await runs.reach(id, 'completed')
  expect(await openai.responses.retrieve(id)).toMatchObject({ status: 'completed', output_text: 'Done.' })
  expect(await refused(openai.responses.cancel(id))).toMatchObject({ status: 409, code: 'run_ended' })
})

test('RUN-09 a failed run is a failed response, and an event says so', async () => {
  says(() => ({ status: 400 }))
  const made = await openai.responses.create({ model: talking.name, input: 'Hi?' })
  expect(made).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output_text: '' })
  const types: string[] = []
  for await (const { type } of await openai.responses.create({ model: talking.name, input: 'Hi?', stream: true }))
    types.push(type)
  expect(types).toEqual(['response.created', 'response.in_progress', 'response.failed'])
})

test('RUN-09 D-79b deleting a Brain erases its content from responses of other agents that continue those of its readers', async () => {
  const brain = await addBrain(runs.app, runs.scene.member, 'passing')
  await brain.call('POST', '/documents', { id: 'h', title: 'Nice', text: 'The harbor in Nice opens at seven.' })
  const brains = [{ handle: 'passing', access: 'read_only' }]
  const { name } = await runs.createAgent({ name: 'Harbor Guide', model: 'noema/extractive', brains })
  const first = await openai.responses.create({ model: name, input: 'When does the harbor in Nice open?' })
  expect(first.output_text).toContain('opens at seven')
  says([{ text: ['Thanks.'] }, { text: ['Again.'] }])
  const ask = { model: talking.name, input: 'Thanks.' }
  const second = await openai.responses.create({ ...ask, previous_response_id: first.id })
  const third = await openai.responses.create({ ...ask, previous_response_id: second.id })
  expect(JSON.stringify(await runs.listMessages(third.id))).toContain('opens at seven')
  await runs.app.request('DELETE', brain.path, { key: runs.scene.member.key })
  await runs.app.app.workers.find((worker) => worker.name === 'erase deleted Brains')?.run()
  for (const { id } of [first, second, third])
    expect(JSON.stringify([await runs.read(id), await runs.listMessages(id)])).not.toContain('opens at seven')
})
