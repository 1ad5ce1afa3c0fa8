import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { Time } from '../../components/time.tsx'
import type { ChangeItem } from '../../data/changes.ts'
import { currentQuery, receiptQuery } from '../../data/evidence.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { readEvidence, readVersion, toFields } from './item-fields.ts'
import { Quote } from './quote.tsx'

type ItemProps = { handle: string; item: ChangeItem }

/** The content that the writer had read, according to its receipt, and the changes to it since. */
const ReceiptLine = ({ handle, id }: { handle: string; id: string }) => {
  const { data, error } = useQuery(receiptQuery(useSession(), handle, id))
  const link = (
    <Link to="/brains/$handle/receipts/$id" params={{ handle, id }}>
      receipt
    </Link>
  )
  if (error) return <p>Names a {link} that cannot be read.</p>
  if (!data) return <p>Refers to a {link} of an earlier read.</p>
  const { operation, at, served, current, moved } = data.receipt
  const read = Object.values(served).reduce((sum, items) => sum + items.length, 0)
  return (
    <p>
      Written after a {operation} that returned {plural(read, 'item')} <Time iso={at} /> ({link}).{' '}
      {current ? 'None of it has changed since.' : `${plural(moved.length, 'item')} of it changed since.`}
    </p>
  )
}

/** The evidence for an item: its quoted sources, the read that it is based on, and its confidence. */
export const Evidence = ({ handle, item }: ItemProps) => {
  const { sources, source, receipt, trust } = readEvidence(item)
  if (sources.length === 0 && source === undefined && receipt === undefined && trust === undefined) return null
  return (
    <div className="evidence">
      <h4>Evidence</h4>
      {(source || trust) && (
        <p>
          {source && <>From {source} </>}
          {trust && <Badge tone={trust === 'trusted' ? 'good' : 'warning'}>{trust}</Badge>}
        </p>
      )}
      {receipt && <ReceiptLine handle={handle} id={receipt} />}
      {sources.map((one) => (
        <Quote key={`${one.document} ${one.quote ?? ''}`} handle={handle} source={one} />
      ))}
    </div>
  )
}

/** The changes to the item's base since the proposal: the current version, and its differences. */
export const Staleness = ({ handle, item, isConflict }: ItemProps & { isConflict: boolean }) => {
  const { type, id } = item.target
  const { data: current } = useQuery({
    ...currentQuery(useSession(), handle, { type, id }),
    enabled: type !== 'schema',
  })
  if (current === undefined) return null
  const [was, is] = [readVersion(item.before), readVersion(current)]
  if (was === is) return null
  return (
    <div className="staleness" data-conflict={isConflict}>
      <h4>
        {is === undefined
          ? `The ${type} no longer exists`
          : `The ${type} changed since: version ${was ?? 'none'} → ${is}`}
      </h4>
      <p>
        {isConflict
          ? 'This item would overwrite later writes. Rebase the change to see it on top of them.'
          : 'The later changes do not affect this item.'}
      </p>
      {current && <FieldDiff before={toFields(type, item.before)} after={toFields(type, current)} />}
    </div>
  )
}
