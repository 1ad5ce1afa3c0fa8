import type { HrTime, SpanContext } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../../shared/log.ts'
import type { SpanRecord } from './to-spans.ts'

// Spans on their way to the operator's collector, by OTLP over HTTP. The packages are loaded when this is opened and not
// before. Headers, timeout, compression and certificates are what the standard variables of OpenTelemetry say, which its
// exporter reads by itself.

export type SpanExport = {
  /** Takes a finished span. It waits in a bounded queue; what is too much is dropped, so nobody ever waits for a collector. */
  add(span: SpanRecord): void
  /** Sends what is waiting. */
  close(): Promise<void>
}

/** Spans that wait: with content they weigh more. */
const maxWaiting = { plain: 2_048, content: 256 }
const warnMilliseconds = 60_000

const toHrTime = (milliseconds: number): HrTime => [
  Math.floor(milliseconds / 1000),
  Math.round((milliseconds % 1000) * 1_000_000),
]

const internalKind = 0
const clientKind = 2
const errorStatus = 2
const unsetStatus = 0

const toReadable = (span: SpanRecord, resource: Resource): ReadableSpan => {
  const context: SpanContext = { traceId: span.traceId, spanId: span.spanId, traceFlags: 1 }
  const parent = span.parentSpanId && { ...context, spanId: span.parentSpanId, isRemote: span.isParentRemote }
  const [start, end] = [span.startedAt.getTime(), Math.max(span.startedAt.getTime(), span.endedAt.getTime())]
  return {
    name: span.name,
    kind: span.kind === 'client' ? clientKind : internalKind,
    spanContext: () => context,
    ...(parent ? { parentSpanContext: parent } : {}),
    startTime: toHrTime(start),
    endTime: toHrTime(end),
    duration: toHrTime(end - start),
    status: span.error === undefined ? { code: unsetStatus } : { code: errorStatus, message: span.error },
    attributes: span.attributes,
    ...{ links: [], events: [], ended: true },
    resource,
    instrumentationScope: { name: 'noema' },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }
}

/** The same exporter, saying in the log when the collector does not take what it is sent, once a minute at most. */
const telling = (exporter: SpanExporter, log: Log): SpanExporter => {
  let quietUntil = 0
  return {
    shutdown: () => exporter.shutdown(),
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && performance.now() >= quietUntil) {
          quietUntil = performance.now() + warnMilliseconds
          log.warn({ error: result.error.message, spans: spans.length }, 'the trace collector did not take spans')
        }
        // The processor throws what fails to whoever started the export, and that is a timer.
        done({ code: 0 })
      }),
  }
}

/** Opens the way to a collector. `url` is where it takes traces. */
export const openSpanExport = async (url: string, log: Log, { hasContent = false } = {}): Promise<SpanExport> => {
  const [{ BatchSpanProcessor }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'noema' }))
    .merge(detectResources({ detectors: [envDetector] }))
  const processor = new BatchSpanProcessor({
    exporter: telling(new OTLPTraceExporter({ url }), log),
    maxQueueSize: hasContent ? maxWaiting.content : maxWaiting.plain,
    maxExportBatchSize: 128,
    scheduledDelayMillis: 1_000,
  })
  return {
    add: (span) => processor.onEnd(toReadable(span, resource)),
    close: () => processor.shutdown(),
  }
}
