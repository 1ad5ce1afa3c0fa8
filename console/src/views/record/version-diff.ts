import type { BrainRecord } from '@noema/contracts/records.ts'

// The differences between two versions of a record: kind, slug, fields, and links by predicate.

type Value = BrainRecord['fields'][string] | undefined

/** One difference. Undefined means that there is no value. */
export type Difference = { part: 'kind' | 'slug' | 'field' | 'link'; name: string; before: Value; after: Value }

const isSame = (a: Value, b: Value): boolean => a === b || toText(a) === toText(b)

// The order of an object's names has no meaning.
const toText = (value: Value): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? ''

const groupLinks = (links: BrainRecord['links']): Record<string, string[]> => {
  const groups: Record<string, string[]> = {}
  for (const { predicate, to } of links) groups[predicate] = [...(groups[predicate] ?? []), to].sort()
  return groups
}

const compare = (part: Difference['part'], before: Record<string, Value>, after: Record<string, Value>): Difference[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !isSame(before[name], after[name]))
    .map((name) => ({ part, name, before: before[name], after: after[name] }))

type Comparable = Pick<BrainRecord, 'kind' | 'slug' | 'fields' | 'links'>

const nothing: Comparable = { kind: '', slug: null, fields: {}, links: [] }

/** The differences between two versions; without an earlier one, all of the later version. */
export const diffVersions = (before: Comparable | undefined, after: Comparable): Difference[] => {
  const earlier = before ?? nothing
  return [
    ...(before ? compare('kind', { kind: before.kind }, { kind: after.kind }) : []),
    ...compare('slug', { slug: earlier.slug ?? undefined }, { slug: after.slug ?? undefined }),
    ...compare('field', earlier.fields, after.fields),
    ...compare('link', groupLinks(earlier.links), groupLinks(after.links)),
  ]
}
