import type { TestBrain } from '../../../test/app.ts'

type Item = { id: string; text: string } & Record<string, unknown>

/** A source of a Brain, as tests plan and apply it. */
export const useSource = (brain: TestBrain, name = 'wiki') => {
  const path = `/sources/${encodeURIComponent(name)}/snapshots`
  const plan = (items: readonly Item[], more: object = {}, headers: Record<string, string> = {}) =>
    brain.call('POST', path, { items, complete: true, ...more }, { headers })
  const apply = (snapshot: string, body: object, headers: Record<string, string> = {}) =>
    brain.call('POST', `${path}/${snapshot}/apply`, body, { headers })
  return {
    path,
    plan,
    apply,
    read: (snapshot: string, query = '') => brain.call('GET', `${path}/${snapshot}${query}`),
    /** Plans all that the source has and applies it. */
    sync: async (items: readonly Item[], body: object = {}) => {
      const { snapshot, planRevision } = (await plan(items)).body.data.snapshot
      return apply(snapshot, { planRevision, ...body })
    },
  }
}

/** Documents `<prefix>/<number>` of a few words each. */
export const makeItems = (count: number, prefix = 'd'): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}/${index}`, text: `Text of ${prefix} ${index}.` }))

/** The types and data of a Brain's events, in order. */
export const listEvents = async (brain: TestBrain): Promise<[string, Record<string, unknown>][]> => {
  const events: [string, Record<string, unknown>][] = []
  let after = ''
  for (;;) {
    const { events: page, cursor, hasMore } = (await brain.call('GET', `/events?limit=500${after}`)).body.data
    for (const { type, data } of page) events.push([type, data])
    if (!hasMore) return events
    after = `&after=${cursor}`
  }
}
