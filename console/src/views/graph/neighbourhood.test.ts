import { expect, test } from 'vitest'
import {
  addReading,
  countKinds,
  describeHidden,
  listUnread,
  markMissing,
  maxNodes,
  type Neighbour,
  plantSeeds,
  type Reading,
  withoutKinds,
} from './neighbourhood.ts'

const to = (id: string, more: Partial<Neighbour> = {}): Neighbour => ({
  ...{ id, edge: 'knows', type: 'link', isOutward: true },
  ...more,
})

const reading = (id: string, neighbours: Neighbour[], more: Partial<Reading> = {}): Reading => ({
  ...{ id, kind: 'person', name: id.toUpperCase(), neighbours, isCut: false },
  ...more,
})

const many = (count: number) => Array.from({ length: count }, (_, index) => to(`n${index}`))

test('a graph grows from its seed by one step for each depth, and no further', () => {
  const seeded = plantSeeds(['a'])
  expect(listUnread(seeded, 1)).toEqual(['a'])
  const one = addReading(seeded, reading('a', [to('b'), to('c', { isOutward: false, kind: 'team' })]), 10)
  expect(listUnread(one, 1)).toEqual([])
  expect(listUnread(one, 2)).toEqual(['b', 'c'])
  expect([...one.edges.values()].map(({ from, to: other }) => `${from}>${other}`)).toEqual(['a>b', 'c>a'])
})

test('a hub shows as many neighbours as it may and says how many it hides', () => {
  const graph = addReading(plantSeeds(['hub']), reading('hub', many(226)), 12)
  const hub = graph.nodes.get('hub')
  expect([graph.nodes.size, hub && describeHidden(hub)]).toEqual([13, '+214 more'])
  const wider = addReading(graph, reading('hub', many(226)), 100)
  expect([wider.nodes.size, wider.nodes.get('hub')?.hidden]).toEqual([113, 114])
})

test('a hub of which not everything was counted says at least how many it hides', () => {
  const graph = addReading(plantSeeds(['hub']), reading('hub', many(20), { isCut: true }), 12)
  const hub = graph.nodes.get('hub')
  expect(hub && describeHidden(hub)).toBe('more than 8 more')
})

test('neighbours that are there already cost no room, and an edge that both sides tell is one edge', () => {
  const both = addReading(plantSeeds(['a', 'b']), reading('a', [to('b'), to('c')]), 0)
  expect([both.nodes.size, both.edges.size, both.nodes.get('a')?.hidden]).toEqual([2, 1, 1])
  const told = addReading(both, reading('b', [to('a', { isOutward: false })]), 0)
  expect(told.edges.size).toBe(1)
})

test('no graph has more nodes than can be drawn', () => {
  const graph = addReading(plantSeeds(['hub']), reading('hub', many(maxNodes + 50)), maxNodes + 50)
  expect(graph.nodes.size).toBe(maxNodes)
})

test('what a neighbour told of a record holds until the record itself is read; one that nobody has is missing', () => {
  const graph = addReading(plantSeeds(['a']), reading('a', [to('b', { kind: 'team', name: 'Team B' }), to('gone')]), 9)
  expect(graph.nodes.get('b')).toMatchObject({ kind: 'team', name: 'Team B', isRead: false })
  expect(markMissing(graph, 'gone').nodes.get('gone')).toMatchObject({ isMissing: true, isRead: true })
})

test('kinds are counted, and those that are switched off take their edges along', () => {
  const graph = addReading(plantSeeds(['a']), reading('a', [to('b', { kind: 'team' }), to('c', { kind: 'person' })]), 9)
  expect(countKinds(graph)).toEqual([
    { kind: 'person', count: 2 },
    { kind: 'team', count: 1 },
  ])
  const narrowed = withoutKinds(graph, new Set(['team']))
  expect([narrowed.nodes.size, narrowed.edges.size]).toEqual([2, 1])
})

test('a record that links to itself is one node with one edge', () => {
  const graph = addReading(plantSeeds(['a']), reading('a', [to('a')]), 9)
  expect([graph.nodes.size, graph.edges.size, graph.nodes.get('a')?.hidden]).toEqual([1, 1, 0])
})
