import { findTrace, toSpanId } from '../../shared/tracing/trace-context.ts'
import type { Tracer } from '../../shared/tracing/tracer.ts'
import { isKept } from './spans.ts'

/** Does the work of an operation below its span, which is made of the journal once the operation has ended. */
export const inOperation = <Result>(
  { tracer }: { tracer: Tracer | undefined },
  run: { id: string; traceparent: string | null },
  operationId: string,
  task: () => Promise<Result>,
): Promise<Result> =>
  tracer && isKept(tracer, run)
    ? tracer.goOn({ traceId: findTrace(run), spanId: toSpanId(operationId), isSampled: true }, task)
    : task()
