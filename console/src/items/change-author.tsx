import type { Provenance } from '@noema/contracts/common.ts'
import type { OrganizationChange } from '@noema/contracts/organization-changes.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../components/badge.tsx'
import { changeSummaryQuery } from '../data/change-summaries.ts'
import { useSession } from '../session/session.tsx'
import { Who } from './who.tsx'

type Actor = { type: 'key' | 'session' | 'run' | 'system'; id: string; runId?: string | undefined }

/** The actor: a person by name, a key by its name, a run with its agent and a link. */
const ActorLine = ({ actor, name }: { actor: Actor; name: string | undefined }) => {
  if (actor.type === 'session') return <Who id={actor.id} />
  if (actor.type === 'system') return <>the service</>
  if (actor.type === 'key')
    return (
      <>
        {name ?? <code>{actor.id}</code>} <Badge>key</Badge>
      </>
    )
  const { runId } = actor
  return (
    <>
      {name ?? 'an agent'}{' '}
      {runId === undefined ? (
        <Badge tone="info">run</Badge>
      ) : (
        <Link to="/runs/$id" params={{ id: runId }}>
          <Badge tone="info">run</Badge>
        </Link>
      )}
    </>
  )
}

/** The reviewer, where that is another than the author. */
const Decider = ({ stagedBy, decidedBy, decidedByName }: OrganizationChange) =>
  decidedBy !== undefined && decidedBy !== stagedBy ? (
    <span className="muted">approved by {decidedByName ?? <Who id={decidedBy} />}</span>
  ) : null

type ChangeAuthorProps = {
  handle: string
  change: string
  /** The origin that the version itself names, until more is known. */
  provenance?: Provenance | undefined
}

/** The author of a change, its reviewer, and a link to it. */
export const ChangeAuthor = ({ handle, change: id, provenance }: ChangeAuthorProps) => {
  const { data } = useQuery(changeSummaryQuery(useSession(), handle, id))
  const said: Actor | undefined = provenance && (provenance.actor ?? { type: 'key', id: provenance.key })
  const actor = data?.stagedByActor ?? said
  return (
    <span className="change-author">
      {actor && (
        <span>
          <ActorLine actor={actor} name={data?.stagedByName} />
        </span>
      )}
      {data && <Decider {...data} />}
      <Link to="/brains/$handle/changes/$id" params={{ handle, id }} title={id}>
        change
      </Link>
    </span>
  )
}

/** The reason of a change, in the words of its author or of the reviewer; nothing where no one gave one. */
export const ChangeReason = ({ handle, change: id }: Omit<ChangeAuthorProps, 'provenance'>) => {
  const { data } = useQuery(changeSummaryQuery(useSession(), handle, id))
  const reasons = [data?.reason, data?.decisionReason].filter(Boolean)
  if (reasons.length === 0) return null
  return <p className="change-reason">{reasons.map((reason) => `“${reason}”`).join(' ')}</p>
}
