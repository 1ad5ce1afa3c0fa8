import { useQuery } from '@tanstack/react-query'
import type { RecordFilter } from '../../data/record-filter.ts'
import { recordCountQuery } from '../../data/records.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

type RecordCountProps = {
  handle: string
  filter: RecordFilter & { kind: string }
  /** The field that the list is sorted by. */
  sortedBy?: string | undefined
  stateVersion: number
}

/** The number of records of a kind that the filter finds; empty until it is known. */
export const RecordCount = ({ handle, filter, sortedBy, stateVersion }: RecordCountProps) => {
  const session = useSession()
  const { data } = useQuery(recordCountQuery(session, handle, { filter, stateVersion }))
  const found = data && `${toAmount(data.value)} ${data.value === 1 ? 'record' : 'records'}`
  // The line is there before the number, so that nothing moves.
  return (
    <p className="muted small" role="status">
      {found === undefined || found === null ? '\u00a0' : data?.exact ? found : `At least ${found}`}
      {found && sortedBy !== undefined && ` that have ${sortedBy}, sorted by it`}
    </p>
  )
}
