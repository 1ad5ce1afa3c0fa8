import type { createBrain } from '../../../test/app.ts'

export type Brain = Awaited<ReturnType<typeof createBrain>>

/** Proposes a change of the schema on the Brain's current version. */
export const propose = async (brain: Brain, ...operations: object[]) => {
  const { schemaVersion } = (await brain.call('GET', '')).body.data.brain
  return brain.call('POST', '/schema/evolve', { baseVersion: schemaVersion, operations })
}

/** Approves a change and publishes it. */
export const approve = (brain: Brain, id: string, rest: object = {}) =>
  brain.call('POST', `/changes/${id}/decide`, { decision: 'approved', ...rest })

/** Proposes a change of the schema and publishes it. */
export const evolve = async (brain: Brain, ...operations: object[]) => {
  const proposed = await propose(brain, ...operations)
  if (proposed.status !== 202) throw new Error(JSON.stringify(proposed.body))
  return approve(brain, proposed.body.data.change.id)
}

/** The types of a Brain's events. */
export const listEventTypes = async (brain: Brain): Promise<string[]> =>
  (await brain.call('GET', '/events?limit=500')).body.data.events.map(({ type }: { type: string }) => type)
