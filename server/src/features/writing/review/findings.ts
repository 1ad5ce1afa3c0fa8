import type { ChangeFinding, ChangeFlag } from '@noema/contracts/changes.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { ChangeItem } from '../commit/change-store.ts'
import { findCredentials } from '../credentials/credentials.ts'
import { type Contradicted, type ExaminedChange, findContradictions } from './contradictions.ts'
import { findFlags, findServed } from './flags.ts'

// Warnings are found when a change is read: writes wait for none of them, and they are true of the Brain as it is now.

/** An item that is examined, with the content that it proposes or made; null where it ends its target. */
export type ExaminedItem = { change: ExaminedChange; item: ChangeItem; content: object | null }

/** The warnings about an item, and what they are about. */
export type Findings = { flags: ChangeFlag[]; findings: ChangeFinding[] }

/** A text that a change writes. */
export type WrittenText = { type: 'record' | 'document'; id: string; text: string }

/**
 * Finds an item of the Brain that says nearly the same as each of these texts, other than the items of the change; null where there is
 * none, and undefined where that could not be compared.
 */
export type FindNear = (
  brain: BrainRow,
  texts: readonly WrittenText[],
) => Promise<(Pick<WrittenText, 'type' | 'id'> | null | undefined)[]>

/** The warning that an item says nearly the same as another one. */
export const addNear = ({ flags, findings }: Findings, item: Awaited<ReturnType<FindNear>>[number]): Findings => {
  if (item === null) return { flags, findings }
  if (item === undefined) return { flags: [...new Set([...flags, 'unchecked' as const])], findings }
  const flag = 'near_duplicate_of'
  return { flags: [...flags, flag], findings: [...findings, { flag, item }] }
}

/** An item with its content. */
type WithContent = ExaminedItem & { content: object }

const isDocument = (content: object): content is { text: string } =>
  'text' in content && typeof content.text === 'string'

const isStatement = ({ item: { op, target } }: ExaminedItem, content: object): content is Statement =>
  target.type === 'statement' && op === 'statement.assert' && 'object' in content

/** True of each item whose text another document has. */
const findDuplicates = async (db: Queryable, items: readonly WithContent[]): Promise<ReadonlySet<WithContent>> => {
  const documents = items.flatMap((item) =>
    item.item.target.type === 'document' && isDocument(item.content)
      ? [{ item, brainId: item.change.brainId, id: item.item.target.id, text: item.content.text }]
      : [],
  )
  const isServed = await findServed(db, documents)
  return new Set(documents.flatMap(({ item }, index) => (isServed[index] ? [item] : [])))
}

/** The statements that each item contradicts, where it contradicts any or could not be examined. */
const findContradicted = async (
  db: Queryable,
  items: readonly WithContent[],
): Promise<ReadonlyMap<WithContent, Contradicted>> => {
  const asserted = items.flatMap((examined) =>
    isStatement(examined, examined.content)
      ? [{ examined, said: { ...examined.content, id: examined.item.target.id, change: examined.change } }]
      : [],
  )
  const found = await findContradictions(
    db,
    asserted.map(({ said }) => said),
  )
  return new Map(asserted.map(({ examined }, index) => [examined, found[index]]))
}

/** The words of an item that may be credentials: without the bookkeeping, whose ids and hashes are none. */
const toWords = ({ item, content }: WithContent): object => {
  const { provenance, hash, ifMatch, op, ...words } = content as Record<string, unknown>
  return item.operation ? { ...words, provenance } : words
}

export const noFindings: Findings = { flags: [], findings: [] }

/** Examines items of changes. An item that cannot be examined is flagged so; that stops no decision. */
export const examineItems = async (db: Queryable, items: readonly ExaminedItem[]): Promise<Findings[]> => {
  const withContent = items.filter((item): item is WithContent => item.content !== null)
  const duplicates = await findDuplicates(db, withContent)
  const contradicted = await findContradicted(db, withContent)
  const credentials = await findCredentials(withContent.map(toWords)).catch(() => undefined)
  const found = new Map<ExaminedItem, Findings>()
  for (const [index, item] of withContent.entries()) {
    const flags = new Set(await findFlags(item.content, duplicates.has(item)))
    const isUnchecked = flags.delete('unchecked') || !credentials
    const findings: ChangeFinding[] = [
      ...(credentials?.[index] ?? []).map(({ path, credential }) => ({
        ...{ flag: 'credential' as const, credential },
        ...(path.length > 0 ? { path: path.join('.').slice(0, 300) } : {}),
      })),
      ...(contradicted.get(item) ?? []).map((statement) => ({ flag: 'contradicts' as const, statement })),
    ]
    for (const { flag } of findings) flags.add(flag)
    const skipped = contradicted.has(item) && contradicted.get(item) === undefined
    if (isUnchecked || skipped) flags.add('unchecked')
    found.set(item, { flags: [...flags], findings })
  }
  return items.map((item) => found.get(item) ?? noFindings)
}
