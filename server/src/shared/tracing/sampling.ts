import type { TraceContext } from './trace-context.ts'

// Which traces are kept is the operator's to say, for they pay for them. Who calls decides nothing, unless the operator trusts
// where they call from.

/** What `OTEL_TRACES_SAMPLER` may be. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type SamplerSettings = { name: (typeof samplerNames)[number]; ratio: number }

/** Whether a trace is kept, by its id, and by the span of another program that it goes on from. */
export type Sampler = (traceId: string, parent?: TraceContext) => boolean

/** The library's sampler by ratio: what it decides of a trace is what others decide of it. */
type RatioSampler = { shouldSample(context: unknown, traceId: string): { decision: number } }

const notRecorded = 0

export const createSampler = (name: SamplerSettings['name'], byRatio: RatioSampler): Sampler => {
  const decide = (traceId: string): boolean => {
    if (name.endsWith('always_on')) return true
    if (name.endsWith('always_off')) return false
    return byRatio.shouldSample(undefined, traceId).decision !== notRecorded
  }
  return (traceId, parent) => (parent && name.startsWith('parentbased_') ? parent.isSampled : decide(traceId))
}

const secondMilliseconds = 1_000

/**
 * How many traces may begin on this node in a second, and how many of them by the requests of one organization: who sends the
 * most requests has not all of them.
 */
export const createTraceBudget = (perSecond: number) => {
  const ofOrganization = Math.max(1, Math.floor(perSecond / 2))
  const taken = new Map<string, number>()
  let total = 0
  let second = 0
  return (organization: string): boolean => {
    const at = Math.floor(performance.now() / secondMilliseconds)
    if (at !== second) {
      second = at
      total = 0
      taken.clear()
    }
    const mine = taken.get(organization) ?? 0
    if (total >= perSecond || mine >= ofOrganization) return false
    total++
    taken.set(organization, mine + 1)
    return true
  }
}
