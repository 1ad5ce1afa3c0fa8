import type OpenAI from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import { passWait } from '../agent-runtime/use-runs.fixture.ts'
import { createMember } from '../test/app.ts'
import { refused, useOpenAi } from './scene.fixture.ts'

// Agents as models and their chat completions, as the official client of OpenAI uses them.

const { runs, connect, clients, says, lastSent, newestRun } = useOpenAi()
let openai: OpenAI
let quoting: { id: string; name: string }
let talking: { id: string; name: string }
beforeAll(() => {
  ;({ openai, quoting, talking } = clients)
})
const ask = (content: string) => ({ model: talking.name, messages: [{ role: 'user' as const, content }] })
const readState = async (id: string) => (await runs.read(id)).state

describe('models', () => {
  test('RUN-09 agents are models under their names, and under their ids if names repeat', async () => {
    const [one, other] = [await runs.createAgent({ name: 'Twin' }), await runs.createAgent({ name: 'Twin' })]
    const listed: string[] = []
    for await (const { id } of openai.models.list()) listed.push(id)
    expect(listed).toEqual(['Warehouse Guide', 'Talker', one.id, other.id])
    const found = await openai.models.retrieve('Warehouse Guide')
    expect(found).toMatchObject({ id: 'Warehouse Guide', object: 'model', agent_id: quoting.id })
    expect(await openai.models.retrieve(quoting.id)).toEqual(found)
    const ambiguous = await refused(openai.models.retrieve('Twin'))
    expect([ambiguous.status, ambiguous.message]).toEqual([400, expect.stringContaining(other.id)])
    await runs.call('DELETE', `/v1/agents/${one.id}`)
    expect((await openai.models.retrieve('Twin')).id).toBe('Twin')
    await runs.call('PATCH', `/v1/agents/${other.id}`, { name: quoting.id })
    expect((await openai.models.retrieve(quoting.id)).id).toBe('Warehouse Guide')
    await runs.call('DELETE', `/v1/agents/${other.id}`)
  })

  test('RUN-09 no model of another organization is there, by any name', async () => {
    const stranger = connect((await createMember(runs.app)).key)
    expect((await stranger.models.list()).data).toEqual([])
    for (const model of [quoting.id, quoting.name]) {
      const chat = await refused(stranger.chat.completions.create({ ...ask('Hello?'), model }))
      expect(chat).toMatchObject({
        status: 404,
        code: 'model_not_found',
        param: 'model',
        type: 'invalid_request_error',
      })
      expect((await refused(stranger.models.retrieve(model))).status).toBe(404)
    }
    const { id } = await openai.responses.create({ model: quoting.name, input: 'Who manages Lyon?' })
    expect((await refused(stranger.responses.retrieve(id))).status).toBe(404)
    expect((await refused(stranger.responses.cancel(id))).status).toBe(404)
    says([{ text: ['Hello.'] }])
    const agent = (await runs.app.request('POST', '/v1/agents', { key: String(stranger.apiKey), body: runs.given }))
      .body.data
    const taken = { model: agent.agent.id, input: 'Go on.', previous_response_id: id }
    expect(await refused(stranger.responses.create(taken))).toMatchObject({
      status: 404,
      param: 'previous_response_id',
    })
  })
})

describe('chat completions', () => {
  test('RUN-09 a completion is the answer of a run, with its citations and its tokens', async () => {
    const { choices, ...completion } = await openai.chat.completions.create({
      ...ask('When does the warehouse in Lyon open?'),
      ...{ model: quoting.name, metadata: { chat: 'c1' }, temperature: 0.2, user: 'ada' },
    })
    const run = await runs.read(completion.id)
    expect(run).toMatchObject({
      state: 'completed',
      agentId: quoting.id,
      metadata: { chat: 'c1' },
      conversationId: null,
    })
    const message = choices[0]?.message
    expect(choices[0]).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } })
    expect(message?.annotations?.[0]).toMatchObject({
      type: 'url_citation',
      url_citation: { title: 'Lyon', url: expect.stringMatching(/\/brains\/brain\/documents\/lyon%20hours$/) },
      noema: { brain: 'brain', type: 'document', id: 'lyon hours', version: 1 },
    })
    const { start_index: start, end_index: end } = message?.annotations?.[0]?.url_citation ?? {}
    expect(message?.content?.slice(start, end)).toBe('The warehouse in Lyon opens at six in the morning.')
    says([{ text: ['Hi.'], usage: { input: 70, output: 30 } }])
    expect((await openai.chat.completions.create(ask('Hi?'))).usage).toEqual({
      ...{ prompt_tokens: 70, completion_tokens: 30, total_tokens: 100 },
    })
  })

  test('RUN-09 a stream says the same as a whole answer: text, citations and tokens', async () => {
    const question = { ...ask('When does the warehouse in Lyon open?'), model: quoting.name }
    const whole = await openai.chat.completions.create(question)
    const final = await openai.chat.completions
      .stream({ ...question, stream_options: { include_usage: true } })
      .finalChatCompletion()
    expect(final.choices[0]?.message.content).toBe(whole.choices[0]?.message.content)
    expect(final.usage).toEqual(whole.usage)
    const annotations: unknown[] = []
    for await (const { choices } of await openai.chat.completions.create({ ...question, stream: true }))
      annotations.push(...((choices[0]?.delta as { annotations?: unknown[] } | undefined)?.annotations ?? []))
    expect(annotations).toEqual(whole.choices[0]?.message.annotations)
  })

  test('RUN-09 a call carries its whole conversation, and the texts of several steps are paragraphs', async () => {
    const { id } = await runs.createAgent({ tools: [{ agent: talking.id }] })
    let step = 0
    says(({ body }) => {
      if (!body.tools) return { text: ['Helped.'] }
      step++
      const name = body.tools[0].function.name
      return step === 1
        ? { text: ['I ask', ' another.'], toolCalls: [{ id: 'c', name, input: { input: 'Help.', task: 'Help.' } }] }
        : { reasoning: 'Let me see.', text: ['They ', 'helped.'] }
    })
    const messages = [
      { role: 'developer' as const, content: 'Be brief.' },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'One?' }] },
      { role: 'assistant' as const, content: 'Two.' },
      { role: 'user' as const, content: 'Three?' },
    ]
    let content = ''
    let reasoning = ''
    for await (const { choices } of await openai.chat.completions.create({ model: id, messages, stream: true })) {
      content += choices[0]?.delta.content ?? ''
      reasoning += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? ''
    }
    expect([content, reasoning]).toEqual(['I ask another.\n\nThey helped.', 'Let me see.'])
    const said = lastSent().filter(({ role }) => role !== 'tool')
    expect(said.map(({ role, content: text }) => [role, text]).slice(1, 5)).toEqual([
      ['system', 'Be brief.'],
      ['user', 'One?'],
      ['assistant', 'Two.'],
      ['user', 'Three?'],
    ])
    step = 0
    const whole = await openai.chat.completions.create({ model: id, messages })
    expect(whole.choices[0]?.message).toMatchObject({ content, reasoning_content: reasoning })
  })

  test('RUN-09 parameters that cannot be met are refused by name, and those that the agent decides are named as ignored', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const wrong: [object, string, string][] = [
      [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools', 'connectors'],
      [{ n: 2 }, 'n', 'one answer'],
      [{ response_format: { type: 'json_object' } }, 'response_format.type', 'outputSchema'],
      [{ logprobs: true }, 'logprobs', 'logprobs'],
      [{ messages: [{ role: 'user', content: [image] }] }, 'messages[0].content[0].type', 'images'],
      [{ messages: [] }, 'messages', 'one message'],
      [{ messages: [{ role: 'tool', content: 'x', tool_call_id: 'c' }] }, 'messages[0].role', 'role is'],
    ]
    for (const [more, param, message] of wrong) {
      const error = await refused(openai.chat.completions.create({ ...ask('Hi?'), ...more } as never))
      expect([error.status, error.type, error.param]).toEqual([400, 'invalid_request_error', param])
      expect(error.message).toContain(message)
    }
    says([{ text: ['Hi.'] }])
    const nothing = { tools: [], tool_choice: 'none', stream: null, metadata: null, stream_options: null }
    const body = { ...ask('Hi?'), ...nothing, temperature: 1, max_tokens: 5 }
    const { response } = await openai.chat.completions.create(body as never).withResponse()
    expect(response.headers.get('ignored-fields')).toBe('tool_choice, temperature, max_tokens')
  })

  test('RUN-09 a run that fails is an error that clients do not repeat, also in the middle of a stream', async () => {
    const failing = () => says(() => ({ status: 400, body: { error: { message: 'No.', type: 'scripted' } } }))
    failing()
    const error = await refused(openai.chat.completions.create(ask('Hi?')))
    expect(error).toMatchObject({ status: 500, code: 'run_failed', type: 'server_error' })
    expect(error.headers?.get('x-should-retry')).toBe('false')
    const stream = await openai.chat.completions.create({ ...ask('Hi?'), stream: true })
    const read = async () => {
      for await (const _ of stream);
    }
    expect(await refused(read())).toMatchObject({ code: 'run_failed', message: expect.stringContaining('failed') })
    const key = await refused(connect('nsk_wrong').chat.completions.create(ask('Hi?')))
    expect(key).toMatchObject({ status: 401, type: 'authentication_error', param: null })
  })
})

describe('callers that go away', () => {
  const hang = () => says(() => ({ text: ['Once '], ending: 'hang' }))

  test('RUN-09 a caller that goes away cancels its run, streamed or not', async () => {
    hang()
    const stream = await openai.chat.completions.create({ ...ask('A tale?'), stream: true })
    const chunks = stream[Symbol.asyncIterator]()
    const { id } = (await chunks.next()).value as { id: string }
    stream.controller.abort()
    await runs.reach(id, 'abandoned')
    expect((await runs.read(id)).abandonReason).toBe('The caller went away.')
    const before = runs.scripted.models.requests.length
    const gone = new AbortController()
    const waiting = openai.chat.completions.create(ask('Another?'), { signal: gone.signal })
    await runs.scripted.models.received(before + 1)
    gone.abort()
    await expect(waiting).rejects.toThrow()
    await runs.reach((await newestRun()).runId, 'abandoned')
  })

  test('RUN-09 as many calls wait as may have streams open; the next one is refused and starts nothing', async () => {
    hang()
    const open = [0, 1].map(() => openai.chat.completions.create({ ...ask('A tale?'), stream: true }))
    const streams = await Promise.all(open)
    const { runId } = await newestRun()
    for (const isStreamed of [true, false]) {
      const error = await refused(openai.chat.completions.create({ ...ask('Me?'), stream: isStreamed }))
      expect(error).toMatchObject({ status: 429, code: 'too_many_streams', type: 'rate_limit_error' })
      expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await newestRun()).runId).toBe(runId)
    for (const { controller } of streams) controller.abort()
    await runs.reach(runId, 'abandoned')
  })

  test('RUN-09 an attempt that dies is no part of the answer, and a stream shows that it was interrupted', async () => {
    says([
      { text: ['Half '], ending: 'cut' },
      { text: ['Whole.'] },
      { text: ['Half '], ending: 'cut' },
      { text: ['Whole.'] },
    ])
    const chunks: string[] = []
    for await (const { id, choices } of await openai.chat.completions.create({ ...ask('Say.'), stream: true })) {
      const delta = choices[0]?.delta.content ?? ''
      chunks.push(delta)
      if (delta === 'Half ') await passWait(runs.app, id)
    }
    expect(chunks.join('')).toBe('Half \n\nWhole.')
    const items: unknown[] = []
    let text = ''
    for await (const event of await openai.responses.create({ model: talking.name, input: 'Say.', stream: true })) {
      if (event.type === 'response.output_text.delta' && event.delta === 'Half ')
        await passWait(runs.app, (await newestRun()).runId)
      if (event.type === 'response.output_item.done' && event.item.type === 'message') items.push(event.item.status)
      if (event.type === 'response.completed') text = JSON.stringify(event.response.output)
    }
    expect(items).toEqual(['incomplete', 'completed'])
    expect([text.includes('Whole.'), text.includes('Half')]).toEqual([true, false])
  })

  test('RUN-09 with an idempotency key the run goes on, and a repeat gets the answer of the same run', async () => {
    const release = Promise.withResolvers<void>()
    says(() => release.promise.then(() => ({ text: ['Here.'] })))
    const headers = { 'Idempotency-Key': 'tale-1' }
    const gone = new AbortController()
    const before = runs.scripted.models.requests.length
    const first = openai.chat.completions.create(ask('A tale?'), { headers, signal: gone.signal })
    await runs.scripted.models.received(before + 1)
    gone.abort()
    await expect(first).rejects.toThrow()
    const { runId } = await newestRun()
    release.resolve()
    const repeated = await openai.chat.completions.create(ask('A tale?'), { headers })
    expect([repeated.id, repeated.choices[0]?.message.content]).toEqual([runId, 'Here.'])
    expect(runs.scripted.models.requests.length).toBe(before + 1)
    const streamed = openai.chat.completions.stream(ask('A tale?'), { headers })
    expect((await streamed.finalChatCompletion()).choices[0]?.message.content).toBe('Here.')
    const other = await refused(openai.chat.completions.create(ask('Another?'), { headers }))
    expect(other).toMatchObject({ status: 409, code: 'idempotency_key_reused' })
  })

  test('RUN-09 a key that is revoked ends the stream, and the run goes on', async () => {
    hang()
    const { session: headers } = runs.scene.member
    const minted = await runs.app.request('POST', '/v1/keys', { headers, body: { name: 'chat' } })
    const { key, secret } = minted.body.data
    const stream = await connect(secret).chat.completions.create({ ...ask('A tale?'), stream: true })
    const chunks = stream[Symbol.asyncIterator]()
    const { id } = (await chunks.next()).value as { id: string }
    await runs.app.request('DELETE', `/v1/keys/${key.id}`, { headers })
    const rest = async () => {
      for (let one = await chunks.next(); !one.done; one = await chunks.next());
    }
    expect(await refused(rest())).toMatchObject({ message: expect.stringContaining('revoked') })
    expect(await readState(id)).toBe('running')
    await runs.call('POST', `/v1/runs/${id}/cancel`)
  })
})
