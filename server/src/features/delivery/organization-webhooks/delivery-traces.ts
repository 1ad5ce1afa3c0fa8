import { isObject } from '@noema/contracts/json.ts'
import type { TraceContext } from '../../../shared/tracing/trace-context.ts'
import type { Tracer } from '../../../shared/tracing/tracer.ts'
import type { Db } from '../../../storage/database.ts'
import { selectTraceOfChange } from '../../writing/commit/trace-queries.ts'
import type { LeasedDelivery } from './delivery-queries.ts'

/** `findRunTrace`: the span of a run of an organization, if its trace is kept. An area above provides it. */
export type TraceDeps = {
  db: Db
  tracer: Tracer | undefined
  findRunTrace(run: { organizationId: string; id: string }): Promise<TraceContext | undefined>
}

/** The span of a delivery's subject: a run, or the write of a correction. */
const findTrace = async (
  { db, findRunTrace }: TraceDeps,
  { organization, body }: LeasedDelivery,
): Promise<TraceContext | undefined> => {
  const { data }: { data?: unknown } = JSON.parse(body)
  if (!isObject(data)) return undefined
  if (typeof data.runId === 'string') return findRunTrace({ organizationId: organization, id: data.runId })
  return typeof data.change === 'string' ? selectTraceOfChange(db, organization, data.change) : undefined
}

/** Makes one attempt of a delivery in the trace of its subject. */
export const inTraceOfDelivery = async <Result>(
  deps: TraceDeps,
  delivery: LeasedDelivery,
  task: () => Promise<Result>,
): Promise<Result> => {
  if (!deps.tracer) return task()
  return deps.tracer.goOn(await findTrace(deps, delivery), task, () => ({
    ...{ name: 'deliver to webhook', kind: 'producer' },
    attributes: { 'noema.webhook.id': delivery.key, 'noema.delivery.attempt': delivery.attempts + 1 },
  }))
}
