import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
} from '@langchain/langgraph-checkpoint'
import type { BrainClient } from '@noema/sdk'
import { NoemaError, NotFoundError } from '@noema/sdk/errors'
import { findCommonPrefix, selectNamespaces } from './namespaces.ts'
import { type Address, type StoredRecord, toItem, toItemId, toPut } from './store-records.ts'
import { listItems, searchItems } from './store-search.ts'

/** Options of a store. */
export type BrainStoreOptions = {
  /** The kind of the records; default `memory`. */
  kind?: string | undefined
  /** The most items that one search or list of namespaces reads; default 10,000. */
  maxRead?: number | undefined
}

/**
 * LangGraph's long-term memory in a Brain. Each item is a record; its id is made of its namespace and key, and it links to each
 * of its namespaces. A batch reads first, all at the state before it, and then writes all its items as one change. In a Brain
 * under review a `put` waits for a decision, and the item is there when it is approved. Rejects with an `ApiError`.
 */
export class BrainStore extends BaseStore {
  private readonly brain: BrainClient
  private readonly address: Address

  constructor(brain: BrainClient, { kind = 'memory', maxRead = 10_000 }: BrainStoreOptions = {}) {
    super()
    this.brain = brain
    this.address = { kind, maxRead }
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results = await Promise.all(operations.map((operation) => this.read(operation)))
    await this.write(operations.filter((operation): operation is PutOperation => 'value' in operation))
    // Each result is what its operation asks for, which the types of LangGraph cannot follow.
    return results as OperationResults<Op>
  }

  private async read(operation: Operation): Promise<unknown> {
    if ('namespacePrefix' in operation) return searchItems(this.brain, this.address, operation)
    if ('value' in operation) return undefined
    if ('key' in operation) return this.readOne(operation)
    return this.listAll(operation)
  }

  private async readOne({ namespace, key }: GetOperation): Promise<Item | null> {
    const record = await this.find(toItemId(this.address.kind, namespace, key))
    return record ? toItem(record) : null
  }

  private async find(id: string): Promise<StoredRecord | undefined> {
    try {
      return (await this.brain.records.get(id)).record
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      // Without the Brain itself this rejects: a memory must not seem to be empty.
      await this.brain.records.list({ kind: this.address.kind, limit: 1 })
      return undefined
    }
  }

  private async listAll(operation: ListNamespacesOperation): Promise<string[][]> {
    const namespaces = new Map<string, string[]>()
    for await (const { namespace } of listItems(this.brain, this.address, findCommonPrefix(operation)))
      namespaces.set(JSON.stringify(namespace), namespace)
    return selectNamespaces([...namespaces.values()], operation)
  }

  private async write(puts: readonly PutOperation[]): Promise<void> {
    const { kind } = this.address
    for (const { index } of puts)
      if (index === false) throw new NoemaError('A Brain makes every item searchable: leave out `index: false`.')
    // The last write of an item counts.
    const last = new Map(puts.map((put) => [toItemId(kind, put.namespace, put.key), put]))
    const kept = [...last].flatMap(([id, put]) =>
      put.value === null ? [] : [toPut(kind, id, { ...put, value: put.value })],
    )
    const gone = [...last].flatMap(([id, { value }]) => (value === null ? [id] : []))
    // To delete what was never there is no error in LangGraph; to delete what is gone already is none in Noema either.
    const present = await Promise.all(gone.map((id) => this.find(id)))
    const deletes = present.flatMap((record) => (record ? [{ op: 'record.delete' as const, id: record.id }] : []))
    if (kept.length + deletes.length > 0) await this.brain.batch({ operations: [...kept, ...deletes] })
  }
}
