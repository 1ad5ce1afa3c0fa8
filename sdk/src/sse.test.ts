import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readMessages, type StreamMessage } from './sse.ts'

const parse = async (pieces: Uint8Array[]): Promise<StreamMessage[]> => {
  const left = [...pieces]
  const messages: StreamMessage[] = []
  for await (const message of readMessages(async () => left.shift())) messages.push(message)
  return messages
}

const bytes = (text: string) => new TextEncoder().encode(text)

const split = (whole: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return places.slice(1).map((end, index) => whole.slice(places[index], end))
}

test('a message has an id, an event and data; comments are nothing', async () => {
  expect(await parse([bytes(': hello\n\nid: c1\nevent: record.accepted\ndata: {"a":1}\n\n: beat\n\n')])).toEqual([
    { id: 'c1', event: 'record.accepted', data: '{"a":1}' },
  ])
})

test('lines of data are joined, an id alone moves the place, and an unfinished message never comes out', async () => {
  expect(await parse([bytes('data: a\ndata:b\ndata\n\nid: c2\n\nid: c3\ndata: lost\n')])).toEqual([
    { id: undefined, event: undefined, data: 'a\nb\n' },
    { id: 'c2', event: undefined, data: undefined },
  ])
})

test('a byte order mark at the start is no part of the first line', async () => {
  expect(await parse([bytes('\ufeffdata: a\n\n')])).toMatchObject([{ data: 'a' }])
})

const message = fc.record({ id: fc.stringMatching(/^[A-Za-z0-9:-]{1,12}$/), data: fc.json() })

test('any split of the bytes, with any line ends, parses to the same messages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 6 }),
      fc.array(fc.nat()),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (messages, cuts, end) => {
        const text = messages.map(({ id, data }) =>
          [`id: ${id}`, 'event: e', `data: ${data} é日😀`, ': beat', '', ''].join(end),
        )
        const expected = messages.map(({ id, data }) => ({ id, event: 'e', data: `${data} é日😀` }))
        expect(await parse(split(bytes(text.join('')), cuts))).toEqual(expected)
      },
    ),
  )
})

test('the stream cut at every single byte parses to the same messages', async () => {
  const whole = bytes('id: c1\r\nevent: e\r\ndata: é😀\r\n\r\n: beat\n\nid: c2\rdata: 2\r\r')
  const expected = await parse([whole])
  expect(expected).toHaveLength(2)
  for (let cut = 0; cut <= whole.length; cut++) expect(await parse(split(whole, [cut]))).toEqual(expected)
  expect(await parse([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
})
