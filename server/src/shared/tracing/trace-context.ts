import { createHash, randomBytes } from 'node:crypto'

// Trace context by the W3C recommendation: callers send it as `traceparent`, so that the service's spans appear in the
// caller's own trace.

/** A trace, the span in it that caused what follows, and whether that trace is kept. */
export type TraceContext = { traceId: string; spanId: string; isSampled: boolean }

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses a `traceparent`; undefined if it is invalid, as if none had been sent. */
export const parseTraceparent = (text: string | null): TraceContext | undefined => {
  const [, version, traceId = '', spanId = '', flags = '', more] = pattern.exec(text ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Writes trace context as a `traceparent`. */
export const toTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')

const packedLength = 24

/** A trace that is kept, and a span of it, in the 24 bytes that rows have of them. */
export const packTrace = ({ traceId, spanId }: TraceContext): Buffer => Buffer.from(traceId + spanId, 'hex')

/** Unpacks a stored context; undefined if there is none or it cannot be read. */
export const unpackTrace = (bytes: Buffer | null): TraceContext | undefined => {
  if (bytes?.length !== packedLength) return undefined
  const text = bytes.toString('hex')
  return { traceId: text.slice(0, 32), spanId: text.slice(32), isSampled: true }
}

const hash = (text: string, digits: number): string => createHash('sha256').update(text).digest('hex').slice(0, digits)

/** Derives the span id of a run or an operation from its id, so that repeated reports describe one span. */
export const toSpanId = (id: string): string => hash(`span ${id}`, 16)

/** Returns the trace id of a run: that of its caller, or one of its own. */
export const findTrace = (run: { id: string; traceparent: string | null }): string =>
  parseTraceparent(run.traceparent)?.traceId ?? hash(`trace ${run.id}`, 32)

/** The `traceparent` of what an operation of a run causes, such as a run of another agent. */
export const traceparentUnder = (
  run: { id: string; traceparent: string | null },
  operationId: string,
  isSampled: boolean,
): string => toTraceparent({ traceId: findTrace(run), spanId: toSpanId(operationId), isSampled })
