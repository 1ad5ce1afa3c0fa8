import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../shared/text/json.ts'
import type { Db } from '../../../storage/database.ts'
import type { FoundContent } from '../../knowledge/content-text/content-text.ts'
import { type FilterName, metadataPrefix, packedValue, selectFilterValues } from './filter-queries.ts'

// The values of versions by which a search is filtered: their time, sources and metadata. They are read from the content itself when
// a search first asks for them, so they are right whichever release indexed the passages.

const passagesAtOnce = 20_000

/** A number for a text, the same as in the database; two texts share one as good as never. */
export const toHash = (text: string): number => createHash('sha256').update(text).digest().readUIntBE(0, 6)

/** One value of each version that has any, by the version's first passage. */
export class FilterColumn {
  /** The passage up to which the column is complete. */
  upTo = 0
  length = 0
  #firsts = new Uint32Array(0)
  #values = new Float64Array(0)

  /** About how much memory it takes, in bytes. */
  get size(): number {
    return this.#values.length * 12 + 200
  }

  /** Adds values that come next, packed by the database. */
  add(packed: Buffer): void {
    this.#reserve(this.length + packed.length / packedValue.bytes)
    for (let at = 0; at < packed.length; at += packedValue.bytes) {
      this.#firsts[this.length] = Number(packed.readBigInt64BE(at + packedValue.passage))
      this.#values[this.length++] = Number(packed.readBigInt64BE(at + packedValue.value))
    }
  }

  /** Visits the first passages, up to a last one, of the versions with a value that fits. */
  visitFirsts(isFitting: (value: number) => boolean, last: number, visit: (first: number) => void): void {
    for (let at = 0; at < this.length; at++) {
      const first = this.#firsts[at] ?? 0
      if (first > last) return
      if (isFitting(this.#values[at] ?? 0)) visit(first)
    }
  }

  #reserve(length: number): void {
    if (this.#values.length >= length) return
    const grown = Math.max(64, length, Math.ceil(this.#values.length * 1.5))
    const [firsts, values] = [new Uint32Array(grown), new Float64Array(grown)]
    firsts.set(this.#firsts)
    values.set(this.#values)
    this.#firsts = firsts
    this.#values = values
  }
}

/** Reads what a column lacks, up to a passage. */
export const refreshFilterColumn = async (
  db: Db,
  column: FilterColumn,
  { brainId, name, lastPassage }: { brainId: number; name: FilterName; lastPassage: number },
): Promise<void> => {
  while (column.upTo < lastPassage) {
    const upTo = Math.min(lastPassage, column.upTo + passagesAtOnce)
    column.add(await selectFilterValues(db, { brainId, name, after: column.upTo, upTo }))
    column.upTo = upTo
  }
}

const readProvenance = (item: FoundContent) => {
  if (item.type === 'document') return item.document.provenance
  return item.type === 'record' ? item.record.provenance : item.statement.provenance
}

/** When something happened, as far as its writer said so, or else when it was made. */
const readTime = (item: FoundContent): string => {
  if (item.type === 'document') return item.document.occurredAt ?? item.document.createdAt
  return item.type === 'record' ? item.record.createdAt : (item.statement.validFrom ?? item.statement.assertedAt)
}

const readSources = (item: FoundContent): string[] => {
  const named = item.type === 'document' ? item.document.source?.name : undefined
  const { source } = readProvenance(item)
  return [...(named === undefined ? [] : [named]), ...(source === undefined ? [] : [source])]
}

const readMetadata = (item: FoundContent, key: string): string[] => {
  const metadata: JsonObject = item.type === 'document' ? item.document.metadata : {}
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return (Array.isArray(value) ? value : [value]).flatMap((one) =>
    ['string', 'number', 'boolean'].includes(typeof one) ? [String(one)] : [],
  )
}

/** The values of one version, as the database packs them: for versions that are not indexed yet. */
export const readFilterValues = (item: FoundContent, name: FilterName): number[] => {
  if (name === 'time') return [Date.parse(readTime(item))]
  const texts = name === 'source' ? readSources(item) : readMetadata(item, name.slice(metadataPrefix.length))
  return texts.map(toHash)
}
