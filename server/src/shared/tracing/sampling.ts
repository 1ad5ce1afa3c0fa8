import type { TraceContext } from './trace-context.ts'

// The operator decides which traces are kept, because they pay for them. A caller decides only if the operator trusts their
// address.

/** The allowed values of `OTEL_TRACES_SAMPLER`. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type SamplerSettings = { name: (typeof samplerNames)[number]; ratio: number }

/** Decides whether to keep a trace, by its id and by the span of another program that it continues. */
export type Sampler = (traceId: string, parent?: TraceContext) => boolean

/** The library's sampler by ratio: other services decide the same for a trace. */
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
 * Limits the traces that may start on this node in a second, and those of one organization: the organization with the most
 * requests does not get all of them.
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
