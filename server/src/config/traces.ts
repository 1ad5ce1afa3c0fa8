import { z } from 'zod'
import { isNetwork } from '../shared/network/client-network.ts'
import { samplerNames } from '../shared/tracing/sampling.ts'
import type { TracerSettings } from '../shared/tracing/tracer.ts'
import { commaList, httpUrl, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

const flag = z.enum(['true', 'false'], { error: 'true or false' }).default('false')

/** Settings of traces. Those of OpenTelemetry keep its names and meaning. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    about:
      'OpenTelemetry collector that receives traces of requests, deliveries and runs, over OTLP/HTTP (JSON). When unset, no traces are sent. The other OTEL_EXPORTER_OTLP_ variables set headers, timeout, compression and certificates; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES set names.',
    example: 'http://127.0.0.1:4318',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: httpUrl.optional(),
    about: 'The same for traces alone, with the full path. It takes precedence over the other.',
    example: 'http://127.0.0.1:4318/v1/traces',
  },
  OTEL_SDK_DISABLED: {
    schema: flag,
    about: 'Turns traces off although a collector is set.',
    example: 'false',
  },
  OTEL_TRACES_SAMPLER: {
    schema: z.enum(samplerNames, { error: `one of ${samplerNames.join(', ')}` }).default('parentbased_always_on'),
    about:
      'Which traces are kept: all, none, or a ratio of them. With `parentbased_…`, callers in NOEMA_TRACE_CALLERS decide for their own requests.',
    example: 'parentbased_traceidratio',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number({ error: 'a number from 0 to 1' }).min(0).max(1).default(1),
    about: 'Ratio of traces that `traceidratio` and `parentbased_traceidratio` keep, from 0 to 1.',
    example: '0.1',
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    schema: wholeNumber(1, 60_000).default(1_000),
    about: 'Milliseconds between two batches of spans.',
    example: '1000',
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    schema: wholeNumber(1, 1_000_000).default(8_192),
    about: 'Maximum number of spans that wait to be sent. More are dropped and counted in `noema_trace_spans_total`.',
    example: '8192',
  },
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: {
    schema: flag,
    about: 'Whether traces include the messages to and from models and tools.',
    example: 'false',
  },
  NOEMA_TRACE_CALLERS: {
    schema: commaList
      .pipe(z.array(z.string().refine(isNetwork, 'addresses or networks such as 10.0.0.0/8')))
      .default([]),
    about:
      'Addresses or networks of callers whose `traceparent` is trusted, separated by commas. Their requests join their traces, and they decide which traces are kept. A request from any other caller starts a new trace that links to theirs.',
    example: '10.0.0.0/8',
  },
  NOEMA_TRACES_PER_SECOND: {
    schema: wholeNumber(1, 100_000).default(100),
    about: 'Maximum number of traces that a node starts for requests in a second; for one organization, half of it.',
    example: '100',
  },
} as const satisfies Settings

/** Reads the destination and selection of traces; undefined if they are off. */
export const readTraces = (values: ValuesOf<typeof traceSettings>): TracerSettings | undefined => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl } = values
  const url = tracesUrl ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`)
  if (url === undefined || values.OTEL_SDK_DISABLED === 'true') return undefined
  return {
    url,
    hasContent: values.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === 'true',
    sampler: { name: values.OTEL_TRACES_SAMPLER, ratio: values.OTEL_TRACES_SAMPLER_ARG },
    queue: { delayMilliseconds: values.OTEL_BSP_SCHEDULE_DELAY, maxSpans: values.OTEL_BSP_MAX_QUEUE_SIZE },
    callers: values.NOEMA_TRACE_CALLERS,
    perSecond: values.NOEMA_TRACES_PER_SECOND,
  }
}
