import { useQuery } from '@tanstack/react-query'
import { CopyId } from '../components/copy-id.tsx'
import { membersQuery } from '../data/members.ts'
import { useSession } from '../session/session.tsx'

/** An actor by the id of a person or key: a member by name, the signed-in person as "you". */
export const Who = ({ id }: { id: string | null }) => {
  const session = useSession()
  const isMe = id === session.userId
  const { data } = useQuery({ ...membersQuery(session), enabled: !isMe && id !== null, staleTime: 60_000 })
  if (isMe) return <>you</>
  if (id === null) return <span className="muted">unknown</span>
  const member = data?.find(({ userId }) => userId === id)
  return member ? <span title={member.email}>{member.name || member.email}</span> : <CopyId id={id} />
}
