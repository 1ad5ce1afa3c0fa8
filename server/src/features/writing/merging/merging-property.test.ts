import { array, assert, asyncProperty, constantFrom, dictionary, integer, record, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'

// Records that link to each other, statements about them, and merges in any order, next to a model of three sets.

const app = useApp()
const member = useMember(app)

const kind = 'person'
const ids = ['a', 'b', 'c', 'd', 'e']
const plain = { noNullPrototype: true } as const
const anyId = constantFrom(...ids)
const anyFields = dictionary(constantFrom('x', 'y', 'z'), integer({ min: 0, max: 2 }), { maxKeys: 3, ...plain })
const anyEdge = tuple(anyId, constantFrom('knows', 'likes'), constantFrom(...ids, '=1', '=2'))
const anyMerge = record({ from: anyId, into: anyId }, plain)

type Edge = readonly [subject: string, predicate: string, object: string]
/** Fields by record, links, and statements. The object of a statement is the id of a record, or a value after "=". */
type Graph = { fields: Map<string, Record<string, number>>; links: Edge[]; statements: Edge[] }
type Merge = { from: string; into: string }

const toSet = (edges: readonly Edge[]): Edge[] =>
  [...new Set(edges.map((edge) => edge.join(' ')))].sort().map((text) => text.split(' ') as unknown as Edge)

const isRecord = (object: string): boolean => !object.startsWith('=')

/** Edges with one record in place of the other, each once. Those of the merged record with either of the two are gone. */
const moveEdges = (edges: readonly Edge[], { from, into }: Merge): Edge[] => {
  const both = [from, into]
  const isGone = ([subject, , object]: Edge) =>
    [subject, object].includes(from) && both.includes(subject) && both.includes(object)
  const move = (id: string) => (id === from ? into : id)
  return toSet(
    edges.filter((edge) => !isGone(edge)).map(([subject, name, object]): Edge => [move(subject), name, move(object)]),
  )
}

const mergeGraph = ({ fields, links, statements }: Graph, merge: Merge): Graph => {
  const left = new Map([...fields].filter(([id]) => id !== merge.from))
  left.set(merge.into, { ...fields.get(merge.from), ...fields.get(merge.into) })
  return { fields: left, links: moveEdges(links, merge), statements: moveEdges(statements, merge) }
}

const person = (id: string) => ({ id, kind })

const writeGraph = async (brain: TestBrain, { fields, links, statements }: Graph): Promise<void> => {
  const operations = [
    ...[...fields].map(([id, own]) => ({
      ...{ op: 'record.put', id, kind, fields: own },
      links: links.filter(([subject]) => subject === id).map(([, name, to]) => ({ predicate: name, to })),
    })),
    ...statements.map(([subject, name, object]) => ({
      ...{ op: 'statement.assert', subject: person(subject), predicate: name },
      object: isRecord(object) ? { record: person(object) } : { value: object },
    })),
  ]
  expect(await brain.call('POST', '/batch', { operations })).toMatchObject({ status: 200 })
}

type ReadRecord = { id: string; fields: Record<string, number>; links: { predicate: string; to: string }[] }
type ReadStatement = { subject: { id: string }; predicate: string; object: { value?: string; record?: { id: string } } }

const readGraph = async (brain: TestBrain, state = ''): Promise<Graph> => {
  const [{ records }, { statements }] = await Promise.all(
    ['/records', '/statements'].map(async (list) => (await brain.call('GET', `${list}?limit=500${state}`)).body.data),
  )
  return {
    fields: new Map(records.map(({ id, fields }: ReadRecord) => [id, fields])),
    links: toSet(
      records.flatMap(({ id, links }: ReadRecord) => links.map(({ predicate, to }): Edge => [id, predicate, to])),
    ),
    statements: toSet(
      statements.map(
        ({ subject, predicate, object }: ReadStatement): Edge => [
          ...([subject.id, predicate] as const),
          object.record?.id ?? object.value ?? '',
        ],
      ),
    ),
  }
}

/** The status that a merge is answered with. `survivors` has where each merged record went. */
const predictStatus = (survivors: ReadonlyMap<string, string>, { from, into }: Merge): number => {
  if (from === into) return 400
  const isRepeat = survivors.get(from) === into
  return survivors.has(into) || (survivors.has(from) && !isRepeat) ? 409 : 200
}

let count = 0

test('KNO-10 KNO-11 KNO-12 any merges keep all that the records had, and their reverts bring back every state', async () => {
  const anyGraph = record({
    own: tuple(...ids.map(() => anyFields)),
    links: array(anyEdge),
    statements: array(anyEdge),
  })
  const property = asyncProperty(anyGraph, array(anyMerge, { minLength: 1, maxLength: 7 }), async (made, merges) => {
    const brain = await addBrain(app, member, `merges-${count++}`)
    let graph: Graph = {
      fields: new Map(ids.map((id, index) => [id, made.own[index] ?? {}])),
      links: toSet(made.links.filter(([, , object]) => isRecord(object))),
      statements: toSet(made.statements),
    }
    await writeGraph(brain, graph)
    const survivors = new Map<string, string>()
    const applied: { change: string; before: Graph }[] = []
    for (const merge of merges) {
      const status = predictStatus(survivors, merge)
      const { from, into } = merge
      const answer = await brain.call('POST', `/records/${from}/merge`, { into })
      expect(answer).toMatchObject({ status })
      if (status !== 200 || survivors.has(from)) continue
      applied.push({ change: answer.body.data.change.id, before: graph })
      survivors.set(from, into)
      graph = mergeGraph(graph, merge)
      expect(await readGraph(brain)).toEqual(graph)
    }
    for (const id of ids) {
      let last = id
      while (survivors.has(last)) last = survivors.get(last) ?? ''
      expect((await brain.call('GET', `/records/${id}`)).body.data.record.id).toBe(last)
    }
    // A statement that a revert asserts again is a new one, which stays when the change that made the old one is reverted.
    const asserted = new Set<string>()
    for (const { change, before } of applied.reverse()) {
      expect(await brain.call('POST', `/changes/${change}/revert`)).toMatchObject({ status: 200 })
      const { statements, ...records } = await readGraph(brain)
      expect({ ...records, statements: statements.filter((edge) => !asserted.has(edge.join(' '))) }).toEqual({
        ...before,
        statements: before.statements.filter((edge) => !asserted.has(edge.join(' '))),
      })
      expect(statements).toEqual(expect.arrayContaining(before.statements))
      for (const edge of statements) asserted.add(edge.join(' '))
    }
  })
  await assert(property, { numRuns: 15 })
})
