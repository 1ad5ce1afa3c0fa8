import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badge.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { Time } from '../../components/time.tsx'
import type { ChangeItem } from '../../data/changes.ts'
import { currentQuery, receiptQuery } from '../../data/evidence.ts'
import { useSession } from '../../session/session.tsx'
import { readEvidence, readVersion, toFields } from './item-fields.ts'
import { Quote } from './quote.tsx'

type ItemProps = { handle: string; item: ChangeItem }

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** What the writer had read before, as its receipt tells, and what of that has changed since. */
const ReceiptLine = ({ handle, id }: { handle: string; id: string }) => {
  const { data, error } = useQuery(receiptQuery(useSession(), handle, id))
  const link = (
    <Link to="/brains/$handle/receipts/$id" params={{ handle, id }}>
      receipt
    </Link>
  )
  if (error) return <p>Names a {link} that cannot be read.</p>
  if (!data) return <p>Names a {link} of what was read before.</p>
  const { operation, at, served, current, moved } = data.receipt
  const read = Object.values(served).reduce((sum, items) => sum + items.length, 0)
  return (
    <p>
      Written after a {operation} that returned {plural(read, 'item')} <Time iso={at} /> ({link}).{' '}
      {current ? 'Nothing of that has changed since.' : `${plural(moved.length, 'item')} of that changed since.`}
    </p>
  )
}

/** What an item rests on: its sources with their words in place, the read that it came of, and how far it is trusted. */
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

/** What became of the item's base since it was proposed: which version is there now, and what moved. */
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
          ? `The ${type} is not there any more`
          : `The ${type} moved since: version ${was ?? 'none'} → ${is}`}
      </h4>
      <p>
        {isConflict
          ? 'This item would overwrite what was written since. Rebase the change to see it on top of that.'
          : 'What moved is nothing that this item touches: it still means what it meant.'}
      </p>
      {current && <FieldDiff before={toFields(type, item.before)} after={toFields(type, current)} />}
    </div>
  )
}
