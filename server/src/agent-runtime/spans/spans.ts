import {
  selectTracedOperations,
  selectTracedRun,
  type TracedOperation,
  type TracedRun,
} from '../../features/agents/runs/runs.ts'
import type { RunsNews } from '../../features/agents/runs/types.ts'
import type { Log } from '../../shared/log.ts'
import { withTimeout } from '../../shared/timeout.ts'
import { parseTraceparent } from '../../shared/trace-context.ts'
import type { Db } from '../../storage/database.ts'
import { openSpanExport } from './span-exporter.ts'
import { toOperationSpan, toRunSpan } from './to-spans.ts'

// Traces of runs for the operator's collector. What ended is noted after its commit; the journal is read and the spans are
// sent in the background, and what cannot be sent in time is dropped: a trace is a view of the journal, never a reason to wait.

/** Reads from the journal what spans are made of; undefined where the run is gone. */
type ReadTraced = (news: RunsNews) => Promise<{ run: TracedRun; operations: TracedOperation[] } | undefined>

export type RunSpans = {
  /** Notes what ended. Returns at once and never throws. */
  note(news: RunsNews): void
  /** Sends what is waiting, for two seconds at most. */
  close(): Promise<void>
}

/** How many notes may wait to be read; one more is dropped. */
const maxNotes = 1_000
const closeMilliseconds = 2_000

type Options = { url: string; hasContent: boolean; log: Log; read: ReadTraced }

/** Opens the traces of a node's runs. */
export const openRunSpans = async ({ url, hasContent, log, read }: Options): Promise<RunSpans> => {
  const sent = await openSpanExport(url, log, { hasContent })
  const notes: RunsNews[] = []
  let reading: Promise<void> | undefined
  const addSpans = async (news: RunsNews) => {
    const found = await read(news)
    // A caller whose trace is not kept does not want ours in it either.
    if (!found || parseTraceparent(found.run.traceparent)?.isSampled === false) return
    const { run, operations } = found
    for (const operation of operations) {
      const span = toOperationSpan(run, operation, { hasContent })
      if (span) sent.add(span)
    }
    if (news.isRunOver) sent.add(toRunSpan(run))
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
      const rest = async () => {
        await reading
        await sent.close()
      }
      await withTimeout(rest(), closeMilliseconds)
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
