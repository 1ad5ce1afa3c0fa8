import type { ActorSummary } from '@noema/contracts/common.ts'
import { Badge } from '../../components/badge.tsx'
import { Who } from '../../items/who.tsx'

/** Who sent a file: a person by name, and that a key of theirs did. */
export const FileAuthor = ({ by: { type, id, userId } }: { by: ActorSummary }) => (
  <>
    <Who id={userId ?? id} /> {type === 'key' && <Badge>key</Badge>}
  </>
)
