import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import type { BrainClient } from '@noema/sdk'
import { NotFoundError } from '@noema/sdk/errors.ts'
import type { ReactNode } from 'react'
import { Link } from '../address.tsx'
import { type ItemRef, itemPath } from './paths.ts'

/** What the page shows of a record, statement or document, whichever it is. */
export type Shown = {
  title: ReactNode
  kind?: string
  version: number
  at: string
  value: object
  text?: string
  rests?: ReactNode
  record?: BrainRecord
}

type StatementProps = { statement: Statement; handle: string; asOf: number }

/** What a statement says, with the records that it is about. */
const Sentence = ({ statement: { subject, predicate, object }, handle, asOf }: StatementProps) => {
  const recordLink = ({ id, kind }: { id: string; kind: string }) => (
    <Link to={itemPath(handle, { type: 'record', id }, { asOf })}>
      {kind} {id}
    </Link>
  )
  return (
    <>
      {recordLink(subject)} {predicate}{' '}
      {'record' in object ? recordLink(object.record) : <code>{JSON.stringify(object.value)}</code>}
    </>
  )
}

const Sources = ({ statement: { sources }, handle, asOf }: StatementProps) =>
  sources.map(({ document, version, quote }) => (
    <p key={`${document} ${quote}`}>
      Supported by <Link to={itemPath(handle, { type: 'document', id: document }, { asOf })}>{document}</Link>
      {version !== undefined && `, version ${version}`}
      {quote !== undefined && `: “${quote}”`}
    </p>
  ))

type Place = { handle: string; asOf: number | undefined; signal: AbortSignal }

export const readItem = async (
  brain: BrainClient,
  { type, id }: ItemRef,
  { handle, asOf, signal }: Place,
): Promise<Shown> => {
  if (type === 'record') {
    const { record } = await brain.records.get(id, { asOf }, { signal })
    const { kind, slug, version, updatedAt } = record
    return { title: slug ?? id, kind, version, at: updatedAt, value: record, record }
  }
  if (type === 'statement') {
    const { statement, stateVersion } = await brain.statements.get(id, { asOf }, { signal })
    const place = { statement, handle, asOf: stateVersion }
    return {
      title: <Sentence {...place} />,
      rests: <Sources {...place} />,
      version: statement.version,
      at: statement.assertedAt,
      value: statement,
    }
  }
  const { text, ...document } = (await brain.documents.get(id, { asOf }, { signal })).document
  return {
    title: document.title ?? id,
    version: document.version,
    at: document.updatedAt,
    value: document,
    text,
  }
}

/** The version that is live now; undefined where none is. */
export const readLiveVersion = async (brain: BrainClient, ref: ItemRef, place: Place): Promise<number | undefined> => {
  try {
    return (await readItem(brain, ref, place)).version
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
