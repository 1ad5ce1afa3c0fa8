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

/** JSON Merge Patch (RFC 7396): objects merge, null removes, anything else replaces. */
export const mergePatch = (target: Json | undefined, patch: Json): Json => {
  if (!isJsonObject(patch)) return patch
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}
