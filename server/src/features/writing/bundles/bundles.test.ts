import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { cutFrontmatter } from '../../../shared/text/frontmatter.ts'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { pullBundle, toFile } from './use-bundles.fixture.ts'

const app = useApp()
const member = useMember(app)

type File = { path: string; text: string }

const newBrain = (handle: string) => addBrain(app, member, handle)
const push = (brain: TestBrain, files: readonly File[], more: object = {}) =>
  brain.call('POST', '/bundle', { files, ...more })

/** Two people who know each other, a statement with a source, and documents. */
const fill = async (brain: TestBrain): Promise<void> => {
  const operations = [
    {
      ...{ op: 'record.put', id: 'rec-ada', kind: 'person', slug: 'ada' },
      fields: {
        name: 'Ada Lovelace',
        born: '1815',
        type: 'countess',
        body: '# Life\n\nShe wrote notes.\n',
        aliases: ['AAL'],
      },
      links: [{ predicate: 'knows', to: 'rec-charles' }],
    },
    { op: 'record.put', id: 'rec-charles', kind: 'person', fields: { name: 'Charles [Babbage]' } },
    { op: 'record.put', id: 'engine', kind: 'machine', slug: 'index', fields: { name: 'Engine' } },
    {
      ...{ op: 'statement.assert', id: 'st-1', subject: { id: 'rec-ada', kind: 'person' }, predicate: 'wrote' },
      ...{ object: { value: 'Note G' }, validFrom: '1843-01-01T00:00:00Z', confidence: 0.9 },
      sources: [{ document: 'talks/notes.md', version: 1, quote: 'Note G' }],
    },
    {
      op: 'document.put',
      id: 'talks/notes.md',
      text: '---\nNot frontmatter\n',
      title: 'Notes',
      source: { name: 'wiki', uri: 'https://wiki.example/1' },
      metadata: { tags: ['a'] },
    },
    { op: 'document.put', id: 'odd id', text: 'plain', contentType: 'text/plain' },
  ]
  expect(await brain.call('POST', '/batch', { operations, reason: 'The first people' })).toMatchObject({ status: 200 })
}

test('BND-01 a bundle is concepts in Markdown, each with a type, with lists of them and the latest changes', async () => {
  const brain = await newBrain('bundle-form')
  await fill(brain)
  const files = await pullBundle(app, brain)
  const paths = files.map(({ path }) => path)
  const odd = paths.find((path) => path.startsWith('documents/_'))
  expect(paths.sort()).toEqual([
    ...[odd, 'documents/index.md', 'documents/talks/notes.md', 'index.md', 'log.md', 'machine/index.md'],
    ...['machine/index~.md', 'person/_rec-charles.md', 'person/ada.md', 'person/index.md'],
  ])
  for (const { path, text } of files) {
    if (path.endsWith('/index.md') || path === 'log.md') continue
    const cut = cutFrontmatter(text)
    const values = parseDocument(cut?.head ?? '', { strict: true }).toJS()
    if (path === 'index.md') expect(values).toEqual({ okf_version: '0.2' })
    else expect(values.type, path).toEqual(expect.any(String))
  }
  const ada = toFile(files, 'person/ada.md')
  expect(ada).toContain('\ntype: person\nname: Ada Lovelace\n')
  expect(ada).toContain('\n# Life\n\nShe wrote notes.\n')
  expect(ada).toContain('* **knows**: [rec-charles](/person/_rec-charles.md)')
  expect(ada).toContain(
    '* **wrote**: Note G, from 1843-01-01, confidence 0.9, source [talks/notes.md](/documents/talks/notes.md)',
  )
  expect(toFile(files, 'documents/talks/notes.md')).toMatch(
    /^---\ntype: Document\ntitle: Notes\n.*---\n---\nNot frontmatter\n$/s,
  )
  expect(toFile(files, 'person/index.md')).toContain('* [Charles \\[Babbage\\]](_rec-charles.md)')
  expect(toFile(files, 'log.md')).toContain('* **Update**: 6 items, The first people')
})

test('BND-03 a bundle that was pushed back unchanged writes nothing, and a plan says what an edited one would write', async () => {
  const brain = await newBrain('bundle-plan')
  await fill(brain)
  const before = (await brain.call('GET', '')).body.data.brain.stateVersion
  const files = await pullBundle(app, brain)
  const same = await push(brain, files)
  expect(same.body.data).toMatchObject({ outcome: 'landed', change: null, counts: { add: 0, update: 0, unchanged: 6 } })
  const edited = files.map((file) =>
    file.path === 'person/ada.md' ? { ...file, text: file.text.replace('Ada Lovelace', 'Ada King') } : file,
  )
  const added = [...edited, { path: 'person/grace.md', text: '---\ntype: person\nname: Grace\n---\nAdmiral.\n' }]
  const plan = await push(brain, added, { plan: true })
  expect(plan.body.data).toMatchObject({
    ...{ outcome: 'planned', change: null, counts: { add: 1, update: 1, unchanged: 5, behind: 0, conflict: 0 } },
    items: [
      { path: 'person/ada.md', type: 'record', id: 'rec-ada', op: 'update' },
      { path: 'person/grace.md', type: 'record', id: 'person/grace', op: 'add' },
    ],
    skipped: ['machine/index.md', 'person/index.md', 'documents/index.md', 'index.md', 'log.md'],
  })
  expect((await brain.call('GET', '')).body.data.brain.stateVersion).toBe(before)
  const staged = await push(brain, added, { review: true, reason: 'From the folder' })
  expect(staged).toMatchObject({ status: 202, body: { data: { outcome: 'staged' } } })
  const { change } = (await brain.call('GET', `/changes/${staged.body.data.change.id}`)).body.data
  expect(change.items.map(({ target }: { target: { id: string } }) => target.id)).toEqual(['rec-ada', 'person/grace'])
  expect((await push(brain, added, { review: true, reason: 'From the folder' })).body.data.change.id).toBe(change.id)
  await brain.call('POST', `/changes/${change.id}/decide`, { decision: 'approved' })
  const { record } = (await brain.call('GET', '/records/rec-ada')).body.data
  expect(record.fields).toMatchObject({ name: 'Ada King', type: 'countess', body: '# Life\n\nShe wrote notes.\n' })
  expect((await brain.call('GET', '/records/person%2Fgrace')).body.data.record.fields).toEqual({
    name: 'Grace',
    body: 'Admiral.\n',
  })
})

test('BND-04 an item that changed in the Brain stays if its file was not edited, and is a conflict if it was', async () => {
  const brain = await newBrain('bundle-conflict')
  await fill(brain)
  const files = await pullBundle(app, brain)
  await brain.call('PATCH', '/records/rec-ada', { fields: { born: '1815-12-10' } })
  await brain.call('DELETE', '/records/engine')
  const behind = await push(brain, files)
  expect(behind.body.data).toMatchObject({ change: null, counts: { add: 0, update: 0, behind: 2, conflict: 0 } })
  const edited = files.map((file) => ({ ...file, text: file.text.replace('Ada Lovelace', 'Ada King') }))
  const refused = await push(brain, edited)
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'stale_version' } } })
  expect(refused.body.error.details[0].message).toContain('person/ada.md')
  expect((await push(brain, edited, { plan: true })).body.data.counts).toMatchObject({ behind: 1, conflict: 1 })
  expect((await brain.call('GET', '/records/rec-ada')).body.data.record.fields.name).toBe('Ada Lovelace')
  expect((await push(brain, edited, { overwrite: true })).body.data.counts).toMatchObject({ conflict: 1 })
  const { fields } = (await brain.call('GET', '/records/rec-ada')).body.data.record
  expect(fields).toMatchObject({ name: 'Ada King', born: '1815' })
})

test('BND-05 a folder of another writer becomes documents with their frontmatter, and comes out as it went in', async () => {
  const brain = await newBrain('bundle-foreign')
  const orders =
    '---\ntype: BigQuery Table\ntitle: Orders\ntags: [sales, orders]\nverified: { by: human:a, at: 2026-01-01T00:00:00Z }\n---\n# Schema\n\nSee [customers](/tables/customers.md).\n'
  const files = [
    { path: 'index.md', text: '---\nokf_version: "0.9"\n---\n# Tables\n' },
    { path: 'README.md', text: 'About this folder.\n' },
    { path: 'viz.html', text: '<p>' },
    { path: 'tables/orders.md', text: orders },
    { path: 'metric/revenue.md', text: '---\r\ntype: metric\r\nunit: EUR\r\n---\r\nSum.\r\n' },
  ]
  const answer = await push(brain, files, { source: 'warehouse' })
  expect(answer.body.data).toMatchObject({ counts: { add: 2 }, skipped: ['index.md', 'README.md', 'viz.html'] })
  const { document } = (await brain.call('GET', '/documents/tables%2Forders.md')).body.data
  expect(document).toMatchObject({
    ...{ title: 'Orders', source: { name: 'warehouse' }, contentType: 'text/markdown' },
    metadata: { type: 'BigQuery Table', tags: ['sales', 'orders'] },
    text: '# Schema\n\nSee [customers](/tables/customers.md).\n',
  })
  const { record } = (await brain.call('GET', '/records/metric%2Frevenue')).body.data
  expect(record).toMatchObject({ kind: 'metric', slug: 'revenue', fields: { unit: 'EUR', body: 'Sum.\r\n' } })
  const out = toFile(await pullBundle(app, brain, '?sources=warehouse'), 'documents/tables/orders.md')
  expect(out).toMatch(/^---\ntype: BigQuery Table\ntitle: Orders\ntags: \["sales","orders"\]\n/)
  expect((await push(brain, files, { source: 'warehouse' })).body.data).toMatchObject({ change: null })
})

const concept = (text: string, path = 'a/b.md') => ({ path, text })
const own = (value: object) => `---\ntype: person\nnoema: ${JSON.stringify(value)}\n---\n`

const hostile: [name: string, files: readonly File[], says: string][] = [
  ['a path that leads out', [concept('---\ntype: A\n---\n', '../../etc/passwd.md')], 'path'],
  ['an absolute path', [concept('---\ntype: A\n---\n', '/etc/passwd.md')], 'path'],
  ['a path with a backslash', [concept('---\ntype: A\n---\n', 'a\\..\\b.md')], 'path'],
  ['a path with a NUL', [concept('---\ntype: A\n---\n', 'a\u0000.md')], 'path'],
  ['one path twice', [concept('---\ntype: A\n---\n'), concept('---\ntype: A\n---\n')], 'twice'],
  [
    'one id in two files',
    [concept(own({ record: 'x' }), 'person/x.md'), concept(own({ record: 'x' }), 'person/y.md')],
    'both have the record x',
  ],
  ['no frontmatter', [concept('Text')], 'frontmatter is missing'],
  ['no type', [concept('---\na: 1\n---\n')], 'has no type'],
  ['an alias', [concept('---\ntype: A\na: &x [1]\nb: *x\n---\n')], 'aliases'],
  [
    'a bomb of aliases',
    [
      concept(
        `---\ntype: A\na: &a [x]\n${Array.from({ length: 20 }, (_, at) => `b${at}: [*a, *a, *a]`).join('\n')}\n---\n`,
      ),
    ],
    'frontmatter',
  ],
  ['deep nesting', [concept(`---\ntype: A\na: ${'{'.repeat(2_000)}\n---\n`)], 'marks'],
  ['huge frontmatter', [concept(`---\ntype: A\na: ${'x'.repeat(10_000)}\n---\n`)], 'characters of YAML'],
  // Reading it takes no longer than its length.
  ['many beginnings', [concept(`---\ntype: A\n${'noema: {\n'.repeat(400_000)}---\n`)], 'characters of YAML'],
  ['a custom type', [concept('---\ntype: A\na: !!js/function x\n---\n')], 'YAML'],
  ['a name twice', [concept('---\ntype: A\ntype: B\n---\n')], 'YAML'],
  ['a number that JSON has not', [concept('---\ntype: A\na: .inf\n---\n')], 'too large'],
  ['a name that no object may have', [concept('---\n{"type":"A","__proto__":{}}\n---\n')], '__proto__'],
  ['half a character', [concept('---\n{"type":"A","a":"\\ud800"}\n---\n')], 'surrogate'],
  ['a record without an id', [concept(own({ statements: [] }))], 'about'],
  [
    'a statement without an id',
    [concept(own({ record: 'x', statements: [{ predicate: 'p', object: { value: 1 } }] }))],
    'statements.0.id',
  ],
  ['an id that is too long', [concept(own({ record: 'x'.repeat(300) }))], 'record'],
  [
    'a record beyond the limit',
    [concept(`---\n${JSON.stringify({ type: 'person', big: 'x'.repeat(1_100_000), noema: { record: 'x' } })}\n---\n`)],
    'a/b.md',
  ],
]

test('BND-06 a bundle that is wrong anywhere is refused with the file that is wrong, and writes nothing', async () => {
  const brain = await newBrain('bundle-hostile')
  const good = concept('---\ntype: Note\n---\nFine.\n', 'notes/good.md')
  for (const [name, files, says] of hostile) {
    const answer = await push(brain, [good, ...files])
    expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBe(400)
    expect(JSON.stringify(answer.body), name).toContain(says)
  }
  const many = Array.from({ length: 5_001 }, (_, at) => concept('---\ntype: A\n---\n', `a/${at}.md`))
  expect((await push(brain, many)).status).toBe(400)
  expect((await brain.call('GET', '')).body.data.brain.stateVersion).toBe(0)
})

test('BND-07 a part of a Brain has the named kinds and sources at the named state, and no history', async () => {
  const brain = await newBrain('bundle-part')
  await fill(brain)
  await brain.call('PATCH', '/records/rec-ada', { fields: { name: 'Ada King' } })
  await brain.call('DELETE', '/records/rec-charles')
  const people = await pullBundle(app, brain, '?kinds=person')
  expect(people.map(({ path }) => path)).toEqual(['person/ada.md', 'person/index.md', 'index.md'])
  expect(toFile(people, 'person/ada.md')).toContain('* **knows**: rec-charles\n')
  const earlier = await pullBundle(app, brain, '?kinds=person&asOf=1')
  expect(earlier.map(({ path }) => path)).toContain('person/_rec-charles.md')
  expect(toFile(earlier, 'person/ada.md')).toContain('name: Ada Lovelace')
  const wiki = await pullBundle(app, brain, '?sources=wiki')
  expect(wiki.map(({ path }) => path)).toEqual(['documents/talks/notes.md', 'documents/index.md', 'index.md'])
  expect((await brain.call('GET', '/bundle?asOf=99')).status).toBe(400)
  expect((await brain.call('GET', '/bundle?kinds=')).status).toBe(400)
})

test('BND-08 a record with many statements is several files, each with the next of them', async () => {
  const brain = await newBrain('bundle-many')
  const subject = { id: 'r', kind: 'thing' }
  const assert = (from: number) =>
    Array.from({ length: 600 }, (_, at) => ({
      op: 'statement.assert',
      subject,
      predicate: 'has',
      object: { value: from + at },
    }))
  await brain.call('POST', '/batch', {
    operations: [
      { op: 'record.put', id: 'q', kind: 'thing' },
      { op: 'record.put', id: 'r', kind: 'thing' },
      ...assert(0),
    ],
  })
  await brain.call('POST', '/batch', { operations: [{ op: 'record.put', id: 's', kind: 'thing' }, ...assert(600)] })
  const files = await pullBundle(app, brain)
  const paths = files.map(({ path }) => path).filter((path) => path.startsWith('thing/_'))
  expect(paths).toEqual(['thing/_q.md', 'thing/_r.md', 'thing/_r~2.md', 'thing/_r~3.md', 'thing/_s.md'])
  const copy = await newBrain('bundle-many-copy')
  expect((await push(copy, files)).body.data.counts).toMatchObject({ add: 1_203 })
})
