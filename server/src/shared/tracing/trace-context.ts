import { createHash, randomBytes } from 'node:crypto'

// Trace context as the W3C's recommendation has it: what a caller sends as `traceparent`, so that what the service did
// stands in the caller's own trace.

/** A trace, the span in it that caused what follows, and whether that trace is kept. */
export type TraceContext = { traceId: string; spanId: string; isSampled: boolean }

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** What a `traceparent` says; undefined where it is none: a wrong one counts as one that was not sent. */
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

/** What was packed; undefined where there is nothing, or nothing that can be read. */
export const unpackTrace = (bytes: Buffer | null): TraceContext | undefined => {
  if (bytes?.length !== packedLength) return undefined
  const text = bytes.toString('hex')
  return { traceId: text.slice(0, 32), spanId: text.slice(32), isSampled: true }
}

const hash = (text: string, digits: number): string => createHash('sha256').update(text).digest('hex').slice(0, digits)

/** The id of the span of a run or an operation. It follows from the id: whoever tells of it, and how often, it is one span. */
export const toSpanId = (id: string): string => hash(`span ${id}`, 16)

/** The id of the trace that a run stands in: that of its caller where it has one, else one of its own. */
export const findTrace = (run: { id: string; traceparent: string | null }): string =>
  parseTraceparent(run.traceparent)?.traceId ?? hash(`trace ${run.id}`, 32)

/** The `traceparent` of what an operation of a run causes, such as a run of another agent. */
export const traceparentUnder = (
  run: { id: string; traceparent: string | null },
  operationId: string,
  isSampled: boolean,
): string => toTraceparent({ traceId: findTrace(run), spanId: toSpanId(operationId), isSampled })
