import { endpoints } from '@noema/contracts/api.ts'
import { errorStatus } from '@noema/contracts/error-status.ts'
import { errorBody } from '@noema/contracts/errors.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyBody, anyContentType, anyHeaderText, anyQuery, anySegment } from '../../test/arbitrary-requests.ts'
import { sampleText } from '../../test/endpoints/artifacts.ts'
import { useApp, useBrain } from '../../test/harness.ts'
import { type RawAnswer, rawRequest } from '../../test/raw-request.ts'
import { fillPath, readState, sampleCall, sampleCredential } from '../../test/sample-calls.ts'

const app = useApp()
const brain = useBrain(app)

type Sampled = (typeof endpoints)[number]
type Sent = { method: string; path: string; headers?: Record<string, string>; body?: Uint8Array }

const credential = ({ endpoint }: Sampled): Record<string, string> => sampleCredential(endpoint, brain)

const send = ({ method, path, headers, body }: Sent, who: Record<string, string>): Promise<RawAnswer> =>
  rawRequest(app.base, { method, path, headers: { ...who, ...headers }, ...(body === undefined ? {} : { body }) })

/** The form of every answer; an error has one of the eight kinds, with its own status and a message. */
const expectAnswer = ({ status, headers, text }: RawAnswer): void => {
  expect(status).toBeLessThan(500)
  expect(headers['x-request-id']).toEqual(expect.stringMatching(/^.{1,128}$/))
  // An export is lines instead, each an object of its own.
  if (status < 300 && headers['content-type'] === 'application/x-ndjson') {
    for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object')
    return
  }
  // The stream of a run that has ended is events, and ends with a word of its own.
  if (status < 300 && String(headers['content-type']).startsWith('text/event-stream')) {
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
    return
  }
  // A bundle is an archive, which begins with the first byte of gzip.
  if (status < 300 && headers['content-type'] === 'application/gzip') {
    expect(text.charCodeAt(0)).toBe(0x1f)
    return
  }
  // A file is its own bytes.
  if (status < 300 && String(headers['content-disposition']).startsWith('attachment;')) {
    expect(text).toBe(sampleText)
    return
  }
  const body = JSON.parse(text)
  if (status < 300) {
    expect(Object.keys(body)).toEqual(['data'])
    return
  }
  const { error } = errorBody.strict().parse(body)
  expect(errorStatus[error.kind]).toBe(status)
  expect(error.message).not.toBe('')
}

/**
 * The validator's own words, where no message of ours replaces them. As whole words, because messages repeat names of the
 * sender's own.
 */
const validatorWords =
  /Invalid (input|option|string|key|value|discriminator|element)|expected \w+, received|Too (small|big)|Unrecognized key|\bundefined\b|\bNaN\b|discriminator/

const toMessages = ({ text }: RawAnswer): string[] => {
  const { error } = errorBody.parse(JSON.parse(text))
  return [error.message, ...(error.details ?? []).map(({ message }) => message)]
}

/** Sends requests one after the other and checks each answer. Answers the refused ones and the messages of their refusals. */
const sendMalformed = async (requests: fc.Arbitrary<Sent>, who: Record<string, string>) => {
  const refused: Sent[] = []
  const messages = new Set<string>()
  const property = fc.asyncProperty(requests, async (sent) => {
    const answer = await send(sent, who)
    expectAnswer(answer)
    if (answer.status < 400) return
    // One distillation too many is accepted once another one has ended.
    if (!/^too_many_/.test(errorBody.parse(JSON.parse(answer.text)).error.code ?? '')) refused.push(sent)
    for (const message of toMessages(answer)) messages.add(message)
  })
  await fc.assert(property, runs)
  return { refused, messages: [...messages] }
}

const runs = { numRuns: 15 }

describe.each(endpoints.filter(({ endpoint }) => endpoint.body !== undefined))('whatever body $name gets', (named) => {
  let { refused, messages }: Awaited<ReturnType<typeof sendMalformed>> = { refused: [], messages: [] }

  test('SUR-02 SUR-03 it answers in the envelope, never 5xx', async () => {
    // A call that may end its caller has a caller of its own.
    const { method, path, body, headers } = await sampleCall(app, brain, named)
    const requests = fc.record({ body: anyBody(body ?? {}), type: anyContentType }).map(({ body: bytes, type }) => ({
      ...{ method, path, body: bytes },
      headers: { ...headers, 'content-type': type },
    }))
    const sent = await sendMalformed(requests, credential(named))
    refused = sent.refused
    messages = sent.messages
    expect(refused.length).toBeGreaterThan(0)
  })

  test('SUR-02 a refusal changes nothing', async () => {
    const before = await readState(app, brain)
    for (const sent of refused) expect((await send(sent, credential(named))).status).toBeGreaterThanOrEqual(400)
    expect(await readState(app, brain)).toEqual(before)
  })

  test('its refusals are sentences in plain words', () => {
    expect(messages.filter((message) => validatorWords.test(message))).toEqual([])
    expect(messages.filter((message) => !/[.!?]$/.test(message))).toEqual([])
  })
})

test.each(endpoints.filter(({ endpoint }) => endpoint.path.includes('{')))(
  'SUR-02 SUR-03 whatever stands in the path of $name, it answers in the envelope, never 5xx',
  async (named) => {
    const { method, body } = await sampleCall(app, brain, named)
    const { path } = named.endpoint
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
    const bytes =
      body === undefined
        ? {}
        : { body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json' } }
    const segments = fc.array(anySegment, { minLength: names.length, maxLength: names.length })
    await fc.assert(
      fc.asyncProperty(segments, fc.boolean(), async (given, inOwnBrain) => {
        const odd = names.map((name, index) => [
          name,
          name === 'handle' && inOwnBrain && names.length > 1 ? brain.brain.handle : given[index],
        ])
        const params = Object.fromEntries(odd)
        const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => params[name])
        expectAnswer(await send({ method, path: target, ...bytes }, credential(named)))
      }),
      runs,
    )
  },
)

test.each(endpoints.filter(({ endpoint }) => endpoint.query !== undefined))(
  'SUR-02 SUR-06 EVT-09 whatever query $name gets, forged and repeated cursors too, it answers in the envelope, never 5xx',
  async (named) => {
    const sample = await sampleCall(app, brain, named)
    const { method } = sample
    const path = sample.path.replace(/\?.*/, '')
    const lists = ['/events', '/records', '/keys']
    const pages = await Promise.all(lists.map((list) => brain.call('GET', `${list}?limit=1`)))
    const cursors = pages.map(({ body }) => body.data.cursor as string)
    const query = anyQuery(Object.keys(named.endpoint.query?.shape ?? {}), cursors)
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        expectAnswer(await send({ method, path: `${path}?${text}` }, credential(named)))
      }),
      runs,
    )
  },
)

test('SUR-02 a write with any headers is answered in the envelope, never 5xx', async () => {
  const names = [
    'if-match',
    'idempotency-key',
    'x-request-id',
    'x-organization-id',
    'accept',
    'last-event-id',
    'prefer',
  ]
  const headers = fc.dictionary(fc.constantFrom(...names), anyHeaderText, { maxKeys: 4 })
  await fc.assert(
    fc.asyncProperty(headers, async (given) => {
      const body = Buffer.from('{"kind":"odd"}')
      const path = fillPath('/v1/brains/{handle}/records/odd', { handle: brain.brain.handle })
      const who = { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' }
      expectAnswer(await send({ method: 'PUT', path, headers: given, body }, who))
    }),
    { ...runs, numRuns: 40 },
  )
})

test('AUT-05 a request with any malformed credential is 401 in the envelope', async () => {
  const forged = fc.oneof(
    anyHeaderText,
    fc.stringMatching(/^(nsk|nbk)_[0-9A-Za-z]{46}$/),
    fc.constantFrom(`${brain.key} `, 'nsk_'),
  )
  await fc.assert(
    fc.asyncProperty(forged, fc.constantFrom('authorization', 'x-api-key'), async (token, header) => {
      const value = header === 'authorization' ? `Bearer ${token}x` : `${token}x`
      const answer = await send({ method: 'GET', path: '/v1/whoami', headers: { [header]: value } }, {})
      expectAnswer(answer)
      expect(answer.status).toBe(401)
    }),
    { ...runs, numRuns: 40 },
  )
})

test.each([
  [{}, 'body.kind: This is required: a text.'],
  [{ kind: 7 }, 'body.kind: Expected a text; got a whole number.'],
  [[], 'body: Expected an object; got a list.'],
  [{ kind: 'a', links: [{ predicate: '', to: 'x' }] }, 'body.links.0.predicate: Expected at least 1 character.'],
  [{ kind: 'a', provenance: { trust: 'maybe' } }, 'body.provenance.trust: Expected one of "trusted", "unverified".'],
  [{ kind: 'a', fields: { '': 1 } }, 'body.fields.: A field name has 1 to 128 characters.'],
])('%j is refused as "%s"', async (body, message) => {
  expect((await brain.call('POST', '/records', body)).body.error.message).toBe(message)
})
