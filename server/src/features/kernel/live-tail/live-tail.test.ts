import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'

const app = useOwnApp()

type Message = { id?: string; event?: string; data?: string; comment?: string }

const parseMessage = (block: string): Message =>
  Object.fromEntries(
    block.split('\n').map((line) => {
      const [, name, text] = /^(\w*): ?(.*)$/.exec(line) ?? []
      return [name === '' ? 'comment' : (name ?? 'bad'), text ?? line]
    }),
  )

/** Follows a Brain's stream as Server-Sent Events. `next` waits for the next message; undefined if the stream has ended. */
const tail = async (of: TestBrain, query = '', headers: Record<string, string> = {}, base = app.base) => {
  const stop = new AbortController()
  const response = await fetch(`${base}${of.path}/events${query}`, {
    headers: {
      accept: 'text/event-stream',
      ...('cookie' in headers ? {} : { authorization: `Bearer ${of.key}` }),
      ...headers,
    },
    signal: stop.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        return parseMessage(block)
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return undefined
      text += value
    }
  }
  const nextEvent = async (): Promise<Message | undefined> => {
    for (;;) {
      const message = await next()
      if (message === undefined || message.id !== undefined) return message
    }
  }
  const nextEvents = async (count: number) => {
    const messages: Message[] = []
    while (messages.length < count) messages.push((await nextEvent()) ?? {})
    return messages
  }
  return { response, next, nextEvent, nextEvents, stop: () => stop.abort() }
}

const brainWithEvents = async (handle: string) => {
  const of = await createBrain(app, handle)
  await of.call('PUT', '/records/a', { kind: 'k' })
  await of.call('POST', '/documents', { id: 'd', text: 'line\nbreak' })
  await of.call('DELETE', '/records/a')
  return { of, events: (await of.call('GET', '/events')).body.data.events }
}
const parseData = (messages: Message[]) => messages.map(({ data }) => JSON.parse(data ?? 'null'))

test('D-54 the tail sends the events that pages list, each with its cursor as id and its type', async () => {
  const { of, events } = await brainWithEvents('same')
  const stream = await tail(of)
  expect(stream.response.status).toBe(200)
  expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(stream.response.headers.get('x-request-id')).toBeTruthy()
  const messages = await stream.nextEvents(3)
  expect(parseData(messages)).toEqual(events)
  expect(messages.map(({ id, event }) => [id, event])).toEqual(
    events.map(({ cursor, type }: { cursor: string; type: string }) => [cursor, type]),
  )
  stream.stop()
})

test('D-54 an event that is committed later arrives, in order and once', async () => {
  const { of } = await brainWithEvents('live')
  const stream = await tail(of)
  await stream.nextEvents(3)
  const written = await Promise.all(
    Array.from({ length: 30 }, (_, n) => of.call('PUT', `/records/r${n}`, { kind: 'k' })),
  )
  const arrived = parseData(await stream.nextEvents(30))
  expect(arrived.map(({ data }) => data.stateVersion)).toEqual(Array.from({ length: 30 }, (_, n) => n + 4))
  expect(new Set(arrived.map(({ data }) => data.change))).toEqual(
    new Set(written.map(({ body }) => body.data.change.id)),
  )
  stream.stop()
})

test('D-54 the tail resumes after Last-Event-ID, or after `after`, of which the first counts more', async () => {
  const { of, events } = await brainWithEvents('resumes')
  for (const [query, headers] of [
    [`?after=${events[1].cursor}`, {}],
    ['', { 'last-event-id': events[1].cursor }],
    [`?after=${events[0].cursor}`, { 'last-event-id': events[1].cursor }],
  ] as const) {
    const stream = await tail(of, query, headers)
    expect(parseData(await stream.nextEvents(1))).toEqual([events[2]])
    stream.stop()
  }
})

test('D-54 EVT-09 a tail from a cursor that is not this stream’s is refused before it begins', async () => {
  const { of, events } = await brainWithEvents('refused')
  const { events: foreign } = await brainWithEvents('foreign')
  for (const [query, headers] of [
    [`?after=${foreign[0].cursor}`, {}],
    ['', { 'last-event-id': 'forged' }],
    ['?types=nope', {}],
    [`?after=${events[0].cursor}&limit=0`, {}],
  ] as const) {
    const { response } = await tail(of, query, headers)
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  }
  const { response } = await tail({ ...of, key: await of.mintKey(['write']) })
  expect(response.status).toBe(403)
})

test('D-54 EVT-06 types chooses the events of a tail', async () => {
  const { of, events } = await brainWithEvents('chosen')
  const stream = await tail(of, '?types=record.deleted,document.served')
  expect(parseData(await stream.nextEvents(2))).toEqual(events.slice(1))
  await of.call('PUT', '/records/b', { kind: 'k' })
  await of.call('DELETE', '/records/b')
  const [last] = parseData(await stream.nextEvents(1))
  expect(last).toMatchObject({ type: 'record.deleted', data: { record: { id: 'b' } } })
  stream.stop()
})

test('D-54 while nothing happens the tail sends heartbeats without an id', async () => {
  const of = await createBrain(app, 'quiet')
  const stream = await tail(of)
  for (let beat = 0; beat < 2; beat++) expect(Object.keys((await stream.next()) ?? {})).toEqual(['comment'])
  stream.stop()
})

test('D-54 the tail ends when its Brain is deleted', async () => {
  const { of } = await brainWithEvents('ends')
  const stream = await tail(of)
  await stream.nextEvents(3)
  await app.request('DELETE', of.path, { key: of.key })
  expect(await stream.nextEvent()).toBeUndefined()
})

test('D-54 a commit on another node arrives, and a node that drains ends its tails', async () => {
  const { of } = await brainWithEvents('nodes')
  const node = await app.startNode()
  const stream = await tail(of, '', {}, node.base)
  await stream.nextEvents(3)
  await of.call('PUT', '/records/here', { kind: 'k' })
  expect(parseData(await stream.nextEvents(1))).toMatchObject([{ data: { record: { id: 'here' } } }])
  const closed = node.close()
  expect(await stream.nextEvent()).toBeUndefined()
  await closed
})

test('D-54 a tail that its reader leaves is given up by the server', async () => {
  const of = await createBrain(app, 'leaves')
  const streams = await Promise.all(Array.from({ length: 40 }, () => tail(of)))
  for (const stream of streams) stream.stop()
  // More tails than the node has database connections; were any held, reads would find none left.
  expect((await of.call('PUT', '/records/a', { kind: 'k' })).status).toBe(201)
  expect((await of.call('GET', '/events')).body.data.events).toHaveLength(1)
})

test('KEY-08 a tail ends within seconds of the revocation of its key, also when nothing happens', async () => {
  const of = await createBrain(app, 'revoked')
  const minted = await of.call('POST', '/keys', { name: 'reader', capabilities: ['read'] })
  const { key, secret } = minted.body.data
  const reader = await tail(of, '', { authorization: `Bearer ${secret}` })
  expect(await reader.next()).toEqual({ comment: 'connected' })
  await of.call('DELETE', `/keys/${key.id}`)
  app.clock.advance({ seconds: 6 })
  expect(await reader.nextEvent()).toBeUndefined()
})

test.each([
  ['its end', 'signs-out'],
  ["the member's removal", 'removed'],
])('D-13b a tail of a session ends within seconds of %s', async (_case, how) => {
  const of = await createBrain(app, how)
  const guest = await joinOrganization(app, of)
  const reader = await tail(of, '', guest.session)
  expect(await reader.next()).toEqual({ comment: 'connected' })
  await of.call('POST', '/records', { kind: 'note' })
  expect(await reader.nextEvent()).toMatchObject({ event: 'record.accepted' })
  if (how === 'removed') await removeMember(app, of, guest)
  else await app.request('POST', '/api/auth/sign-out', { headers: guest.session, body: {} })
  app.clock.advance({ seconds: 6 })
  expect(await reader.nextEvent()).toBeUndefined()
})
