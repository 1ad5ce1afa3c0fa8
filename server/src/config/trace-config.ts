import type { z } from 'zod'
import type { TracerSettings } from '../shared/tracing/tracer.ts'
import type { traceSettings } from './trace-settings.ts'

type Values = { [Name in keyof typeof traceSettings]: z.output<(typeof traceSettings)[Name]['schema']> }

/** Reads what the settings say of traces; undefined where none are sent. */
export const readTraces = (values: Values): TracerSettings | undefined => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = values
  const url = own ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`)
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
