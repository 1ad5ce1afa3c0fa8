// The content of an item has parts: a record's kind, slug, fields and links. What must be thought of for each is said once,
// in a table with an entry for every name that the contract has. Whatever writes, takes back, compares, exports or finds
// content walks that table, so a name that is added to the contract is an error until its entry is there, and no more.

/** What must be thought of for a part of any kind's content. Undefined is what was left out. */
export type ContentPart<Kept, Sent, Given = Sent> = {
  /** What is kept of what was sent. */
  keep: (sent: Sent) => Kept
  /** Puts ids in place of references to earlier results of a batch; a part without it holds none. */
  resolve?: (given: Given, toId: ToId) => Given
}

/** Tells the id that a reference stands for. */
export type ToId = (reference: string) => string

/** A table of the parts that are kept as `Kept` and sent as `Sent`. */
export type ContentParts<Kept, Sent> = {
  readonly [Name in keyof Kept & keyof Sent]: ContentPart<Kept[Name], Sent[Name]>
}

/** The content that is kept of what was sent. Names without a value are left out, as they are of JSON. */
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

/** Content or a patch with ids in place of references. */
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
