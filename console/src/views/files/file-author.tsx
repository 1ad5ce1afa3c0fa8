import type { ActorSummary } from '@noema/contracts/common.ts'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { Who } from '../../items/who.tsx'

/** The sender of a file: a person by name, marked if a key of theirs sent it, or the run that wrote it. */
export const FileAuthor = ({ by: { type, id, userId, runId } }: { by: ActorSummary }) =>
  runId === undefined ? (
    <>
      <Who id={userId ?? id} /> {type === 'key' && <Badge>key</Badge>}
    </>
  ) : (
    <Link to="/runs/$id" params={{ id: runId }}>
      run of an agent
    </Link>
  )
