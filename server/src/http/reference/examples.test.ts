import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { listErrors } from '@noema/contracts/endpoint-errors.ts'
import { errorStatus } from '@noema/contracts/error-status.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, signUp, type TestBrain } from '../../test/app.ts'
import { allEndpoints, type NamedEndpoint } from '../../test/endpoints/all.ts'
import { useOwnApp } from '../../test/harness.ts'
import { confirmAddress } from '../../test/organizations.ts'
import { type SampleCall, sampleCall, sampleCredential } from '../../test/sample-calls.ts'
import { createValidation } from './document-validation.ts'
import { addSpacecraft, exampleCall, exampleHandle } from './example-calls.fixture.ts'
import { shorten, toShown } from './example-text.fixture.ts'

// Sends each call that the reference shows to the service and validates the response against the document. With
// NOEMA_RECORD_EXAMPLES=true it also writes the examples of the reference again, from these responses.

const email = 'administrator@example.com'
const app = useOwnApp({ NOEMA_ADMIN_EMAILS: email })
let brain: TestBrain
let reviewed: TestBrain
let administrator: Record<string, string>
let mailing: Awaited<ReturnType<typeof app.startNode>>
const file = new URL('examples.json', import.meta.url)
const isRecording = process.env.NOEMA_RECORD_EXAMPLES === 'true'
const recorded: Record<string, { request?: unknown; answers: Record<string, unknown> }> = {}
const validation = createValidation()

beforeAll(async () => {
  brain = await createBrain(app, exampleHandle)
  await addSpacecraft(brain)
  reviewed = await addBrain(app, brain, 'space-proposals')
  await addSpacecraft(reviewed)
  const person = await signUp(app, email)
  await confirmAddress(app, person)
  administrator = person.session
  mailing = await app.startNode({ NOEMA_SMTP_URL: 'smtp://127.0.0.1:9', NOEMA_MAIL_FROM: 'noema@example.com' })
})

afterAll(async () => {
  await mailing.close()
  if (!isRecording) return
  const sorted = Object.entries(recorded).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`)
})

/** Calls and answers in the form in which the reference shows them. */
const record = (name: string, sent: unknown, status: number, answered: unknown) => {
  const shown = JSON.parse(toShown(JSON.stringify({ sent: sent ?? null, answered: shorten(answered) })))
  const known = recorded[name]
  const request = known?.request ?? (sent === undefined ? undefined : shown.sent)
  const answers = { [status]: shown.answered, ...known?.answers }
  recorded[name] = { ...(request === undefined ? {} : { request }), answers }
}

/** The schema itself is a file of the docs. */
const shortSchema = { data: { schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' } } }

/** Sends a call, and records what was answered unless it was refused. */
const exchange = async ({ name, endpoint }: NamedEndpoint, call: SampleCall, on: TestBrain) => {
  const { method, path, body, headers = {} } = call
  const who = endpoint.access === 'administrator' ? administrator : sampleCredential(endpoint, on)
  const sentHeaders = body === undefined ? {} : { 'content-type': 'application/json' }
  // Mails are tried once more where there is a mail server.
  const { base } = name === 'admin.retryMail' ? mailing : app
  const response = await fetch(base + path, {
    method,
    headers: { ...sentHeaders, ...who, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('application/json') ?? false
  const isZipped = response.headers.get('content-type') === 'application/gzip'
  const answered = isZipped ? 'The bytes of a gzipped tar.' : isJson ? JSON.parse(text) : text
  if (!endpoint.status.includes(response.status)) return { status: response.status, answered }
  if (typeof body === 'object') expect(validation.ofRequest(name, JSON.parse(JSON.stringify(body)))).toEqual([])
  if (isJson) expect(validation.ofAnswer(name, response.status, answered)).toEqual([])
  record(name, body, response.status, name === 'packs.schema' ? shortSchema : answered)
  return { status: response.status, answered }
}

const send = async (named: NamedEndpoint, call: SampleCall, on: TestBrain): Promise<number> =>
  (await exchange(named, call, on)).status

/** The statuses that an endpoint answers with a body. */
const listStatuses = ({ status, jsonRpc }: Endpoint) => (jsonRpc ? status.slice(0, 1) : status)

/** Prepares a call while writes are applied, and sends it while they need review. */
const sendForReview = async (named: NamedEndpoint) => {
  const call = await sampleCall(app, reviewed, named)
  await reviewed.call('PATCH', '', { mode: 'review' })
  const status = await send(named, call, reviewed)
  await reviewed.call('PATCH', '', { mode: 'direct' })
  return status
}

/** Begins a snapshot and adds to it. */
const sendMore = async (named: NamedEndpoint, first: SampleCall) => {
  const body = first.body as object
  const { answered } = await exchange(named, { ...first, body: { ...body, complete: false } }, brain)
  return send(named, { ...first, body: { ...body, snapshot: answered.data.snapshot.snapshot } }, brain)
}

/** The ways to the other statuses: the same call again, more of a snapshot, a call that waits, and one that needs review. */
const listOtherWays = (named: NamedEndpoint, first: SampleCall): (() => Promise<number>)[] => [
  ...(named.name === 'brain.snapshots.plan' ? [() => sendMore(named, first)] : []),
  () => send(named, first, brain),
  ...(named.endpoint.wait ? [() => send(named, { ...first, headers: { prefer: 'wait=30' } }, brain)] : []),
  ...(named.endpoint.status.includes(202) ? [() => sendForReview(named)] : []),
]

test.each(allEndpoints)('D-81 $name answers what the document says', async (named) => {
  const first = await exampleCall(app, brain, named)
  const { status, answered } = await exchange(named, first, brain)
  expect(named.endpoint.status, JSON.stringify(answered)).toContain(status)
  if (!isRecording) return
  const seen = new Set([status])
  for (const sendOther of listOtherWays(named, first))
    if (listStatuses(named.endpoint).some((one) => !seen.has(one))) seen.add(await sendOther())
})

type Example = { request?: unknown; answers: Record<string, unknown> }
const examples = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Example>

test('D-81 every operation has an example of its answer, and of its body where it takes one', () => {
  expect(Object.keys(examples).sort()).toEqual(allEndpoints.map(({ name }) => name).sort())
  for (const { name, endpoint } of allEndpoints) {
    const takesBody = endpoint.ndjson === 'body' || endpoint.body !== undefined
    if (takesBody) expect(examples[name]?.request, name).toBeDefined()
    expect(Object.keys(examples[name]?.answers ?? {}).length, name).toBeGreaterThan(0)
  }
})

/** Lists for which the service of this test has nothing to show. */
const nothingToShow = ['brain.dates.list.dates', 'notifications.list.notifications']

/** Lists without pages. */
const unpagedLists = ['operations', 'triggers']

test('D-81 no example is an empty list', () => {
  const empty = allEndpoints.flatMap(({ name, endpoint }) =>
    Object.values(examples[name]?.answers ?? {}).flatMap((answer) => {
      const { data } = (typeof answer === 'object' ? answer : {}) as { data?: Record<string, unknown> }
      const lists = [endpoint.list ?? '', ...unpagedLists].filter((list) => Array.isArray(data?.[list]))
      return lists.filter((list) => isDeepStrictEqual(data?.[list], [])).map((list) => `${name}.${list}`)
    }),
  )
  expect(empty.sort()).toEqual(nothingToShow)
})

test('D-81 every error that an operation answers has an example, and it is as the schema of errors says', () => {
  for (const { name, endpoint } of allEndpoints)
    for (const [kind] of listErrors(endpoint)) {
      const status = errorStatus[kind]
      const example = validation.exampleOf(name, status)
      expect([name, status, example]).toEqual([name, status, expect.anything()])
      expect(validation.ofAnswer(name, status, example), `${name} ${status}`).toEqual([])
    }
})

test('D-81 every example is as its schema says, and names no machine, secret or person', () => {
  for (const [name, { request, answers }] of Object.entries(examples)) {
    if (typeof request === 'object') expect(validation.ofRequest(name, request), name).toEqual([])
    for (const [status, answer] of Object.entries(answers))
      if (typeof answer === 'object') expect(validation.ofAnswer(name, Number(status), answer), name).toEqual([])
  }
  const text = JSON.stringify(examples)
  expect(text.match(/127\.0\.0\.1|localhost|n[sb]k_(?!example)\w+|[\w.-]+@(?!example\.com)[\w.]+/g) ?? []).toEqual([])
})
