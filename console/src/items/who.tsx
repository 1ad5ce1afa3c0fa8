import { CopyId } from '../components/copy-id.tsx'
import { useSession } from '../session/session.tsx'

/** Who did something, by the id of a person or key: oneself by that word. */
export const Who = ({ id }: { id: string | null }) => {
  const { userId } = useSession()
  if (id === null) return <span className="muted">nobody known</span>
  return id === userId ? <>you</> : <CopyId id={id} />
}
