import { AsyncLocalStorage } from 'node:async_hooks'
import { ApiError } from '../errors.ts'
import { newSpanId, type TraceContext } from './trace-context.ts'

// Spans of current work. Work for a request finds the request's span through its asynchronous context, so no function
// passes spans along. Without tracing there is no such context, and a span costs one lookup of it.

type SpanAttributes = Record<string, string | number | boolean>

/** A finished span, in no library's words. Times are milliseconds since 1970. */
export type SpanRecord = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  /** True if the parent belongs to another program, which called this one. */
  isParentRemote: boolean
  name: string
  kind: 'internal' | 'server' | 'client' | 'producer'
  startedAt: number
  endedAt: number
  error: string | undefined
  attributes: SpanAttributes
  /** Related spans that are not its parent. */
  links?: readonly TraceContext[]
  events?: readonly SpanEvent[]
}

/** An event at the end of a span. */
type SpanEvent = { name: string; attributes: SpanAttributes }

/** The description of a span. Its values are fixed words, numbers and ids from the service, never text from a caller. */
export type SpanAbout = {
  name: string
  kind?: SpanRecord['kind']
  attributes?: SpanAttributes
  links?: readonly TraceContext[]
}

/** A span under way. */
export type Span = {
  readonly context: TraceContext
  set(attributes: SpanAttributes): void
  /** Ends it. `error` is the kind of failure. */
  end(error?: string): void
}

/** The part of a trace below one span of this process, or below one of another process. */
type Part = {
  add(span: SpanRecord): void
  /** Converts the process's monotonic clock to the time of day. */
  offset: number
  /** The number of spans that it may still have. */
  left: number
  isOver: boolean
}
type PartSpan = { context: TraceContext; part: Part }

/** Spans of one request or one operation: an import runs thousands of statements. */
const maxSpans = 500

const active = new AsyncLocalStorage<PartSpan | undefined>()

/** True once anything was traced on this thread. While it is false, no code needs to ask for a span. */
export let isTracing = false

const now = ({ offset }: Part): number => offset + performance.now()

const findActive = (): PartSpan | undefined => {
  const found = active.getStore()
  // Work after the request was answered no longer belongs to it.
  return found && !found.part.isOver ? found : undefined
}

/** Returns the parent span of the current work. */
export const currentSpan = (): TraceContext | undefined => findActive()?.context

const maxErrorLength = 40

/** The kind of an error, without its text. */
const toErrorType = (error: unknown): string => {
  if (error instanceof ApiError) return error.code ?? error.kind
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^\w+$/.test(code) && code.length <= maxErrorLength ? code : '_OTHER'
}

type Beginning = {
  part: Part
  parent: TraceContext | undefined
  traceId: string
  isParentRemote?: boolean
  startedAt?: number
}

const begin = (beginning: Beginning, { name, kind = 'internal', attributes = {}, links = [] }: SpanAbout) => {
  const { part, parent, traceId, isParentRemote = false, startedAt = now(part) } = beginning
  const context: TraceContext = { traceId, spanId: newSpanId(), isSampled: true }
  const reported = { ...attributes }
  let hasEnded = false
  const span: Span = {
    context,
    set: (more) => void Object.assign(reported, more),
    end: (error) => {
      if (hasEnded) return
      hasEnded = true
      part.add({
        ...{ traceId, spanId: context.spanId, parentSpanId: parent?.spanId, isParentRemote },
        ...{ name, kind, startedAt, endedAt: now(part), error, links },
        attributes: error === undefined ? reported : { 'error.type': error, ...reported },
      })
    },
  }
  return { span, context, part }
}

const beginBelow = ({ context, part }: PartSpan, about: SpanAbout, startedAt?: number) => {
  if (part.left <= 0) return undefined
  part.left--
  const when = startedAt === undefined ? {} : { startedAt: part.offset + startedAt }
  return begin({ part, parent: context, traceId: context.traceId, ...when }, about)
}

const runWithin = async <Result>(
  begun: ReturnType<typeof begin>,
  task: (span: Span) => Promise<Result>,
): Promise<Result> => {
  try {
    const result = await active.run(begun, () => task(begun.span))
    begun.span.end()
    return result
  } catch (error) {
    begun.span.end(toErrorType(error))
    throw error
  }
}

/** Runs a task in a new span if its parent is traced. */
export const inSpan = <Result>(
  about: () => SpanAbout,
  task: (span: Span | undefined) => Promise<Result>,
): Promise<Result> => {
  const parent = findActive()
  const begun = parent && beginBelow(parent, about())
  return begun ? runWithin(begun, task) : task(undefined)
}

/** Does something that is part of nothing traced, such as work in the background that a request happens to begin. */
export const outsideSpans = <Result>(task: () => Result): Result =>
  active.getStore() === undefined ? task() : active.run(undefined, task)

/** The span of a caller that waits for shared work; undefined if it is not traced. */
export type Waiter = PartSpan | undefined

export const currentWaiter = (): Waiter => findActive()

/** Adds a span of finished work since this time of `performance.now()`. */
export const addSpanSince = (waiter: Waiter, about: () => SpanAbout, since: number): void =>
  void (waiter && beginBelow(waiter, about(), since)?.span.end())

/**
 * Runs shared work of many callers. Its span is below the first traced caller, with links to the others; each of those has
 * a span of the same time, with a link to the first.
 */
export const inSharedSpan = async <Result>(
  waiters: readonly Waiter[],
  about: () => SpanAbout,
  task: () => Promise<Result>,
): Promise<Result> => {
  const [first, ...others] = waiters.filter((waiter) => waiter !== undefined)
  if (!first) return outsideSpans(task)
  const links = others.map(({ context }) => context)
  const begun = beginBelow(first, { ...about(), links })
  if (!begun) return outsideSpans(task)
  const since = performance.now()
  try {
    return await runWithin(begun, task)
  } finally {
    for (const other of others) addSpanSince(other, () => ({ ...about(), links: [begun.context] }), since)
  }
}

/** The same without a span: the work is below the first traced caller. */
export const forWaiters = <Result>(waiters: readonly Waiter[], task: () => Promise<Result>): Promise<Result> => {
  const first = waiters.find((waiter) => waiter !== undefined)
  return first ? active.run(first, task) : outsideSpans(task)
}

/** The first span of a part of a trace. Spans below it end with it. */
export type PartRoot = Span & { run<Result>(task: () => Result): Result }

const openPart = (add: Part['add']): Part => {
  isTracing = true
  return { add, left: maxSpans, isOver: false, offset: Date.now() - performance.now() }
}

/** Starts a part of a trace with a span. `since` is its start by `performance.now()`. */
export const beginPart = (
  add: Part['add'],
  about: SpanAbout,
  { traceId, parent, since }: { traceId: string; parent?: TraceContext | undefined; since?: number },
): PartRoot => {
  const part = openPart(add)
  const when = since === undefined ? {} : { startedAt: part.offset + since }
  const begun = begin({ part, parent, traceId, isParentRemote: parent !== undefined, ...when }, about)
  return {
    ...begun.span,
    run: (task) => active.run(begun, task),
    end: (error) => {
      begun.span.end(error)
      part.isOver = true
    },
  }
}

/** Runs a task below a span that other code reports. */
export const goOnBelow = async <Result>(
  add: Part['add'],
  context: TraceContext,
  task: () => Promise<Result>,
): Promise<Result> => {
  const part = openPart(add)
  try {
    return await active.run({ context, part }, task)
  } finally {
    part.isOver = true
  }
}
