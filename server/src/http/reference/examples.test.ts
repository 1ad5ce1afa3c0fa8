import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, signUp, type TestBrain } from '../../test/app.ts'
import { allEndpoints } from '../../test/endpoints/all.ts'
import { useOwnApp } from '../../test/harness.ts'
import { confirmAddress } from '../../test/organizations.ts'
import { sampleCredential } from '../../test/sample-calls.ts'
import { createValidation } from './document-validation.ts'
import { addSpacecraft, exampleCall, exampleHandle } from './example-calls.fixture.ts'
import { shorten, toShown } from './example-text.fixture.ts'

// Sends each call that the reference shows to the service and validates the response against the document. With
// NOEMA_RECORD_EXAMPLES=true it also writes the examples of the reference again, from these responses.

const email = 'administrator@example.com'
const app = useOwnApp({ NOEMA_ADMIN_EMAILS: email })
let brain: TestBrain
let administrator: Record<string, string>
let mailing: Awaited<ReturnType<typeof app.startNode>>
const file = new URL('examples.json', import.meta.url)
const recorded: Record<string, { request?: unknown; answers: Record<string, unknown> }> = {}
const validation = createValidation()

beforeAll(async () => {
  brain = await createBrain(app, exampleHandle)
  await addSpacecraft(brain)
  const person = await signUp(app, email)
  await confirmAddress(app, person)
  administrator = person.session
  mailing = await app.startNode({ NOEMA_SMTP_URL: 'smtp://127.0.0.1:9', NOEMA_MAIL_FROM: 'noema@example.com' })
})

afterAll(async () => {
  await mailing.close()
  if (process.env.NOEMA_RECORD_EXAMPLES !== 'true') return
  const sorted = Object.entries(recorded).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`)
})

/** Calls and answers in the form in which the reference shows them. */
const record = (name: string, sent: unknown, status: number, answered: unknown) => {
  const shown = JSON.parse(toShown(JSON.stringify({ sent: sent ?? null, answered: shorten(answered) })))
  recorded[name] = { ...(sent === undefined ? {} : { request: shown.sent }), answers: { [status]: shown.answered } }
}

test.each(allEndpoints)('D-81 $name answers what the document says', async ({ name, endpoint }) => {
  const { method, path, body, headers = {} } = await exampleCall(app, brain, { name, endpoint })
  const who = endpoint.access === 'administrator' ? administrator : sampleCredential(endpoint, brain)
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
  const answered = isJson ? JSON.parse(text) : text
  expect(endpoint.status, text).toContain(response.status)
  if (typeof body === 'object') expect(validation.ofRequest(name, JSON.parse(JSON.stringify(body)))).toEqual([])
  if (isJson) expect(validation.ofAnswer(name, response.status, answered)).toEqual([])
  record(name, body, response.status, answered)
})

type Example = { request?: unknown; answers: Record<string, unknown> }
const examples = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Example>

test('D-81 every operation has an example of its answer, and of its body where it takes one', () => {
  expect(Object.keys(examples).sort()).toEqual(allEndpoints.map(({ name }) => name).sort())
  for (const { name, endpoint } of allEndpoints) {
    const needsBody = endpoint.ndjson === 'body' || (endpoint.body !== undefined && !endpoint.bodyOptional)
    if (needsBody) expect(examples[name]?.request, name).toBeDefined()
    expect(Object.keys(examples[name]?.answers ?? {}), name).toHaveLength(1)
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
