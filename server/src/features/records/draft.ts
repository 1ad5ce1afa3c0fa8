import type { Operation } from '@noema/contracts/batch.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { RawBuilder } from 'kysely'
import type { JsonObject } from '../../shared/json.ts'
import { UndoMap } from '../../shared/undo.ts'
import type { Queryable } from '../../storage/database.ts'
import { loadHolders, SchemaDraft } from '../schema/schema.ts'
import { endVersions, insertVersions, type RecordVersion, selectNewestVersions, selectSlugHolders } from './queries.ts'

type Ending = { stateVersion: number; at: string; change: string }

/**
 * The records that a group of changes touches, as the group's transaction read them under the Brain's lock, and what the
 * changes make of them. Nothing here reaches the database until `end` and `insert`.
 */
export class RecordDraft {
  readonly schema: SchemaDraft
  readonly #newest = new UndoMap<string, RecordVersion>()
  readonly #slugs = new UndoMap<string, string | null>()
  readonly #made = new UndoMap<string, RecordVersion>()
  readonly #ended = new UndoMap<string, RecordVersion>()

  constructor(schema = new SchemaDraft()) {
    this.schema = schema
  }

  /** The newest version of a record, which has ended where the record was deleted. */
  newest(id: string): RecordVersion | undefined {
    return this.#newest.get(id)
  }

  /** The version of a record that is live. */
  current(id: string): RecordVersion | undefined {
    const newest = this.#newest.get(id)
    return newest?.toState === null ? newest : undefined
  }

  /** The id of the live record that holds a slug in a kind. */
  slugHolder(kind: string, slug: string): string | undefined {
    return this.#slugs.get(`${kind} ${slug}`) ?? undefined
  }

  /** Takes in a version that the database holds. */
  know(version: RecordVersion): void {
    this.#newest.set(version.id, version)
  }

  /** Takes in who holds a slug. */
  knowSlug(kind: string, slug: string, id: string): void {
    this.#slugs.set(`${kind} ${slug}`, id)
  }

  /** Makes a new current version and ends the one before. */
  put(record: BrainRecord, ending: Ending): RecordVersion {
    const before = this.current(record.id)
    if (before) this.end(before, ending, false)
    const version: RecordVersion = {
      id: record.id,
      version: record.version,
      kind: record.kind,
      slug: record.slug,
      fromState: record.stateVersion,
      toState: null,
      deleted: false,
      endedAt: null,
      endedChange: null,
      record,
    }
    this.#newest.set(record.id, version)
    this.#made.set(versionName(version), version)
    this.schema.put(before?.record, record)
    if (record.slug !== null) this.#slugs.set(`${record.kind} ${record.slug}`, record.id)
    return version
  }

  /** Ends a current version, by deletion or by the next one. */
  end(current: RecordVersion, ending: Ending, deleted: boolean): RecordVersion {
    const ended = {
      ...current,
      toState: ending.stateVersion,
      endedAt: ending.at,
      endedChange: ending.change,
      deleted,
    }
    this.#newest.set(current.id, ended)
    if (deleted) this.schema.end(current.record)
    if (current.slug !== null) this.#slugs.set(`${current.kind} ${current.slug}`, null)
    // One that this group made is inserted as ended; one that the database holds is updated.
    const shelf = this.#made.get(versionName(current)) ? this.#made : this.#ended
    shelf.set(versionName(current), ended)
    return ended
  }

  keep(): void {
    for (const map of this.#maps()) map.keep()
  }

  rollBack(): void {
    for (const map of this.#maps()) map.rollBack()
  }

  /** Whether anything that the database holds was ended. */
  get hasEnds(): boolean {
    return this.#ended.size > 0
  }

  /** Ends, in the database, the versions that are no longer current. Comes before the insert: one is current at a time. */
  async writeEnds(tx: Queryable, brainId: number): Promise<void> {
    const rows = [...this.#ended.values()]
    if (rows.length > 0) await endVersions(tx, brainId, rows)
  }

  /** The insert of the versions that were made, if any. */
  inserts(brainId: number): RawBuilder<unknown>[] {
    const rows = [...this.#made.values()]
    return rows.length > 0 ? [insertVersions(brainId, rows)] : []
  }

  #maps() {
    return [this.#newest, this.#slugs, this.#made, this.#ended]
  }
}

const versionName = ({ id, version }: { id: string; version: number }) => `${version} ${id}`

/**
 * Reads what these operations need of the Brain's records: the ones they name, and the holders of slugs and of values of
 * unique fields that they want.
 */
export const loadRecordDraft = async (
  tx: Queryable,
  brainId: number,
  operations: readonly Operation[],
  { ids, schema }: { ids: ReadonlySet<string>; schema: SchemaDraft },
): Promise<RecordDraft> => {
  const draft = new RecordDraft(schema)
  const contents: { fields?: JsonObject | undefined }[] = []
  const known = ids.size === 0 ? [] : await selectNewestVersions(tx, brainId, [...ids])
  for (const version of known) draft.know(version)
  const slugs = new Set<string>()
  for (const operation of operations) {
    if ('slug' in operation && operation.slug) slugs.add(operation.slug)
    // A record that changes its kind takes its slug and fields along, into a kind where another may hold them.
    const current = operation.op === 'record.patch' && operation.kind ? draft.current(operation.id) : undefined
    if (current?.slug) slugs.add(current.slug)
    if (current) contents.push(current.record)
    if ('fields' in operation) contents.push(operation)
  }
  if (slugs.size > 0) {
    const holders = await selectSlugHolders(tx, brainId, [...slugs])
    for (const { kind, slug, id } of holders) draft.knowSlug(kind, slug, id)
  }
  await loadHolders(tx, brainId, schema, contents)
  draft.keep()
  schema.keep()
  return draft
}
