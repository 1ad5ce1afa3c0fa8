import {
  selectTracedOperations,
  selectTracedRun,
  type TracedOperation,
  type TracedRun,
} from '../../features/agents/runs/trace-queries.ts'
import type { RunsNews } from '../../features/agents/runs/types.ts'
import type { Log } from '../../shared/log.ts'
import { withTimeout } from '../../shared/timeout.ts'
import { findTrace, parseTraceparent } from '../../shared/tracing/trace-context.ts'
import type { Tracer } from '../../shared/tracing/tracer.ts'
import type { Db } from '../../storage/database.ts'
import { toOperationSpan, toRunSpan } from './to-spans.ts'

// Traces of runs for the operator's collector. Ended operations are queued after their commit; the journal is read and the spans
// are sent in the background, and late ones are dropped: a trace is a view of the journal, never a reason to wait.

/** Reads from the journal what spans are made of; undefined where the run is gone. */
type ReadTraced = (news: RunsNews) => Promise<{ run: TracedRun; operations: TracedOperation[] } | undefined>

export type RunSpans = {
  /** Notes what ended. Returns at once and never throws. */
  note(news: RunsNews): void
  /** Makes the queued spans, for two seconds at most. */
  close(): Promise<void>
}

/** The queue for reading has at most this many entries; one more is dropped. */
const maxNotes = 1_000
const closeMilliseconds = 2_000

type Options = { tracer: Tracer; hasContent: boolean; log: Log; read: ReadTraced }

/** True if the trace of a run is sampled: as its caller decided, or else by its own id. */
export const isKept = ({ isKept }: Tracer, run: { id: string; traceparent: string | null }): boolean =>
  parseTraceparent(run.traceparent)?.isSampled ?? isKept(findTrace(run))

/** Opens the traces of a node's runs. */
export const openRunSpans = ({ tracer, hasContent, log, read }: Options): RunSpans => {
  const notes: RunsNews[] = []
  let reading: Promise<void> | undefined
  const addSpans = async (news: RunsNews) => {
    const found = await read(news)
    if (!found || !isKept(tracer, found.run)) return
    const { run, operations } = found
    for (const operation of operations) {
      const span = toOperationSpan(run, operation, { hasContent })
      if (span) tracer.add(span)
    }
    if (news.isRunOver) tracer.add(toRunSpan(run, { hasContent }))
  }
  const readNotes = async () => {
    for (let next = notes.shift(); next; next = notes.shift()) {
      await addSpans(next).catch((error) => log.warn({ err: error }, 'spans of a run could not be made'))
    }
    reading = undefined
  }
  return {
    note: (news) => {
      if (notes.length >= maxNotes) return
      notes.push(news)
      reading ??= readNotes()
    },
    close: async () => {
      await withTimeout(reading ?? Promise.resolve(), closeMilliseconds)
    },
  }
}

/** Reads what spans are made of from the journal. */
export const createTraceReader =
  (db: Db, { hasContent }: { hasContent: boolean }): ReadTraced =>
  async (news) => {
    const run = await selectTracedRun(db, news)
    return run && { run, operations: await selectTracedOperations(db, news, { hasContent }) }
  }
