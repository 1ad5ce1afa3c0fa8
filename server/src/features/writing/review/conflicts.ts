import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../shared/json.ts'
import type { ChangeItem } from '../commit/change-store.ts'
import type { ContentWrites } from '../commit/write-set.ts'

/** The fields and links that versions of records held, by record id and version: what patches are compared with. */
export type BaseVersions = ReadonlyMap<string, { kind: string; fields: JsonObject; links: unknown }>

export const baseName = (id: string, version: number | null): string => `${version ?? 0} ${id}`

const currentVersion = (content: ContentWrites, { target }: ChangeItem): number | null => {
  const { records, statements, documents, schema } = content
  if (target.type === 'schema') return schema.version
  if (target.type === 'record') return records.current(target.id)?.version ?? null
  if (target.type === 'document') return documents.current(target.id)?.version ?? null
  return statements.get(target.id)?.toState === null ? 1 : null
}

/** Whether what an item was proposed on is no longer what is there. */
export const isOutdated = (content: ContentWrites, item: ChangeItem): boolean =>
  currentVersion(content, item) !== item.base

/** Whether a patch touches only what nobody changed since: then it still means what it meant. */
const stillFits = (content: ContentWrites, { operation, target, base }: ChangeItem, bases: BaseVersions): boolean => {
  if (operation?.op !== 'record.patch') return false
  const now = content.records.current(target.id)?.record
  const then = bases.get(baseName(target.id, base))
  if (!now || !then || now.kind !== then.kind) return false
  if (operation.kind !== undefined || operation.slug !== undefined) return false
  const sameFields = Object.keys(operation.fields ?? {}).every((name) =>
    isDeepStrictEqual(now.fields[name], then.fields[name]),
  )
  return sameFields && (operation.links === undefined || isDeepStrictEqual(now.links, then.links))
}

/** The items whose base has moved in conflict: publishing them would overwrite what the reviewer has not seen. */
export const conflictsOf = (content: ContentWrites, items: readonly ChangeItem[], bases: BaseVersions): string[] =>
  items.filter((item) => isOutdated(content, item) && !stillFits(content, item, bases)).map(({ item }) => item)
