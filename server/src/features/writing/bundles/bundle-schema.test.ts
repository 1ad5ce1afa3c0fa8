import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { pullBundle, toFile } from './use-bundles.fixture.ts'

// The schema of a Brain in its bundle.

const app = useApp()
const member = useMember(app)

const field = (name: string, more: object = {}) => ({ name, type: 'string', ...more })
const operations = [
  {
    ...{ op: 'addKind', kind: 'person', title: 'Person', description: 'Somebody *we* know', strict: true },
    fields: [
      field('name', { required: true }),
      field('state', { type: 'enum', values: ['new', 'old'], description: 'Its\nstate' }),
      field('review', { type: 'date', notifyBefore: ['P30D'], indexed: true }),
    ],
    links: [{ predicate: 'knows', to: ['person'], many: false }],
  },
  { op: 'addKind', kind: 'note' },
]

const readSchema = async (brain: TestBrain) => (await brain.call('GET', '/schema')).body.data.schema
const approve = async (brain: TestBrain, change: string) => {
  const decided = await brain.call('POST', `/changes/${change}/decide`, { decision: 'approved' })
  expect(decided.body.data?.change, JSON.stringify(decided.body)).toMatchObject({ application: 'applied' })
}
const evolve = async (brain: TestBrain, steps: object[]) => {
  const { schemaVersion: baseVersion } = await readSchema(brain)
  const proposed = await brain.call('POST', '/schema/evolve', { baseVersion, operations: steps })
  await approve(brain, proposed.body.data.change.id)
}
const addDeclared = async (handle: string) => {
  const brain = await addBrain(app, member, handle)
  await evolve(brain, operations)
  await brain.call('PUT', '/records/ada', { kind: 'person', slug: 'ada', fields: { name: 'Ada', state: 'new' } })
  return brain
}
const push = async (brain: TestBrain, files: readonly object[], more: object = {}, key = brain.key) => {
  const answer = await brain.call('POST', '/bundle', { files, ...more }, { key })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body.data
}

test('BND-12 the declared kinds come out of a bundle as they went in, by a proposal that a person approves', async () => {
  const from = await addDeclared('schema-from')
  const files = await pullBundle(app, from)
  expect(toFile(files, 'index.md')).toContain('* [Schema](schema.md)')
  expect(toFile(files, 'schema.md')).toMatch(
    /^---\ntype: Schema\n[\s\S]*# Person \(person\)[\s\S]*\*\*name\*\*: string, required/,
  )
  const into = await addBrain(app, member, 'schema-into')
  const planned = await push(into, files, { plan: true })
  expect(planned.schema).toEqual({ missing: ['person', 'note'], differing: [], change: null })
  const pushed = await push(into, files)
  expect(pushed).toMatchObject({ outcome: 'landed', counts: { add: 1 }, schema: { missing: ['person', 'note'] } })
  expect((await readSchema(into)).kinds).toEqual([])
  // A repeat proposes nothing twice.
  expect((await push(into, files)).schema.change).toEqual(pushed.schema.change)
  await approve(into, pushed.schema.change.id)
  expect((await readSchema(into)).kinds).toEqual((await readSchema(from)).kinds)
  expect((await push(into, files)).schema).toEqual({ missing: [], differing: [], change: null })
  const toKinds = (text: string) => text.replaceAll(/"brain": "\w+"/g, '')
  const again = await pullBundle(app, into)
  expect(toKinds(toFile(again, 'schema.md'))).toBe(toKinds(toFile(files, 'schema.md')))
})

test('BND-12 a part has its kinds, an earlier state those of then, and a Brain without a schema no such file', async () => {
  const brain = await addDeclared('schema-part')
  const toNames = (files: { path: string; text: string }[]) =>
    [...toFile(files, 'schema.md').matchAll(/"kind":"(\w+)"/g)].map(([, name]) => name)
  expect(toNames(await pullBundle(app, brain, '?kinds=note'))).toEqual(['note'])
  const { stateVersion } = (await brain.call('GET', '/records')).body.data
  await evolve(brain, [{ op: 'addKind', kind: 'place' }])
  expect(toNames(await pullBundle(app, brain))).toEqual(['person', 'note', 'place'])
  expect(toNames(await pullBundle(app, brain, `?asOf=${stateVersion}`))).toEqual(['person', 'note'])
  for (const query of ['?sources=wiki', '?kinds=other'])
    expect((await pullBundle(app, brain, query)).map(({ path }) => path)).not.toContain('schema.md')
})

test('BND-12 a file adds to the schema and never takes away; an old checkout brings nothing back', async () => {
  const brain = await addDeclared('schema-edit')
  const files = await pullBundle(app, brain)
  const edited = files.map(({ path, text }) => ({
    path,
    text:
      path === 'schema.md'
        ? text.replace('{"name":"name","type":"string"', '{"name":"born","type":"date"},{"name":"name","type":"text"')
        : text,
  }))
  const { schema } = await push(brain, edited)
  expect(schema).toMatchObject({ missing: ['person.born'], differing: ['person.name'] })
  await approve(brain, schema.change.id)
  const person = (await readSchema(brain)).kinds.find(({ kind }: { kind: string }) => kind === 'person')
  expect(person.fields.map(({ name, type }: Record<string, string>) => [name, type])).toEqual([
    ...[
      ['name', 'string'],
      ['state', 'enum'],
      ['review', 'date'],
      ['born', 'date'],
    ],
  ])
  await evolve(brain, [{ op: 'retireKind', kind: 'note' }])
  expect((await push(brain, files)).schema).toEqual({ missing: [], differing: [], change: null })
})

test('BND-12 a key without admin proposes nothing, and a wrong or second schema is refused with its file', async () => {
  const from = await addDeclared('schema-rights')
  const files = await pullBundle(app, from)
  const into = await addBrain(app, member, 'schema-limited')
  const minted = await into.call('POST', '/keys', { name: 'writer', capabilities: ['read', 'write'] })
  const { schema } = await push(into, files, {}, minted.body.data.secret)
  expect(schema).toEqual({ missing: ['person', 'note'], differing: [], change: null })
  const wrong = { path: 'a.md', text: '---\ntype: Schema\nnoema: {"schema":[{"kind":"no kind!"}]}\n---\n' }
  const [file] = files.filter(({ path }) => path === 'schema.md')
  for (const [sent, at] of [
    [[wrong], 0],
    [[file, { path: 'other.md', text: file?.text }], 1],
  ] as const) {
    const answer = await into.call('POST', '/bundle', { files: sent })
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, `body.files.${at}.text`])
  }
})
