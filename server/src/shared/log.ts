import { type DestinationStream, type Logger, pino } from 'pino'
import { currentSpan } from './tracing/spans.ts'

export type Log = Logger

// Anything that could carry a credential, wherever a logged object holds it.
const secretPaths = ['authorization', 'cookie', '["x-api-key"]', 'password', 'secret', 'token'].flatMap((name) => {
  const path = name.startsWith('[') ? name : `.${name}`
  return [name, `*${path}`, `*.*${path}`]
})

/** Adds the trace and span of a traced request to its lines. */
const traceFields = () => {
  const span = currentSpan()
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {}
}

/** JSON lines, one per event, without secrets. */
export const createLog = (level: string, destination?: DestinationStream): Log =>
  pino(
    {
      level,
      base: null,
      mixin: traceFields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: '[secret]' },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  )
