import type { BrainClient } from './client.ts'
import { NoemaError } from './errors.ts'

// The messages of one conversation in a Brain, for the memories of frameworks. Each message is a record that links to the
// conversation, so two processes can add to one conversation at once, and a list reads only its messages.

/** The address of a log. */
export type MessageLogOptions = {
  /** The id of the conversation: at most 160 characters. */
  id: string
  /** The kind of the records; default `message`. */
  kind?: string | undefined
}

type CallOptions = { signal?: AbortSignal | undefined }

/** The messages of one conversation: any JSON objects, in the order in which they were added. */
export type MessageLog = {
  /**
   * Adds messages, all or none where there are at most 1,000. A repeat with the same idempotency key adds nothing. Throws a
   * `NoemaError` if the Brain reviews writes: a conversation cannot wait for a decision.
   */
  append: (
    messages: readonly object[],
    options?: CallOptions & { idempotencyKey?: string | undefined },
  ) => Promise<void>
  /** All messages, or the newest `limit`, the oldest first. */
  list: (options?: CallOptions & { limit?: number | undefined }) => Promise<unknown[]>
  /** Removes the newest message and gives it; undefined if there is none. Two callers at once get different messages. */
  pop: (options?: CallOptions) => Promise<unknown>
  /** Removes every message. */
  clear: (options?: CallOptions) => Promise<void>
}

/** The limits of a batch and of a page. */
const maxOperations = 1_000
const maxPage = 500

/** Others may remove the same message at the same time. */
const maxAttempts = 20

const predicate = 'in'

const requireApplied = ({ outcome, change }: { outcome: string; change: { id: string } }): void => {
  if (outcome === 'landed') return
  throw new NoemaError(
    `This Brain reviews writes: change ${change.id} waits for a decision, and the conversation does not have it. Keep conversations in a Brain whose mode is direct.`,
  )
}

type Stored = Awaited<ReturnType<BrainClient['records']['get']>>['record']

// Ids of several nodes follow their clocks. Each message keeps its first version, so its state is the order of the commits.
const inOrder = (records: readonly Stored[]): Stored[] =>
  [...records].sort((one, other) => one.stateVersion - other.stateVersion || (one.id < other.id ? -1 : 1))

const chunk = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

const makeList =
  (brain: BrainClient, { kind, conversation }: Address) =>
  async (options: CallOptions & { limit?: number | undefined } = {}): Promise<Stored[]> => {
    const { limit = Number.POSITIVE_INFINITY, signal } = options
    if (limit <= 0) return []
    const query = { kind, linksTo: conversation, predicate, order: 'desc', limit: Math.min(limit, maxPage) } as const
    const newest: Stored[] = []
    for await (const record of brain.records.list(query, { signal })) {
      newest.push(record)
      if (newest.length >= limit) break
    }
    return inOrder(newest)
  }

type Address = { kind: string; conversation: string }

/** Opens the log of a conversation. Sends nothing. */
export const openMessageLog = (brain: BrainClient, { id, kind = 'message' }: MessageLogOptions): MessageLog => {
  const conversation = `${kind}:${id}`
  const listRecords = makeList(brain, { kind, conversation })
  const toOperation = (message: object) => ({
    op: 'record.create' as const,
    kind,
    fields: { conversation: id, message: toJson(message) },
    links: [{ predicate, to: conversation }],
  })
  const append: MessageLog['append'] = async (messages, { idempotencyKey, signal } = {}) => {
    for (const [index, part] of chunk(messages, maxOperations).entries()) {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey: `${idempotencyKey}:${index}` }
      requireApplied(await brain.batch({ operations: part.map(toOperation) }, { signal, ...key }))
    }
  }
  /** True if this call removed some of them. To delete what others have deleted is no error and no change. */
  const remove = async (records: readonly Stored[], signal: AbortSignal | undefined): Promise<boolean> => {
    const operations = records.map(({ id }) => ({ op: 'record.delete' as const, id }))
    const written = await brain.batch({ operations }, { signal })
    requireApplied(written)
    return written.results.some(({ changed }) => changed)
  }
  return {
    append,
    list: async (options) => (await listRecords(options)).map(({ fields }) => fields.message),
    pop: async ({ signal } = {}) => {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const [newest] = await listRecords({ limit: 1, signal })
        if (!newest) return undefined
        if (await remove([newest], signal)) return newest.fields.message
      }
      throw new NoemaError('Others keep removing messages of this conversation. Try again.')
    },
    clear: async ({ signal } = {}) => {
      for (;;) {
        const records = await listRecords({ limit: maxOperations, signal })
        if (records.length === 0) return
        await remove(records, signal)
      }
    },
  }
}

/** A message as JSON has it: without undefined values, and with what `toJSON` gives. */
const toJson = (message: object) => JSON.parse(JSON.stringify(message))
