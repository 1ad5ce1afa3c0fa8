import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestBrain } from '../../../test/app.ts'
import { startEmbeddingsEndpoint } from '../../../test/embeddings-endpoint.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { knownCalibrations, measureCalibration, probes } from '../embedding/calibration.ts'

// With the model that comes with the service.

const app = useOwnApp({ NOEMA_EMBEDDINGS: 'on' })
const member = useMember(app)
let brain: TestBrain
beforeAll(async () => {
  brain = await addBrain(app, member, 'handbook')
  const texts = {
    audit: 'The yearly audit begins in March. Ann keeps its papers in the archive.',
    trip: 'Employees hand in receipts for trains and hotels, and the company refunds them.',
    dog: 'Our puppy has recovered from its illness and plays in the garden again.',
    passwords: 'Only a salted hash of each password is kept.',
  }
  const operations = Object.entries(texts).map(([id, text]) => ({ op: 'document.put', id, text }))
  await brain.call('POST', '/batch', { operations })
})

const search = async (q: string, mode = 'hybrid') =>
  (await brain.call('GET', `/search?${new URLSearchParams({ q, mode })}`)).body.data

test('D-50 passages without a vector are judged by their words', async () => {
  const { evidence, results } = await search('when does the yearly audit begin?')
  expect(evidence).toBe('strong')
  expect(results[0]).toMatchObject({ id: 'audit', evidence: 'strong' })
  const isEmbedded = async () => (await search('ready')).degraded === undefined
  await expect.poll(isEmbedded).toBe(true)
})

test.each([
  ['Is the dog healthy?', 'dog'],
  ['Who pays back what workers spend on business travel?', 'trip'],
])('D-50 %j has evidence by its meaning, though it shares no rare word with the answer', async (q, id) => {
  for (const mode of ['hybrid', 'semantic']) {
    const { evidence, results } = await search(q, mode)
    expect(results[0]).toMatchObject({ id, evidence })
    expect(evidence).not.toBe('none')
  }
  expect((await search(q, 'lexical')).evidence).toBe('none')
})

test.each([
  'What is our policy on parental leave in Portugal?',
  'zzzzqqqq',
  'lift of a thin wing in supersonic flow',
  'Wie viele Urlaubstage habe ich noch?',
])('D-50 %j has no evidence in any mode', async (q) => {
  for (const mode of ['hybrid', 'semantic', 'lexical']) expect((await search(q, mode)).evidence, mode).toBe('none')
})

test('D-50 the words and the meaning of a question together are strong evidence', async () => {
  for (const mode of ['hybrid', 'semantic'])
    expect((await search('when does the audit begin?', mode)).evidence, mode).toBe('strong')
})

test('D-50 the calibration of the built-in model matches its vectors', async () => {
  const embedder = app.app.deps.vectors?.embedder
  const questions = await embedder?.embed(probes.questions, 'query')
  const answers = await embedder?.embed(probes.answers, 'passage')
  const measured = measureCalibration(questions?.vectors ?? [], answers?.vectors ?? [])
  const known = knownCalibrations.get(questions?.space ?? '')
  expect(measured?.related).toBeCloseTo(known?.related ?? 0, 2)
  expect(measured?.unrelated).toBeCloseTo(known?.unrelated ?? 0, 2)
})

test('D-50 the cosines of another model are measured once, in the background, and again if it was unavailable', async () => {
  const endpoint = await startEmbeddingsEndpoint()
  const settings = { NOEMA_EMBEDDINGS: 'on', NOEMA_EMBEDDINGS_URL: endpoint.url, NOEMA_EMBEDDINGS_MODEL: 'words' }
  const other = await startTestApp({ ...settings, NOEMA_ROLES: 'http' })
  const notes = await addBrain(other, await createMember(other), 'notes')
  await notes.call('POST', '/documents', { id: 'audit', text: 'The yearly audit begins in March.' })
  const ask = async () => (await notes.call('GET', '/search?q=when+does+the+audit+begin')).body.data
  const isOfProbes = ({ input }: { input: string[] }) => input[0] === probes.questions[0]
  const probed = () => endpoint.asked.filter(isOfProbes).length
  endpoint.state.refuses = (text) => text === probes.questions[0]
  expect(await ask()).toMatchObject({ mode: 'hybrid', evidence: 'strong' })
  await expect.poll(probed).toBe(1)
  endpoint.state.refuses = () => false
  await expect
    .poll(async () => {
      expect(await ask()).toMatchObject({ mode: 'hybrid', evidence: 'strong' })
      return probed()
    })
    .toBe(2)
  expect(await ask()).toMatchObject({ mode: 'hybrid', evidence: 'strong' })
  expect(probed()).toBe(2)
  await other.close()
  await endpoint.close()
})

test('QRY-09 in a small Brain a short name and a part of the question are strong evidence, and other subjects none', async () => {
  const small = await addBrain(app, member, 'small')
  const names = ['Terraform', 'Ansible', 'Grafana', 'Prometheus', 'Jenkins', 'Redis', 'Kafka']
  const operations = Array.from({ length: 34 }, (_, at) => ({
    ...{ op: 'record.put', id: `tool-${at}`, kind: 'tool' },
    fields: { name: `${names[at % names.length]} ${at}`, owner: `team ${at}` },
  }))
  const about = 'Runs the containers of all services.'
  const kubernetes = { op: 'record.put', id: 'k', kind: 'tool', fields: { name: 'Kubernetes', about } }
  await small.call('POST', '/batch', { operations: [...operations, kubernetes] })
  const find = async (q: string) => (await small.call('GET', `/search?${new URLSearchParams({ q })}`)).body.data
  await expect.poll(async () => (await find('ready')).degraded === undefined).toBe(true)
  for (const q of ['kube', 'kubernets', 'kubernetes']) {
    const [first] = (await find(q)).results
    expect([q, first.id, first.evidence]).toEqual([q, 'k', 'strong'])
  }
  for (const q of ['parental leave in Portugal', 'Wie viele Urlaubstage habe ich noch?'])
    expect((await find(q)).evidence, q).toBe('none')
})

test('QRY-09 one result and two have scores above 0 next to their evidence', async () => {
  const tiny = await addBrain(app, member, 'tiny')
  const find = async () =>
    (await tiny.call('GET', `/search?${new URLSearchParams({ q: 'the harbor at night' })}`)).body.data.results
  await tiny.call('POST', '/documents', { id: 'one', text: 'The harbor is closed at night.' })
  await expect.poll(async () => (await find())[0]?.score).toBeGreaterThan(1)
  await tiny.call('POST', '/documents', { id: 'two', text: 'At night the harbor is dark.' })
  const [first, second] = await find()
  expect(first.score).toBeGreaterThanOrEqual(second.score)
  expect(second.score).toBeGreaterThan(1)
})
