import { expect, test } from 'vitest'
import { layOut } from './layout.ts'

const star = {
  nodes: ['hub', 'a', 'b', 'c', 'far'].map((id) => ({ id, size: 4 })),
  edges: ['a', 'b', 'c'].map((to) => ({ from: 'hub', to })),
}

const last = (layout: Parameters<typeof layOut>[0]) => [...layOut(layout, { rounds: 4, iterations: 25 })].at(-1) ?? {}

test('connected nodes are nearer to each other than others, and no two share a position', () => {
  const positions = last(star)
  const distance = (a: string, b: string) =>
    Math.hypot((positions[a]?.x ?? 0) - (positions[b]?.x ?? 0), (positions[a]?.y ?? 0) - (positions[b]?.y ?? 0))
  expect(distance('hub', 'a')).toBeLessThan(distance('hub', 'far'))
  expect(distance('a', 'b')).toBeGreaterThan(1)
})

test('the layout is deterministic, a node with a position stays near it, and edges to missing nodes are ignored', () => {
  expect(last(star)).toEqual(last(star))
  const nodes = star.nodes.map((node) => ({ ...node, position: last(star)[node.id] }))
  const [again] = layOut({ nodes, edges: [...star.edges, { from: 'hub', to: 'nobody' }] }, { rounds: 1, iterations: 1 })
  const moved = Math.hypot(
    (again?.hub?.x ?? 0) - (last(star).hub?.x ?? 0),
    (again?.hub?.y ?? 0) - (last(star).hub?.y ?? 0),
  )
  expect(moved).toBeLessThan(20)
})

test('an empty graph has an empty layout', () => {
  expect([...layOut({ nodes: [], edges: [] }, { rounds: 2, iterations: 2 })]).toEqual([])
})
