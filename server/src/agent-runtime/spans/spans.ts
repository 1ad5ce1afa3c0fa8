import type { Log } from '../../shared/log.ts'
import { withTimeout } from '../../shared/timeout.ts'
import { parseTraceparent } from '../../shared/trace-context.ts'
import { openSpanExport } from './span-exporter.ts'
import { type TracedOperation, type TracedRun, toOperationSpan, toRunSpan } from './to-spans.ts'

// Traces of runs for the operator's collector. What ended is noted after its commit; the journal is read and the spans are
// sent in the background, and what cannot be sent in time is dropped: a trace is a view of the journal, never a reason to wait.

/** Operations of a run that ended, by id, and whether the run itself did. */
export type Ended = { organizationId: string; runId: string; operationIds: readonly string[]; isRunOver: boolean }

/** Reads from the journal what spans are made of; undefined where the run is gone. */
export type ReadTraced = (ended: Ended) => Promise<{ run: TracedRun; operations: TracedOperation[] } | undefined>

export type RunSpans = {
  /** Notes what ended. Returns at once and never throws. */
  note(ended: Ended): void
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
  const notes: Ended[] = []
  let reading: Promise<void> | undefined
  const addSpans = async (ended: Ended) => {
    const found = await read(ended)
    // A caller whose trace is not kept does not want ours in it either.
    if (!found || parseTraceparent(found.run.traceparent)?.isSampled === false) return
    const { run, operations } = found
    for (const operation of operations) {
      const span = toOperationSpan(run, operation, { hasContent })
      if (span) sent.add(span)
    }
    if (ended.isRunOver) sent.add(toRunSpan(run))
  }
  const readNotes = async () => {
    for (let next = notes.shift(); next; next = notes.shift()) {
      await addSpans(next).catch((error) => log.warn({ err: error }, 'spans of a run could not be made'))
    }
    reading = undefined
  }
  return {
    note: (ended) => {
      if (notes.length >= maxNotes) return
      notes.push(ended)
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
