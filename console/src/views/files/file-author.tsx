import type { ActorSummary } from '@noema/contracts/common.ts'
import { Badge } from '../../components/badge.tsx'
import { Who } from '../../items/who.tsx'

/** The sender of a file: a person by name, marked if a key of theirs sent it. */
export const FileAuthor = ({ by: { type, id, userId } }: { by: ActorSummary }) => (
  <>
    <Who id={userId ?? id} /> {type === 'key' && <Badge>key</Badge>}
  </>
)
