import type { BrainEvent } from '@noema/contracts/events.ts'
import type { TraceContext } from '../../../shared/tracing/trace-context.ts'
import type { Tracer } from '../../../shared/tracing/tracer.ts'
import type { Db } from '../../../storage/database.ts'
import { selectTraces } from '../../writing/commit/trace-queries.ts'

// A delivery belongs to the trace of the write behind its event: the change stores its span, so it does not matter which node
// delivers, or when.

export type DeliveryTraces = {
  /** The spans of the writes behind events, in their order. */
  find(brainId: number, events: readonly string[]): Promise<readonly (TraceContext | undefined)[]>
  /** Does one attempt as part of such a trace. */
  run<Result>(
    trace: TraceContext | undefined,
    delivery: { webhook: string; attempt: number },
    task: () => Promise<Result>,
  ): Promise<Result>
}

const findChange = (event: string): string | undefined => {
  const { data } = JSON.parse(event) as BrainEvent
  return 'change' in data ? data.change : undefined
}

/** Traces of deliveries, where this node has any. */
export const createDeliveryTraces = ({ db, tracer }: { db: Db; tracer: Tracer | undefined }): DeliveryTraces => ({
  find: async (brainId, events) => {
    if (!tracer) return []
    const changes = events.map(findChange)
    const known = [...new Set(changes.filter((change) => change !== undefined))]
    const traces = await selectTraces(db, brainId, known)
    return changes.map((change) => (change === undefined ? undefined : traces.get(change)))
  },
  run: (trace, { webhook, attempt }, task) =>
    tracer && trace
      ? tracer.goOn(trace, task, () => ({
          ...{ name: 'deliver to webhook', kind: 'producer' },
          attributes: { 'noema.webhook.id': webhook, 'noema.delivery.attempt': attempt },
        }))
      : task(),
})
