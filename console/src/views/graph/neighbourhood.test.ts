import type { NeighbourRecord, Relation } from '@noema/contracts/neighbours.ts'
import { expect, test } from 'vitest'
import type { Reading } from '../../data/neighbours.ts'
import { addReading, countKinds, describeHidden, emptyGraph, maxNodes, withoutKinds } from './neighbourhood.ts'

const record = (id: string, distance: number, more: Partial<NeighbourRecord> = {}): NeighbourRecord => ({
  ...{ id, distance, kind: 'person', slug: null, version: 1, fields: { name: id.toUpperCase() } },
  ...{ hidden: 0, hasMore: false },
  ...more,
})
const link = (from: string, to: string): Relation => ({ type: 'link', from, to, predicate: 'knows' })

const hub = (count: number, more: Partial<NeighbourRecord> = {}): Reading => {
  const ids = Array.from({ length: count }, (_, index) => `n${index}`)
  return {
    records: [record('hub', 0, more), ...ids.map((id) => record(id, 1))],
    relations: ids.map((id) => link('hub', id)),
  }
}

test('a graph has the loaded records with their names, and marks missing ones', () => {
  const gone = record('gone', 1, { kind: null, version: null, fields: {} })
  const { nodes, edges } = addReading(emptyGraph, {
    records: [record('a', 0), record('b', 1, { hidden: 3 }), gone],
    relations: [link('a', 'b'), link('a', 'gone')],
  })
  expect([...nodes.values()].map(({ id, name, isMissing, hidden }) => [id, name, isMissing, hidden])).toEqual([
    ['a', 'A', false, 0],
    ['b', 'B', false, 3],
    ['gone', 'gone', true, 0],
  ])
  expect([...edges.values()].map(({ from, to }) => `${from}>${to}`)).toEqual(['a>b', 'a>gone'])
})

test('an expanded hub shows more neighbors and the number of hidden ones', () => {
  const graph = addReading(emptyGraph, hub(12, { hidden: 214 }))
  const found = graph.nodes.get('hub')
  expect([graph.nodes.size, found && describeHidden(found)]).toEqual([13, '+214 more'])
  const wider = addReading(graph, hub(226), 100)
  expect([wider.nodes.size, wider.nodes.get('hub')?.hidden]).toEqual([113, 114])
})

test('a partly counted hub shows a minimum of hidden neighbors', () => {
  const found = addReading(emptyGraph, hub(12, { hidden: 8, hasMore: true })).nodes.get('hub')
  expect(found && describeHidden(found)).toBe('more than 8 more')
})

test('the distance of an expanded node counts from the start of the graph', () => {
  const graph = addReading(emptyGraph, { records: [record('a', 0), record('b', 1)], relations: [link('a', 'b')] })
  const wider = addReading(graph, {
    records: [record('b', 0), record('a', 1), record('c', 1)],
    relations: [link('b', 'c')],
  })
  expect([...wider.nodes.values()].map(({ id, distance }) => [id, distance])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ])
})

test('an edge that two responses contain is one edge, and a record that links to itself is one node', () => {
  const reading = { records: [record('a', 0), record('b', 1)], relations: [link('a', 'b'), link('a', 'a')] }
  const { nodes, edges } = addReading(addReading(emptyGraph, reading), reading)
  expect([nodes.size, edges.size, nodes.get('a')?.hidden]).toEqual([2, 2, 0])
})

test('a graph has no more nodes than can be drawn', () => {
  const graph = addReading(emptyGraph, hub(maxNodes + 50))
  expect([graph.nodes.size, graph.nodes.get('hub')?.hidden]).toEqual([maxNodes, 51])
})

test('kinds are counted, and hiding a kind hides its edges', () => {
  const graph = addReading(emptyGraph, {
    records: [record('a', 0), record('b', 1, { kind: 'team' }), record('c', 1)],
    relations: [link('a', 'b'), link('a', 'c')],
  })
  expect(countKinds(graph)).toEqual([
    { kind: 'person', count: 2 },
    { kind: 'team', count: 1 },
  ])
  const narrowed = withoutKinds(graph, new Set(['team']))
  expect([narrowed.nodes.size, narrowed.edges.size]).toEqual([2, 1])
})
