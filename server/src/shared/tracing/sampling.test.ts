import { TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { createSampler, createTraceBudget, type samplerNames } from './sampling.ts'
import { newTraceId } from './trace-context.ts'

const parent = (isSampled: boolean) => ({ traceId: newTraceId(), spanId: 'b'.repeat(16), isSampled })

const share = (name: (typeof samplerNames)[number], ratio: number, from?: ReturnType<typeof parent>): number => {
  const isKept = createSampler(name, new TraceIdRatioBasedSampler(ratio))
  return Array.from({ length: 2_000 }, newTraceId).filter((id) => isKept(id, from)).length / 2_000
}

test.each([
  ['always_on', 1, 1, 1],
  ['always_off', 0, 0, 0],
  ['traceidratio', 0.25, 0.25, 0.25],
  ['parentbased_always_on', 1, 1, 0],
  ['parentbased_always_off', 0, 1, 0],
  ['parentbased_traceidratio', 0.25, 1, 0],
] as const)(
  '%s keeps the share that OpenTelemetry says, alone and below a parent',
  (name, alone, below, belowUnkept) => {
    expect(share(name, 0.25)).toBeCloseTo(alone, 1)
    expect(share(name, 0.25, parent(true))).toBeCloseTo(below, 1)
    expect(share(name, 0.25, parent(false))).toBeCloseTo(belowUnkept, 1)
  },
)

test('one organization begins half of the traces of a second at most, and all together no more than they may', () => {
  // Both counters restart each second, which may happen in the middle of the test.
  const [one, all] = [0, 1, 2]
    .map(() => {
      const mayBegin = createTraceBudget(10)
      const mine = Array.from({ length: 50 }, () => mayBegin('loud')).filter(Boolean).length
      const others = Array.from({ length: 50 }, (_, index) => mayBegin(`org-${index}`)).filter(Boolean).length
      return [mine, mine + others] as const
    })
    .reduce(([a, b], [mine, total]) => [Math.min(a, mine), Math.min(b, total)] as const, [50, 100] as const)
  expect([one, all]).toEqual([5, 10])
})
