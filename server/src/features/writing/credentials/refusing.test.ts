import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { githubToken, passwordInAddress, slackToken } from './credential.fixture.ts'

const app = useOwnApp({ NOEMA_CREDENTIALS: 'refuse' })

const expectRefusal = (
  { status, body, raw = JSON.stringify(body) }: { status: number; body: { error?: object }; raw?: string },
  path: string,
  credential = 'github_token',
) => {
  expect(status).toBe(400)
  expect(body.error).toMatchObject({ kind: 'validation', code: 'credential', details: [{ path, credential }] })
  for (const secret of [githubToken, slackToken, passwordInAddress]) expect(raw).not.toContain(secret)
}

const countEvents = async (brain: TestBrain) => (await brain.call('GET', '/events')).body.data.events.length

test('CHK-03 every way into a Brain refuses credentials by field and kind, and stores, emits and logs nothing of them', async () => {
  const brain = await createBrain(app, 'refusing')
  await brain.call('PUT', '/records/ann', { kind: 'person' })
  const before = await countEvents(brain)
  const fields = { keys: { ci: githubToken } }
  expectRefusal(await brain.call('POST', '/records', { kind: 'note', fields }), 'body.fields.keys.ci')
  expectRefusal(await brain.call('PUT', '/records/bob', { kind: 'note', fields }), 'body.fields.keys.ci')
  expectRefusal(await brain.call('PATCH', '/records/ann', { fields }), 'body.fields.keys.ci')
  const text = `Log in at ${passwordInAddress} today.`
  expectRefusal(await brain.call('POST', '/documents', { text }), 'body.text', 'basic_auth')
  const subject = { id: 'ann', kind: 'person' }
  const said = { subject, predicate: 'token', object: { value: githubToken } }
  expectRefusal(await brain.call('POST', '/statements', said), 'body.object.value')
  const operations = [
    { op: 'record.put', id: 'bob', kind: 'person' },
    { op: 'record.patch', id: 'ann', fields },
  ]
  expectRefusal(await brain.call('POST', '/batch', { operations }), 'body.operations.1.fields.keys.ci')
  const items = [
    { id: 'a', text: 'fine' },
    { id: 'b', text },
  ]
  expectRefusal(
    await brain.call('POST', '/sources/wiki/snapshots', { items, complete: true }),
    'body.items.1.text',
    'basic_auth',
  )
  expect(await countEvents(brain)).toBe(before)
  expect((await brain.call('GET', '/records/bob')).status).toBe(404)
  expect(app.logLines.join('')).not.toContain(githubToken)
})

test('CHK-03 a reviewer cannot edit a credential in, and what was refused can be sent again without it', async () => {
  const brain = await createBrain(app, 'edits')
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await brain.call('PUT', '/records/ann', { kind: 'person', fields: { name: 'Ann' } })
  const { id } = staged.body.data.change
  const decide = (fields: object) =>
    brain.call('POST', `/changes/${id}/decide`, { decision: 'approved', edits: { 1: { fields } } })
  expectRefusal(await decide({ token: slackToken }), 'body.edits.1.fields.token', 'slack_token')
  expect((await decide({ name: 'Ann A.' })).body.data.change.application).toBe('applied')
})
