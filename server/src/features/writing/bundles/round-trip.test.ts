import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  double,
  integer,
  jsonValue,
  option,
  record,
  string,
  tuple,
  uniqueArray,
} from 'fast-check'
import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { pullBundle } from './use-bundles.fixture.ts'

// Any content, out of one Brain as a bundle and into an empty one.

const app = useApp()
const member = useMember(app)

/** Text of any characters, but the one that PostgreSQL does not store. */
const anyText = (maxLength: number) =>
  string({ unit: 'binary', maxLength }).map((text) => text.replaceAll('\u0000', '').replaceAll('$ref:', ''))
const oddText = constantFrom(
  ...[
    '---\na: 1\n---\n',
    'null',
    'true',
    '0x1f',
    '2026-01-01',
    '- a',
    'a: b',
    '# a',
    "'",
    '"',
    '\r\n',
    ' a ',
    '\u0085',
  ],
  ...[
    '\u2028noema: {',
    '<!-- Made from the frontmatter by Noema. Edits below this line are ignored. -->\n',
    '~',
    '=',
    '*a',
  ],
)
const text = (maxLength: number) =>
  tuple(constantFrom(0, 1), oddText, anyText(maxLength)).map(([odd, one, any]) => (odd ? one : any))
const named = text(20).map((name) => name.slice(0, 100).replaceAll('__proto__', '') || 'x')
const names = constantFrom('type', 'title', 'body', 'noema', 'generated', 'resource', 'tags')
const plain = { noNullPrototype: true } as const
/** Every write refuses whole numbers beyond what JSON keeps, and the name that no object may have. */
const json = jsonValue({ maxDepth: 3, stringUnit: 'binary' }).map((value) =>
  JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '').replaceAll('__proto__', 'x'), (_name, item: unknown) =>
    typeof item === 'number' && Math.abs(item) > Number.MAX_SAFE_INTEGER ? 1 : item,
  ),
)
const anyFields = tuple(
  dictionary(named, json, { maxKeys: 4, ...plain }),
  dictionary(names, text(30), { maxKeys: 3, ...plain }),
  option(text(60)),
).map(([any, odd, body]) => ({ ...any, ...odd, ...(body === null ? {} : { body }) }))
const ids = uniqueArray(
  named.map((id) => (id === '.' || id === '..' ? 'x' : id)),
  { minLength: 1, maxLength: 5 },
)
const time = constantFrom('2030-01-01T00:00:00.000Z', '1815-12-10T01:02:03.004Z', undefined)
const future = constantFrom('2999-01-01T00:00:00.000Z', undefined)
const origin = option(
  record({ source: named, trust: constantFrom('trusted', 'unverified') }, { requiredKeys: [], ...plain }),
  { nil: undefined },
)
const anyKind = constantFrom('person', 'Person', 'documents', 'null', 'a.b-c')

const anyBrain = record(
  {
    ids,
    records: array(
      record(
        {
          kind: anyKind,
          slug: option(constantFrom('index', 'log', 'a', 'x~'.slice(0, 1))),
          fields: anyFields,
          expiresAt: future,
          provenance: origin,
        },
        plain,
      ),
      { minLength: 5, maxLength: 5 },
    ),
    links: array(tuple(integer({ min: 0, max: 4 }), named, integer({ min: 0, max: 4 })), { maxLength: 4 }),
    statements: array(
      record(
        {
          subject: integer({ min: 0, max: 4 }),
          predicate: named,
          value: json,
          to: option(integer({ min: 0, max: 4 })),
          validFrom: time,
          confidence: option(double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
          quote: option(text(20)),
          provenance: origin,
        },
        plain,
      ),
      { maxLength: 4 },
    ),
    documents: array(
      record(
        {
          id: option(constantFrom('a/b.md', 'a/index.md', 'A', '../x', 'sha256:1', 'log.md')),
          text: text(200),
          title: option(text(20)),
          metadata: anyFields,
          occurredAt: time,
          expiresAt: future,
          source: option(record({ name: named, uri: text(20) }, plain)),
          contentType: constantFrom('text/plain', 'text/markdown'),
        },
        plain,
      ),
      { maxLength: 4 },
    ),
  },
  plain,
)
type Any = typeof anyBrain extends { generate: (...given: never[]) => { value: infer Value } } ? Value : never

const unique = <Item>(items: readonly Item[], toKey: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [toKey(item), item])).values(),
]

const toOperations = (given: Any): object[] => {
  const records = given.ids.map((id, at) => {
    const { slug, ...one } = given.records[at] ?? { kind: 'person', slug: null }
    const links = given.links.filter(([from]) => from === at)
    return {
      op: 'record.put',
      id,
      ...one,
      ...(slug === null ? {} : { slug }),
      links: links.map(([, predicate, to]) => ({ predicate, to: given.ids[to] ?? 'no one' })),
    }
  })
  const taken = new Set<string>()
  for (const one of records) {
    const key = `${one.kind} ${'slug' in one ? one.slug : ''}`
    if ('slug' in one && taken.has(key)) delete (one as { slug?: string }).slug
    taken.add(key)
  }
  const toRef = (at: number) => {
    const { id = '', kind = '' } = records[at % records.length] ?? {}
    return { id, kind }
  }
  const statements = given.statements.map(({ subject, to, value, quote, ...one }) => ({
    ...{ op: 'statement.assert', subject: toRef(subject), ...one },
    object: to === null ? { value } : { record: toRef(to) },
    ...(quote === null ? {} : { sources: [{ document: 'a/b.md', quote }] }),
  }))
  const documents = unique(given.documents, ({ id, text }) => id ?? text).map(({ id, title, source, ...one }) => ({
    ...{ op: 'document.put', ...one },
    ...(id === null ? {} : { id }),
    ...(title === null ? {} : { title }),
    ...(source === null ? {} : { source }),
  }))
  return [...records, ...statements, ...documents]
}

/** The content of a Brain without its versions, times and authors. */
const readAll = async (brain: TestBrain) => {
  const read = async (path: string) => (await brain.call('GET', path)).body.data
  const strip = ({
    provenance,
    version,
    stateVersion,
    createdAt,
    updatedAt,
    assertedAt,
    ...rest
  }: Record<string, unknown> & { provenance: Record<string, unknown> }) => ({
    ...rest,
    ...{ source: provenance.source, trust: provenance.trust },
    seen: [version, stateVersion, createdAt, updatedAt, assertedAt].length,
  })
  const { records } = await read('/records?limit=500')
  const { statements } = await read('/statements?limit=500')
  const { documents } = await read('/documents?limit=500')
  const texts = await Promise.all(
    documents.map(({ id }: { id: string }) => read(`/documents/${encodeURIComponent(id)}`)),
  )
  return {
    records: records.map(strip),
    statements: statements.map(strip),
    documents: texts.map(({ document }) => strip(document)),
  }
}

test('BND-02 any content comes out of a bundle as it went in, and pushing it again changes nothing', async () => {
  let number = 0
  await assert(
    asyncProperty(anyBrain, async (given) => {
      number++
      const [from, into] = [
        await addBrain(app, member, `from-${number}`),
        await addBrain(app, member, `into-${number}`),
      ]
      const written = await from.call('POST', '/batch', { operations: toOperations(given) })
      expect(written.status, JSON.stringify(written.body)).toBe(200)
      const files = await pullBundle(app, from)
      const pushed = await into.call('POST', '/bundle', { files })
      expect(pushed.status, JSON.stringify(pushed.body)).toBe(200)
      expect(await readAll(into)).toEqual(await readAll(from))
      for (const brain of [from, into])
        expect((await brain.call('POST', '/bundle', { files })).body.data).toMatchObject({
          change: null,
          counts: { behind: 0 },
        })
      for (const brain of [from, into]) await app.request('DELETE', brain.path, { key: brain.key })
    }),
    { numRuns: 12, endOnFailure: true },
  )
})
