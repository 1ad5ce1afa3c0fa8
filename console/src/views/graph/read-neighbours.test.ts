import { expect, test } from 'vitest'
import { type Neighbour, plantSeeds, type Reading } from './neighbourhood.ts'
import { grow } from './read-neighbours.ts'

const links: Record<string, string[]> = {
  a: ['b', 'c', 'gone'],
  b: ['d'],
  c: [],
  d: ['e'],
  e: [],
}

const toNeighbours = (id: string): Neighbour[] => [
  ...(links[id] ?? []).map((to): Neighbour => ({ id: to, edge: 'to', type: 'link', isOutward: true })),
  ...Object.keys(links)
    .filter((from) => links[from]?.includes(id))
    .map((from): Neighbour => ({ id: from, edge: 'to', type: 'link', isOutward: false })),
]

const read = async (id: string): Promise<Reading | undefined> =>
  links[id] && { id, kind: 'thing', name: id.toUpperCase(), neighbours: toNeighbours(id), isCut: false }

const growWhole = async (depth: number, from = plantSeeds(['a'])) => {
  let graph = from
  for await (const grown of grow(graph, read, { depth, maxNeighbours: 10 })) graph = grown
  return graph
}

test('everything within the depth is shown, what stands at the rim is named, and what nobody has is marked', async () => {
  const { nodes, edges } = await growWhole(1)
  expect([...nodes.values()].map(({ id, name, isMissing, hidden }) => [id, name, isMissing, hidden])).toEqual([
    ['a', 'A', false, 0],
    ['b', 'B', false, 1],
    ['c', 'C', false, 0],
    ['gone', 'gone', true, 0],
  ])
  expect(edges.size).toBe(3)
})

test('one step more shows what those lead to, and ends where the graph ends', async () => {
  expect([...(await growWhole(2)).nodes.keys()]).toEqual(['a', 'b', 'c', 'gone', 'd'])
  expect((await growWhole(9)).nodes.size).toBe(6)
  expect((await growWhole(2, await growWhole(1))).nodes.size).toBe(5)
})
