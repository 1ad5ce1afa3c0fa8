import { AsyncLocalStorage } from 'node:async_hooks'
import { ApiError } from '../errors.ts'
import { newSpanId, type TraceContext } from './trace-context.ts'

// Spans of what is under way. What is done for a request knows the request's span by its asynchronous context, so nobody passes
// spans along. Where nothing is traced there is no such context, and a span costs one look at it.

type SpanAttributes = Record<string, string | number | boolean>

/** A finished span, in no library's words. Times are milliseconds since 1970. */
export type SpanRecord = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  /** Whether the parent is of another program, which called this one. */
  isParentRemote: boolean
  name: string
  kind: 'internal' | 'server' | 'client' | 'producer'
  startedAt: number
  endedAt: number
  error: string | undefined
  attributes: SpanAttributes
  /** Spans that it has to do with and does not stand below. */
  links?: readonly TraceContext[]
}

/** What a span is of. Its values are fixed words, numbers and ids that the service made: never what somebody wrote. */
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
  /** Ends it. `error` is the kind of what went wrong. */
  end(error?: string): void
}

/** The part of a trace that stands below one span of this process, or below one of another. */
type Part = {
  add(span: SpanRecord): void
  /** What makes the process's steady clock the time of day. */
  offset: number
  /** How many spans it may still have. */
  left: number
  isOver: boolean
}
type PartSpan = { context: TraceContext; part: Part }

/** Spans of one request or one operation: an import runs thousands of statements. */
const maxSpans = 500

const active = new AsyncLocalStorage<PartSpan | undefined>()

/** Whether anything was traced on this thread. While it is false, nothing that would make a span needs to ask for one. */
export let isTracing = false

const now = ({ offset }: Part): number => offset + performance.now()

const findActive = (): PartSpan | undefined => {
  const found = active.getStore()
  // What goes on after its request was answered is no part of it any more.
  return found && !found.part.isOver ? found : undefined
}

/** The span that what is done now stands below. */
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
  const told = { ...attributes }
  let hasEnded = false
  const span: Span = {
    context,
    set: (more) => void Object.assign(told, more),
    end: (error) => {
      if (hasEnded) return
      hasEnded = true
      part.add({
        ...{ traceId, spanId: context.spanId, parentSpanId: parent?.spanId, isParentRemote },
        ...{ name, kind, startedAt, endedAt: now(part), error, links },
        attributes: error === undefined ? told : { 'error.type': error, ...told },
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

/** Does something in a span of its own, where what it is part of is traced. */
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

/** Where somebody waits for what others do for many at once; undefined where they are not traced. */
export type Waiter = PartSpan | undefined

export const currentWaiter = (): Waiter => findActive()

/** Adds a span of what is over: of the time since then, as `performance.now()` told it. */
export const addSpanSince = (waiter: Waiter, about: () => SpanAbout, since: number): void =>
  void (waiter && beginBelow(waiter, about(), since)?.span.end())

/**
 * Does something for many at once. It stands below the first who is traced, with links to the others'; each of those has a span
 * of the same time, with a link to the first.
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

/** The same without a span: what is done stands below the first who is traced. */
export const forWaiters = <Result>(waiters: readonly Waiter[], task: () => Promise<Result>): Promise<Result> => {
  const first = waiters.find((waiter) => waiter !== undefined)
  return first ? active.run(first, task) : outsideSpans(task)
}

/** A span with which a part of a trace begins. What is done below it ends with it. */
export type PartRoot = Span & { run<Result>(task: () => Result): Result }

const openPart = (add: Part['add']): Part => {
  isTracing = true
  return { add, left: maxSpans, isOver: false, offset: Date.now() - performance.now() }
}

/** Begins a part of a trace with a span. `since` is when it began, as `performance.now()` told it. */
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

/** Does something below a span of which somebody else tells. */
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
