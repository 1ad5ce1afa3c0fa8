import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { githubToken, passwordInAddress } from '../credentials/credential.fixture.ts'

const app = useApp()

const readItems = async (brain: TestBrain, { body }: { body: { data: { change: { id: string } } } }) => {
  const read = await brain.call('GET', `/changes/${body.data.change.id}`)
  expect(read.status).toBe(200)
  return read.body.data.change.items
}

const say = (object: string, rest: object = {}) => ({
  ...{ subject: { id: 'ann', kind: 'person' }, predicate: 'lives_in', object: { value: object } },
  ...rest,
})

const brainWithAnn = async (handle: string) => {
  const brain = await createBrain(app, handle)
  await brain.call('PUT', '/records/ann', { kind: 'person' })
  return brain
}

test('CHK-01 a change names the fields that have credentials, staged or applied, and events and queue repeat none', async () => {
  const brain = await createBrain(app, 'credentials')
  const fields = { name: 'CI', token: githubToken }
  const expected = {
    flags: ['credential'],
    findings: [{ flag: 'credential', path: 'fields.token', credential: 'github_token' }],
  }
  const applied = await brain.call('PUT', '/records/ci', { kind: 'service', fields })
  expect(await readItems(brain, applied)).toMatchObject([expected])
  await brain.call('PATCH', '', { mode: 'review' })
  const operations = [
    { op: 'record.put', id: 'other', kind: 'service', fields },
    { op: 'document.put', id: 'how', text: `See ${passwordInAddress}.` },
    { op: 'record.put', id: 'plain', kind: 'service' },
  ]
  const staged = await brain.call('POST', '/batch', { operations })
  expect(await readItems(brain, staged)).toMatchObject([
    expected,
    { flags: ['credential'], findings: [{ path: 'text', credential: 'basic_auth' }] },
    { flags: [] },
  ])
  const queue = await app.request('GET', '/v1/changes?decision=pending', { key: brain.key })
  expect(queue.body.data.changes.find(({ id }: { id: string }) => id === staged.body.data.change.id)).toMatchObject({
    flags: ['credential'],
  })
  expect(JSON.stringify((await brain.call('GET', '/events')).body)).not.toContain(githubToken)
})

test('CHK-04 a statement that says something else at the same time is flagged with the other one, until one is gone', async () => {
  const brain = await brainWithAnn('contradicting')
  const rome = await brain.call('POST', '/statements', say('Rome'))
  const paris = await brain.call('POST', '/statements', say('Paris'))
  const [romeId, parisId] = [rome, paris].map(({ body }) => body.data.statement.id)
  expect(await readItems(brain, rome)).toMatchObject([
    { flags: ['contradicts'], findings: [{ flag: 'contradicts', statement: parisId }] },
  ])
  expect(await readItems(brain, paris)).toMatchObject([{ findings: [{ statement: romeId }] }])
  await brain.call('DELETE', `/statements/${romeId}`)
  expect(await readItems(brain, rome)).toMatchObject([{ flags: [] }])
  expect(await readItems(brain, paris)).toMatchObject([{ flags: [] }])
})

test('CHK-04 statements agree if they say the same, at different times, or by a predicate that has several objects', async () => {
  const brain = await brainWithAnn('agreeing')
  await evolve(
    brain,
    { op: 'addKind', kind: 'person' },
    { op: 'addLink', kind: 'person', link: { predicate: 'knows', to: [], many: true } },
  )
  const until = '2020-01-01T00:00:00Z'
  await brain.call('POST', '/statements', say('Rome', { validTo: until, confidence: 0.5 }))
  await brain.call('PATCH', '', { mode: 'review' })
  const stage = async (...said: object[]) => {
    const operations = said.map((one) => ({ op: 'statement.assert', ...one }))
    const staged = await brain.call('POST', '/batch', { operations })
    return (await readItems(brain, staged)).map(({ flags }: { flags: string[] }) => flags)
  }
  const knows = (id: string) => say('', { predicate: 'knows', object: { record: { id, kind: 'person' } } })
  expect(await stage(say('Paris', { validFrom: until }))).toEqual([[]])
  expect(await stage(say('Rome', { validFrom: '2019-01-01T00:00:00Z' }))).toEqual([[]])
  expect(await stage(knows('bob'), knows('cid'))).toEqual([[], []])
  expect(await stage(say('Paris'))).toEqual([['contradicts']])
  expect(await stage(say('Oslo', { predicate: 'born_in' }), say('Bergen', { predicate: 'born_in' }))).toEqual([
    ['contradicts'],
    ['contradicts'],
  ])
})

test('CHK-04 a change that retracts the other statement contradicts nothing', async () => {
  const brain = await brainWithAnn('replacing')
  const rome = await brain.call('POST', '/statements', say('Rome'))
  await brain.call('PATCH', '', { mode: 'review' })
  const operations = [
    { op: 'statement.retract', id: rome.body.data.statement.id },
    { op: 'statement.assert', ...say('Paris') },
  ]
  const staged = await brain.call('POST', '/batch', { operations })
  expect(await readItems(brain, staged)).toMatchObject([{ flags: [] }, { flags: [] }])
})
