import { Link } from '@tanstack/react-router'

/** A run reads under its own id. */
const isRun = (consumerId: string): boolean => /^run_[0-9a-z]{20,}$/.test(consumerId)

/** The reader in its own words; a run by the end of its id. */
export const toReaderName = (consumerId: string | null): string => {
  if (consumerId === null) return 'not given'
  return isRun(consumerId) ? `run …${consumerId.slice(-6)}` : consumerId
}

/** The reader, with a link if it was a run. */
export const Reader = ({ consumerId }: { consumerId: string | null }) => {
  if (consumerId === null) return <span className="muted">not given</span>
  if (!isRun(consumerId)) return consumerId
  return (
    <Link to="/runs/$id" params={{ id: consumerId }} title={consumerId}>
      {toReaderName(consumerId)}
    </Link>
  )
}
