import { isDeepStrictEqual } from 'node:util'

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
export type JsonObject = { [name: string]: Json }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Writes JSON text with a fixed order of names, so that equal values have equal text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, item: unknown) =>
    item === null || typeof item !== 'object' || Array.isArray(item)
      ? item
      : Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))),
  )

/**
 * JSON Merge Patch (RFC 7396): objects merge, null removes, anything else replaces. Unchanged parts stay the same value, so that
 * comparing references finds the changes.
 */
export const mergePatch = (target: Json | undefined, patch: Json): Json => {
  if (!isJsonObject(patch)) return target !== undefined && isDeepStrictEqual(target, patch) ? target : patch
  const kept = isJsonObject(target) ? target : {}
  let merged = kept
  const change = (): JsonObject => {
    if (merged === kept) merged = { ...kept }
    return merged
  }
  for (const [name, value] of Object.entries(patch)) {
    const before = Object.hasOwn(kept, name) ? kept[name] : undefined
    const after = value === null ? undefined : mergePatch(before, value)
    if (after === before) continue
    if (after === undefined) delete change()[name]
    else change()[name] = after
  }
  return merged
}
