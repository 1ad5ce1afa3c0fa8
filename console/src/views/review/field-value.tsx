import { isObject } from '@noema/contracts/json.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { agentQuery } from '../../data/agents.ts'
import { useSession } from '../../session/session.tsx'

// Values of fields that the service itself writes, in words and links.

/** A place where a lesson was seen: a run, and an operation in its journal. */
const placePattern = /^(run_\w+)\/(opr_\w+)$/

const Places = ({ places }: { places: readonly string[] }) =>
  places.map((place, index) => {
    const [, id = '', operation = ''] = placePattern.exec(place) ?? []
    return (
      <span key={place}>
        {index > 0 && ', '}
        <Link to="/runs/$id" params={{ id }} search={{ operation }}>
          run {index + 1}
        </Link>
      </span>
    )
  })

const AgentName = ({ id }: { id: string }) => {
  const { data } = useQuery(agentQuery(useSession(), id))
  return (
    <Link to="/agents/$id" params={{ id }}>
      {data?.name ?? 'an agent'}
    </Link>
  )
}

type Derived = { question: string | undefined; agentId: string; runId: string | undefined }

const Derivation = ({ question, agentId, runId }: Derived) => (
  <>
    {question === undefined ? 'About items' : `Answers “${question}”`}, written by <AgentName id={agentId} />
    {runId !== undefined && (
      <>
        {' '}
        in{' '}
        <Link to="/runs/$id" params={{ id: runId }}>
          a run
        </Link>
      </>
    )}
  </>
)

const isText = (value: unknown): value is string => typeof value === 'string'

/** The origin of a derived page, if its metadata say nothing else. */
const readDerived = (metadata: unknown): Derived | undefined => {
  if (!isObject(metadata) || Object.keys(metadata).length !== 1 || !isObject(metadata.derivedFrom)) return undefined
  const { question, agentId, runId } = metadata.derivedFrom
  if (!isText(agentId)) return undefined
  return { question: isText(question) ? question : undefined, agentId, runId: isText(runId) ? runId : undefined }
}

/** A value as a reviewer reads it; undefined for one that is shown as it is. */
export const renderValue = (name: string, value: unknown): ReactNode | undefined => {
  if (name === 'seenIn' && Array.isArray(value) && value.length > 0)
    return value.every((place) => isText(place) && placePattern.test(place)) ? <Places places={value} /> : undefined
  const derived = name === 'metadata' ? readDerived(value) : undefined
  return derived && <Derivation {...derived} />
}
