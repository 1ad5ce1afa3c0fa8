import type { HrTime, SpanContext } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'
import type { Measures } from '../measures.ts'
import { readServiceVersion } from '../service-version.ts'
import type { WorkerHealth } from '../worker-health.ts'
import { outsideSpans, type SpanRecord } from './spans.ts'

// Sends spans to the operator's collector, by OTLP over HTTP. The packages are loaded only when this is opened. The
// exporter reads headers, timeout, compression and certificates from OpenTelemetry's standard variables.

export type SpanExport = {
  /** Takes a finished span. It waits in a bounded queue that drops the excess, so no caller waits for a collector. */
  add(span: SpanRecord): void
  /** Reports whether the collector accepts spans. */
  health(): WorkerHealth
  /** Sends the queued spans. */
  close(): Promise<void>
}

export type SpanQueue = { delayMilliseconds: number; maxSpans: number }

/** Spans that are sent at once. With content they weigh more, so that fewer of them may wait. */
const maxBatch = { plain: 512, content: 128 }
const maxWithContent = 256

const toHrTime = (milliseconds: number): HrTime => [
  Math.floor(milliseconds / 1000),
  Math.round((milliseconds % 1000) * 1_000_000),
]

const kinds = { internal: 0, server: 1, client: 2, producer: 3 } as const
const errorStatus = 2
const unsetStatus = 0

const toReadable = (span: SpanRecord, resource: Resource): ReadableSpan => {
  const context: SpanContext = { traceId: span.traceId, spanId: span.spanId, traceFlags: 1 }
  const parent = span.parentSpanId && { ...context, spanId: span.parentSpanId, isRemote: span.isParentRemote }
  const [start, end] = [span.startedAt, Math.max(span.startedAt, span.endedAt)]
  const links = (span.links ?? []).map(({ traceId, spanId, isSampled }) => ({
    context: { traceId, spanId, traceFlags: isSampled ? 1 : 0 },
    attributes: {},
  }))
  const events = (span.events ?? []).map((event) => ({ ...event, time: toHrTime(end) }))
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => context,
    ...(parent ? { parentSpanContext: parent } : {}),
    startTime: toHrTime(start),
    endTime: toHrTime(end),
    duration: toHrTime(end - start),
    status: span.error === undefined ? { code: unsetStatus } : { code: errorStatus, message: span.error },
    attributes: span.attributes,
    ...{ links, events, ended: true },
    resource,
    instrumentationScope: { name: 'noema' },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }
}

type Reporting = { log: Log; measures: Measures }

/** The same exporter, with reports: it logs once when exports begin to fail, and once when they succeed again. */
const watch = (exporter: SpanExporter, { log, measures }: Reporting, left: (count: number) => void) => {
  const health: WorkerHealth = {
    ...{ name: 'send traces', lastSuccess: undefined, consecutiveFailures: 0, lastError: undefined },
  }
  const note = (spans: number, error: Error | undefined): void => {
    measures.report('noema_trace_spans_total', spans, { outcome: error ? 'failed' : 'sent' })
    if (error && health.consecutiveFailures === 0)
      log.warn(
        { error: error.message, spans },
        'the trace collector refuses spans; the log will say when it takes them again',
      )
    if (!error && health.consecutiveFailures > 0) log.info('the trace collector takes spans again')
    health.consecutiveFailures = error ? health.consecutiveFailures + 1 : 0
    health.lastError = error && 'not_taken'
    if (!error) health.lastSuccess = new Date()
  }
  const watched: SpanExporter = {
    shutdown: () => exporter.shutdown(),
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        left(spans.length)
        note(spans.length, result.error ?? (result.code === 0 ? undefined : new Error('no reason was given')))
        // The processor throws an error into the code that started the export, which is a timer.
        done({ code: 0 })
      }),
  }
  return { watched, health: () => ({ ...health }) }
}

/** Opens the way to a collector. `url` is where it takes traces. */
export const openSpanExport = async (
  { url, hasContent, queue }: { url: string; hasContent: boolean; queue: SpanQueue },
  reporting: Reporting,
): Promise<SpanExport> => {
  const [{ BatchSpanProcessor }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'noema', 'service.version': readServiceVersion() }))
    .merge(detectResources({ detectors: [envDetector] }))
  const size = hasContent ? 'content' : 'plain'
  const maxWaiting = hasContent ? Math.min(queue.maxSpans, maxWithContent) : queue.maxSpans
  let waiting = 0
  const exporter = watch(new OTLPTraceExporter({ url }), reporting, (count) => {
    waiting -= count
  })
  const processor = new BatchSpanProcessor({
    exporter: exporter.watched,
    maxQueueSize: maxWaiting,
    maxExportBatchSize: Math.min(maxWaiting, maxBatch[size]),
    scheduledDelayMillis: queue.delayMilliseconds,
  })
  return {
    add: (span) => {
      if (waiting >= maxWaiting) {
        reporting.measures.report('noema_trace_spans_total', 1, { outcome: 'dropped' })
        return
      }
      waiting++
      outsideSpans(() => processor.onEnd(toReadable(span, resource)))
    },
    health: exporter.health,
    close: () => processor.shutdown(),
  }
}
