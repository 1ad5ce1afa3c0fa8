// The content of an item has parts: a record's kind, slug, fields and links. A table with an entry for every name of the
// contract declares how each part is treated. Code that writes, reverts, compares, exports or finds content walks that
// table, so a new name in the contract is a compile error until its entry exists, and nothing else is needed.

/** The treatment of a part of any kind's content. Undefined means that the part was left out. */
export type ContentPart<Kept, Sent, Given = Sent> = {
  /** Returns the stored form of the input. */
  keep: (sent: Sent) => Kept
  /** Replaces references to earlier results of a batch by ids; a part without it contains none. */
  resolve?: (given: Given, toId: ToId) => Given
}

/** Returns the id of a reference. */
export type ToId = (reference: string) => string

/** A table of the parts that are kept as `Kept` and sent as `Sent`. */
export type ContentParts<Kept, Sent> = {
  readonly [Name in keyof Kept & keyof Sent]: ContentPart<Kept[Name], Sent[Name]>
}

/** Returns the stored form of sent content. Names without a value are left out, as in JSON. */
export const keepContent = <Kept, Sent>(
  parts: { readonly [Name in keyof Kept & keyof Sent]: Pick<ContentPart<Kept[Name], Sent[Name]>, 'keep'> },
  sent: Sent,
): Kept => {
  const kept: Partial<Kept> = {}
  for (const name of Object.keys(parts) as (keyof Kept & keyof Sent)[]) {
    const value = parts[name].keep(sent[name])
    if (value !== undefined) kept[name] = value
  }
  return kept as Kept
}

/** Content as it would be sent to be kept like this: what holds nothing is left out. */
export const sendContent = <Sent extends object>(
  names: readonly (keyof Sent)[],
  kept: { [Name in keyof Sent]?: unknown },
): Sent => Object.fromEntries(names.flatMap((name) => (kept[name] == null ? [] : [[name, kept[name]]]))) as Sent

/** Replaces references by ids in content or a patch. */
export const resolveContent = <Given extends object>(
  parts: { readonly [name: string]: { resolve?: (given: never, toId: ToId) => unknown } },
  given: Given,
  toId: ToId,
): Given => {
  const resolved: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const resolve = value === undefined ? undefined : parts[name]?.resolve
    resolved[name] = resolve ? resolve(value as never, toId) : value
  }
  return resolved as Given
}
