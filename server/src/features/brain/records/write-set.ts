import type { Operation } from '@noema/contracts/batch.ts'
import type { JsonObject } from '../../../shared/json.ts'
import { UndoMap } from '../../../shared/undo.ts'
import type { Queryable } from '../../../storage/database.ts'
import { loadHolders, SchemaWrites } from '../schema/schema.ts'
import { type Ending, VersionWrites } from '../versioning/version-writes.ts'
import { endRecords, insertVersions, type RecordVersion, selectNewestVersions, selectSlugHolders } from './queries.ts'

/** The records that a commit batch touches, what the changes make of them, and who holds which slug. */
export class RecordWrites extends VersionWrites<RecordVersion> {
  readonly schema: SchemaWrites
  readonly #slugs: UndoMap<string, string | null>

  constructor(schema = new SchemaWrites()) {
    super(schema.undo, { insert: insertVersions, end: endRecords })
    this.schema = schema
    this.#slugs = new UndoMap(schema.undo)
  }

  /** The id of the live record that holds a slug in a kind. */
  slugHolder(kind: string, slug: string): string | undefined {
    return this.#slugs.get(`${kind} ${slug}`) ?? undefined
  }

  /** Takes in who holds a slug. */
  knowSlug(kind: string, slug: string, id: string): void {
    this.#slugs.know(`${kind} ${slug}`, id)
  }

  override put(version: RecordVersion, ending: Ending): void {
    const before = this.current(version.id)
    super.put(version, ending)
    this.schema.put(before?.record, version.record)
    if (version.slug !== null) this.#slugs.set(`${version.kind} ${version.slug}`, version.id)
  }

  override end(current: RecordVersion, ending: Ending, as?: { deleted: true }): RecordVersion {
    if (as) this.schema.end(current.record)
    if (current.slug !== null) this.#slugs.set(`${current.kind} ${current.slug}`, null)
    return super.end(current, ending, as)
  }
}

/**
 * Reads what these operations need of the Brain's records: the ones they name, and the holders of slugs and of values of
 * unique fields that they want.
 */
export const loadRecordWrites = async (
  tx: Queryable,
  brainId: number,
  operations: readonly Operation[],
  { ids, schema }: { ids: ReadonlySet<string>; schema: SchemaWrites },
): Promise<RecordWrites> => {
  const writes = new RecordWrites(schema)
  const contents: { fields?: JsonObject | undefined }[] = []
  const known = ids.size === 0 ? [] : await selectNewestVersions(tx, brainId, [...ids])
  for (const version of known) writes.know(version)
  const slugs = new Set<string>()
  for (const operation of operations) {
    if ('slug' in operation && operation.slug) slugs.add(operation.slug)
    // A record that changes its kind takes its slug and fields along, into a kind where another may hold them.
    const current = operation.op === 'record.patch' && operation.kind ? writes.current(operation.id) : undefined
    if (current?.slug) slugs.add(current.slug)
    if (current) contents.push(current.record)
    if ('fields' in operation) contents.push(operation)
  }
  if (slugs.size > 0) {
    const holders = await selectSlugHolders(tx, brainId, [...slugs])
    for (const { kind, slug, id } of holders) writes.knowSlug(kind, slug, id)
  }
  await loadHolders(tx, brainId, schema, contents)
  return writes
}
