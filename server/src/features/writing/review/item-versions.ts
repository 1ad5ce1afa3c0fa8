import type { Queryable } from '../../../storage/database.ts'
import type { LoadBudget } from '../../kernel/versioning/load-budget.ts'
import type { ContentType, Version } from '../../kernel/versioning/types.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import type { ChangeItem } from '../commit/change-store.ts'

/** A version of an item of this kind. */
export type Found = { type: ContentType; version: Version }

/** The versions that items of changes found and made. */
export class ItemVersions {
  readonly #versions = new Map<string, Found>()

  constructor(found: readonly Found[]) {
    for (const one of found) this.#versions.set(toName(one.type, one.version.id, one.version.version), one)
  }

  /** A version of an item's target; none where it has no number. */
  find({ target }: ChangeItem, number: number | null): Version | undefined {
    return number === null ? undefined : this.#versions.get(toName(target.type, target.id, number))?.version
  }

  all(): IterableIterator<Found> {
    return this.#versions.values()
  }
}

const toName = (type: string, id: string, number: number) => `${type} ${number} ${id}`

const listNumbered = (type: ContentType, items: readonly ChangeItem[]) =>
  items.flatMap(({ target, base, made }) =>
    target.type === type ? [base, made].flatMap((number) => (number === null ? [] : [{ id: target.id, number }])) : [],
  )

/** Reads the versions that these items found and made, but for those that are known. Throws where they exceed the budget. */
export const readItemVersions = async (
  db: Queryable,
  brainId: number,
  items: readonly ChangeItem[],
  { known = [], budget }: { known?: readonly Found[]; budget: LoadBudget },
): Promise<ItemVersions> => {
  const found = [...known]
  const names = new Set(known.map(({ type, version }) => toName(type, version.id, version.version)))
  for (const { type, table } of contentKinds) {
    const numbered = listNumbered(type, items).filter(({ id, number }) => !names.has(toName(type, id, number)))
    if (numbered.length === 0) continue
    for (const version of await table.selectNumbered(db, brainId, numbered, budget)) found.push({ type, version })
  }
  return new ItemVersions(found)
}

/** Reads what the first of these items found and made, as far as all of it is no longer than so many bytes. */
export const readFirstItemVersions = async (
  db: Queryable,
  brainId: number,
  items: readonly ChangeItem[],
  maxBytes: number,
): Promise<ItemVersions> => {
  const found: Found[] = []
  let left = maxBytes
  for (const { type, table } of contentKinds) {
    const versions = await table.selectFirstNumbered(db, brainId, listNumbered(type, items), left)
    for (const version of versions) found.push({ type, version })
    left -= versions.at(-1)?.total ?? 0
  }
  return new ItemVersions(found)
}
