import { LRUCache } from 'lru-cache'
import type { Extracted } from './process-messages.ts'

// Texts that were extracted a moment ago, in the memory of this node, so that reading a file part by part extracts it once. Each
// caller looks the file up before: a text that is kept gives access to nothing.

const keptMilliseconds = 300_000
/** An organization takes at most one of so many shares, so that others keep their texts. */
const shares = 4
const minShareBytes = 16 * 1024 * 1024
/** The bytes of an entry in addition to those of its text. */
const entryBytes = 500

type FileVersion = { organizationId: string; id: string; version: number }
type Kept = Extracted & { organizationId: string }

export type RecentTexts = {
  find(file: FileVersion): Extracted | undefined
  keep(file: FileVersion, extracted: Extracted): void
}

type Options = {
  /** The most characters of a text; a share has room for one. */
  maxCharacters: number
  /** The clock by which texts expire; the process's monotonic clock by default. */
  perf?: { now(): number }
}

const toKey = ({ organizationId, id, version }: FileVersion): string => `${organizationId} ${id} ${version}`

/** A string takes two bytes a character at most. */
const countBytes = ({ text, title = '' }: Extracted): number => entryBytes + 2 * (text.length + title.length)

/** Creates the texts of a node. The version of a file never changes, so a text never goes stale. */
export const createRecentTexts = ({ maxCharacters, perf }: Options): RecentTexts => {
  const maxShare = Math.max(minShareBytes, 2 * entryBytes + 2 * maxCharacters)
  const texts = new LRUCache<string, Kept>({
    ...{ maxSize: shares * maxShare, sizeCalculation: countBytes },
    ...{ ttl: keptMilliseconds, ttlResolution: 0, ttlAutopurge: true, updateAgeOnGet: true, ...(perf && { perf }) },
  })
  /** Drops the texts of an organization that it used longest ago, until it has so many bytes. */
  const shrink = (organizationId: string, maxBytes: number): void => {
    let bytes = 0
    for (const [key, kept] of [...texts.entries()]) {
      if (kept.organizationId !== organizationId) continue
      bytes += countBytes(kept)
      if (bytes > maxBytes) texts.delete(key)
    }
  }
  return {
    find: (file) => texts.get(toKey(file)),
    keep: (file, { text, title }) => {
      const { organizationId } = file
      const kept = { text, title, organizationId }
      const bytes = countBytes(kept)
      if (bytes > maxShare) return
      shrink(organizationId, maxShare - bytes)
      texts.set(toKey(file), kept)
    },
  }
}
