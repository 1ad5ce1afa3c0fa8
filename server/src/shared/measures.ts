// The metrics of a node. Code reports durations and amounts; without a listener for metrics they are dropped at once.

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Measured = {
  help: string
  labels: readonly string[]
  /** The upper bounds of a histogram; a counter has none. */
  buckets?: readonly number[]
  /** True if a bucket shows the trace of its last value. */
  showsTraces?: boolean
}

/** All that is measured, by its name in the metrics. */
export const measured = {
  noema_http_request_seconds: {
    help: 'Time from a request to its answer, by the path of its endpoint and the first digit of its status. Event streams count to their end.',
    labels: ['method', 'path', 'status'],
    buckets: seconds,
    showsTraces: true,
  },
  noema_forwarded_requests_total: {
    help: 'Requests to change a Brain that this node sent to another one. outcome: answered, repeated here (the other stopped, and the request has an Idempotency-Key), lost (the other stopped; the caller got 503).',
    labels: ['outcome'],
  },
  noema_commit_requests: {
    help: 'Writes that were committed together.',
    labels: [],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  },
  noema_commit_wait_seconds: {
    help: 'Time that the first write of a commit waited for its turn on the Brain.',
    labels: [],
    buckets: seconds,
  },
  noema_commit_seconds: {
    help: 'Time of a commit, with the wait for a Brain that another node or task is changing.',
    labels: [],
    buckets: seconds,
  },
  noema_search_seconds: {
    help: 'Time of a stage of search: open (words, and what the query means), nearest (by meaning), read (what is live), rerank, receipt.',
    labels: ['stage'],
    buckets: seconds,
  },
  noema_replica_reads_total: {
    help: 'Reads of Brains where replicas are set up, by what is read. outcome: replica (read there); else the primary was read, because the replica was behind, failed, or all were away.',
    labels: ['read', 'outcome'],
  },
  noema_webhook_call_seconds: {
    help: 'Time of a call to a webhook. outcome: delivered, refused (another status than 2xx), failed (no answer), postponed (not sent yet).',
    labels: ['outcome'],
    buckets: seconds,
  },
  noema_runs_ended_total: { help: 'Runs that ended on this node, by their state.', labels: ['state'] },
  noema_model_tokens_total: {
    help: 'Tokens of the calls of models by runs on this node. kind: input or output.',
    labels: ['kind'],
  },
  noema_trace_spans_total: {
    help: 'Spans of traces. outcome: sent, failed (the collector did not take them), dropped (too many waited).',
    labels: ['outcome'],
  },
  noema_model_cost_usd_total: { help: 'Cost of the calls of models by runs on this node, where known.', labels: [] },
} as const satisfies Record<string, Measured>

type MeasureName = keyof typeof measured
type Labels<Name extends MeasureName> = Record<(typeof measured)[Name]['labels'][number], string>

type Listener = (name: MeasureName, value: number, labels: Readonly<Record<string, string>>, trace?: string) => void

export type Measures = {
  /** Reports a value: seconds or a number for a histogram, an increment for a counter; and the id of its trace. */
  report<Name extends MeasureName>(name: Name, value: number, labels: Labels<Name>, trace?: string): void
  /** Reports the seconds that a task takes, even if it fails. */
  time<Name extends MeasureName, Result>(name: Name, labels: Labels<Name>, task: () => Promise<Result>): Promise<Result>
  /** Sends all later reports. */
  listen(listener: Listener): void
}

export const createMeasures = (): Measures => {
  const listeners: Listener[] = []
  const report: Measures['report'] = (name, value, labels, trace) => {
    for (const listener of listeners) listener(name, value, labels, trace)
  }
  return {
    report,
    time: async (name, labels, task) => {
      const since = performance.now()
      try {
        return await task()
      } finally {
        report(name, (performance.now() - since) / 1_000, labels)
      }
    },
    listen: (listener) => void listeners.push(listener),
  }
}
