import type { Operation } from '@noema/contracts/batch.ts'
import type { Provenance } from '@noema/contracts/common.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import { type JsonObject, mergePatch } from '../../../shared/text/json.ts'
import type { CompiledKind } from '../../knowledge/kinds/kinds.ts'
import { sendRecord } from '../../knowledge/record-parts/record-parts.ts'
import { sendStatement } from '../../knowledge/statements/content.ts'
import { toIdentity } from '../../knowledge/statements/identity.ts'

// A merge as operations on the items that it moves, so that reviewing, reverting and exporting need nothing of their own for it.

/** Whose value of a field stays. */
export type Keep = Readonly<Record<string, 'into' | 'from'>>

/** A record with the number of its version. */
type Merged = { version: number; content: BrainRecord }

type Moved = { id: string; content: Omit<Statement, 'version' | 'retractedAt' | 'retraction'> }

type Links = BrainRecord['links']

/** Links to the merged record lead to the one that remains, each once. */
const redirect = (links: Links, from: string, into: string): Links => {
  const redirected = links.map(({ predicate, to }) => ({ predicate, to: to === from ? into : to }))
  return [...new Map(redirected.map((link) => [JSON.stringify([link.predicate, link.to]), link])).values()]
}

/** The links of a record by another one: those of the predicates that have a link to the merged record. */
export const planLinks = (linking: readonly Merged[], from: string, into: string): Operation[] =>
  linking.map(({ version, content: { id, links } }) => {
    const predicates = new Set(links.filter(({ to }) => to === from).map(({ predicate }) => predicate))
    const changed = links.filter(({ predicate }) => predicates.has(predicate))
    return { op: 'record.patch', id, ifMatch: version, links: redirect(changed, from, into) }
  })

/** The fields of both records. Own names win, but for those that are to be kept from the other one. */
const mergeFields = (into: JsonObject, from: JsonObject, keep: Keep): JsonObject => {
  const merged: JsonObject = { ...from, ...into }
  for (const [name, whose] of Object.entries(keep)) {
    const value = whose === 'from' ? from[name] : into[name]
    if (value === undefined) delete merged[name]
    else merged[name] = value
  }
  return merged
}

/** The links of both records, without those between them. By a predicate that allows one link, the one of the record that remains. */
const mergeLinks = (into: BrainRecord, from: BrainRecord, kind: CompiledKind | undefined): Links => {
  const own = into.links.filter(({ to }) => to !== from.id)
  const held = new Set(own.map(({ predicate }) => predicate))
  const added = from.links.filter(({ predicate, to }) => {
    const isSingle = kind?.links.get(predicate)?.many === false
    return to !== into.id && to !== from.id && !(isSingle && held.has(predicate))
  })
  return [...new Map([...own, ...added].map((link) => [JSON.stringify([link.predicate, link.to]), link])).values()]
}

/** The fields that differ, if a merge patch gives exactly these. */
const toFieldPatch = (before: JsonObject, after: JsonObject): JsonObject | undefined => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const patch = Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
  return JSON.stringify(mergePatch(before, patch)) === JSON.stringify(after) ? patch : undefined
}

const toLinkPatch = (before: Links, after: Links) => {
  const toText = (links: Links, predicate: string) =>
    JSON.stringify(links.filter((link) => link.predicate === predicate).map(({ to }) => to))
  const predicates = new Set([...before, ...after].map(({ predicate }) => predicate))
  return [...predicates]
    .filter((predicate) => toText(before, predicate) !== toText(after, predicate))
    .flatMap((predicate): { predicate: string; to: string | null }[] => {
      const links = after.filter((link) => link.predicate === predicate)
      return links.length > 0 ? links : [{ predicate, to: null }]
    })
}

/** The write that gives the record that remains what the other one had; none if it has all of it. */
export const planSurvivor = (
  into: Merged,
  { content: from }: Merged,
  { keep, kind }: { keep: Keep; kind: CompiledKind | undefined },
): Operation[] => {
  const { id, fields, links, slug } = into.content
  const merged = { ...into.content, fields: mergeFields(fields, from.fields, keep) }
  Object.assign(merged, { slug: slug ?? from.slug, links: mergeLinks(into.content, from, kind) })
  const patch = toFieldPatch(fields, merged.fields)
  if (!patch) return [{ op: 'record.put', id, ifMatch: into.version, ...sendRecord(merged) }]
  const linkPatch = toLinkPatch(links, merged.links)
  const changed = {
    ...(Object.keys(patch).length > 0 ? { fields: patch } : {}),
    ...(linkPatch.length > 0 ? { links: linkPatch } : {}),
    ...(slug === null && from.slug !== null ? { slug: from.slug } : {}),
  }
  return Object.keys(changed).length > 0 ? [{ op: 'record.patch', id, ifMatch: into.version, ...changed }] : []
}

/** The origin of a statement that moves. Only people say what is trusted, and a statement about another record is another one. */
const toOrigin = ({ source, receipt, trust }: Provenance, mayTrust: boolean) => {
  const kept = trust === 'unverified' || mayTrust ? trust : undefined
  const origin = { ...(source && { source }), ...(receipt && { receipt }), ...(kept && { trust: kept }) }
  return Object.keys(origin).length > 0 ? { provenance: origin } : {}
}

type Assertion = Extract<Operation, { op: 'statement.assert' }>

/** A statement with the record that remains in place of the other; undefined if it would be one of that record with itself. */
const moveStatement = ({ content }: Moved, { from, into, mayTrust }: Move): Assertion | undefined => {
  const { object, subject } = content
  const isAbout = (id: string | undefined) => id === from || id === into.id
  if (isAbout(subject.id) && 'record' in object && isAbout(object.record.id)) return undefined
  const moved = {
    ...sendStatement(content),
    subject: subject.id === from ? into : subject,
    object: 'record' in object && object.record.id === from ? { record: into } : object,
  }
  return { op: 'statement.assert', ...moved, ...toOrigin(content.provenance, mayTrust) }
}

type Move = { from: string; into: { id: string; kind: string }; mayTrust: boolean }

/** The statements that a merge moves: those that it retracts, and their successors with their identities. */
export const planStatements = (statements: readonly Moved[], move: Move) => {
  const reason = `Its record was merged into ${move.into.id}.`
  const retracted = statements
    .filter(({ content }) => content.subject.id !== move.from)
    .map(({ id }) => ({ op: 'statement.retract', id, reason }) as const)
  const asserted = statements.flatMap((statement) => {
    const assertion = moveStatement(statement, move)
    return assertion ? [{ assertion, identity: toIdentity(assertion) }] : []
  })
  return { retracted, asserted }
}
