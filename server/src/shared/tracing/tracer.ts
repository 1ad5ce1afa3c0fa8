import type { Log } from '../log.ts'
import type { Measures } from '../measures.ts'
import { withTimeout } from '../timeout.ts'
import { createSampler, createTraceBudget, type SamplerSettings } from './sampling.ts'
import { openSpanExport, type SpanExport, type SpanQueue } from './span-exporter.ts'
import { beginPart, goOnBelow, type PartRoot, type SpanAbout } from './spans.ts'
import { newSpanId, newTraceId, parseTraceparent, type TraceContext } from './trace-context.ts'

// Traces of a node for the operator's collector, by OpenTelemetry. A node without a collector has no tracer.

export type TracerSettings = {
  /** The collector's URL for traces. */
  url: string
  /** True if spans of runs contain the inputs and outputs of models and tools. */
  hasContent: boolean
  sampler: SamplerSettings
  /** The delay and the size of the span queue. */
  queue: SpanQueue
  /** Networks whose callers are believed: which trace they are part of, and whether that is kept. */
  callers: readonly string[]
  /** Traces that may start on a node in a second. */
  perSecond: number
}

/** The sender of a request, and the trace context that it sent. */
type RequestOrigin = { organization: string; address: string; traceparent: string | undefined; since: number }

export type Tracer = Pick<SpanExport, 'add' | 'health'> & {
  /** Begins the span of a request: none where its trace is not kept. */
  beginRequest(origin: RequestOrigin, about: () => SpanAbout): { context: TraceContext; span: PartRoot | undefined }
  /** Runs a task below a span from another node or an earlier time; `about` gives the task its own span. */
  goOn<Result>(context: TraceContext | undefined, task: () => Promise<Result>, about?: () => SpanAbout): Promise<Result>
  /** Decides whether a trace without an earlier decision is kept. */
  isKept(traceId: string): boolean
  /** Sends the queued spans, for two seconds at most. */
  close(): Promise<void>
}

const closeMilliseconds = 2_000

/**
 * Opens the traces of a node. The packages for it are loaded here and not before. `isBelieved`: whether callers of an address
 * are believed which trace they are part of.
 */
export const openTracer = async (
  settings: TracerSettings,
  reporting: { log: Log; measures: Measures },
  isBelieved: (address: string) => boolean,
): Promise<Tracer> => {
  const { TraceIdRatioBasedSampler } = await import('@opentelemetry/sdk-trace')
  const isKept = createSampler(settings.sampler.name, new TraceIdRatioBasedSampler(settings.sampler.ratio))
  const mayBegin = createTraceBudget(settings.perSecond)
  const { add, health, close } = await openSpanExport(settings, reporting)
  return {
    ...{ add, health, isKept },
    beginRequest: ({ organization, address, traceparent, since }, about) => {
      const given = parseTraceparent(traceparent ?? null)
      const parent = given && isBelieved(address) ? given : undefined
      // An untrusted caller gets a new trace: a trace's id decides whether it is kept, and a caller that knows another's
      // trace id cannot add to that trace.
      const traceId = parent?.traceId ?? newTraceId()
      if (!isKept(traceId, parent) || !mayBegin(organization))
        return { context: { traceId, spanId: newSpanId(), isSampled: false }, span: undefined }
      const links = given && !parent ? [given] : []
      const span = beginPart(add, { ...about(), links }, { traceId, parent, since })
      return { context: span.context, span }
    },
    goOn: async (context, task, about) => {
      if (!context?.isSampled) return task()
      if (!about) return goOnBelow(add, context, task)
      const span = beginPart(add, about(), { traceId: context.traceId, parent: context })
      try {
        const result = await span.run(task)
        span.end()
        return result
      } catch (error) {
        span.end('_OTHER')
        throw error
      }
    },
    close: async () => void (await withTimeout(close(), closeMilliseconds)),
  }
}
