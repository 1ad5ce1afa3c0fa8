import { z } from 'zod'
import { isNetwork } from '../shared/network/client-network.ts'
import { samplerNames } from '../shared/tracing/sampling.ts'
import { wholeNumber } from './limit-settings.ts'

const collector = z.url({ protocol: /^https?$/, error: 'an http or https address' }).optional()
const flag = z.enum(['true', 'false'], { error: 'true or false' }).default('false')
const networks = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

/** Settings of traces. Those of OpenTelemetry have its names and mean what it says of them. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: collector,
    about:
      'Collector of OpenTelemetry that gets traces of requests, deliveries and runs, by OTLP over HTTP (JSON); none when unset. Headers, timeout, compression and certificates are set by the other OTEL_EXPORTER_OTLP_ variables, names by OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.',
    example: 'http://127.0.0.1:4318',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: collector,
    about: 'The same for traces alone, with its path: it is called as it stands, and goes before the other.',
    example: 'http://127.0.0.1:4318/v1/traces',
  },
  OTEL_SDK_DISABLED: {
    schema: flag,
    about: 'Whether traces are off, although a collector is named.',
    example: 'false',
  },
  OTEL_TRACES_SAMPLER: {
    schema: z.enum(samplerNames, { error: `one of ${samplerNames.join(', ')}` }).default('parentbased_always_on'),
    about:
      'Which traces are kept: all, none, or a share of them; parentbased: of callers in NOEMA_TRACE_CALLERS, as they decided themselves.',
    example: 'parentbased_traceidratio',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number({ error: 'a number from 0 to 1' }).min(0).max(1).default(1),
    about: 'The share of traces that is kept by traceidratio and parentbased_traceidratio, from 0 to 1.',
    example: '0.1',
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    schema: wholeNumber(1, 60_000).default(1_000),
    about: 'Milliseconds for which spans gather before they are sent.',
    example: '1000',
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    schema: wholeNumber(1, 1_000_000).default(8_192),
    about: 'Spans that may wait to be sent; what is more is dropped, and counted in noema_trace_spans_total.',
    example: '8192',
  },
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: {
    schema: flag,
    about: 'Whether traces also carry what models and tools are asked and answer.',
    example: 'false',
  },
  NOEMA_TRACE_CALLERS: {
    schema: networks
      .pipe(z.array(z.string().refine(isNetwork, 'addresses or networks such as 10.0.0.0/8')))
      .default([]),
    about:
      'Addresses or networks of callers, separated by commas, whose traceparent is continued: their requests stand in their own traces, and they decide which are kept. A request of anybody else begins a trace of its own, with a link to theirs.',
    example: '10.0.0.0/8',
  },
  NOEMA_TRACES_PER_SECOND: {
    schema: wholeNumber(1, 100_000).default(100),
    about: 'Traces of requests that a node begins in a second; half of them for one organization.',
    example: '100',
  },
} as const
