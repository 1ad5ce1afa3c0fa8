import { useParams } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { Link, useLocation } from '../../address.tsx'
import { readCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Json, TextBlock } from '../../components/json.tsx'
import { Loading } from '../../components/loading.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { useLoaded } from '../../components/use-loaded.ts'
import { Marked } from '../../items/marked.tsx'
import { Neighbours } from '../../items/neighbours.tsx'
import { type ItemRef, itemPath, receiptsPath, type Span, spanIn } from '../../items/paths.ts'
import { readItem, readLiveVersion, type Shown } from '../../items/read-item.tsx'
import { baseUrl, useSession } from '../../session/session.tsx'

/** A document's text with a range of it marked and scrolled into view. */
const MarkedText = ({ label, text, span }: { label: string; text: string; span: Span | undefined }) => {
  const place = useRef<HTMLDivElement>(null)
  const start = span?.start
  useEffect(() => {
    const [frame, mark] = ['pre', 'mark'].map((name) => place.current?.querySelector(name))
    if (start === undefined || !frame || !mark) return
    // Within its frame first, a little down from the top, so that the page itself moves no more than it must.
    frame.scrollTop += mark.getBoundingClientRect().top - frame.getBoundingClientRect().top - frame.clientHeight / 4
    mark.scrollIntoView({ block: 'nearest' })
  }, [start])
  return (
    <div ref={place}>
      <TextBlock label={label} text={<Marked text={text} spans={span ? [span] : []} />} wraps />
    </div>
  )
}

type SinceProps = { at: number; shown: Shown; live: number | undefined; to: string }

/** What became of the version that an earlier state shows. */
const Since = ({ at, shown, live, to }: SinceProps) => {
  const state = `As of state ${at.toLocaleString('en')}`
  if (live === shown.version) return <p className="muted">{state}. It has not changed since.</p>
  return (
    <Notice tone="warning">
      {live === undefined ? (
        <p>{state}. It is no longer live.</p>
      ) : (
        <p>
          {state}. It has changed since: <Link to={to}>version {live} is live</Link>.
        </p>
      )}
    </Notice>
  )
}

/** One record, statement or document: as it is, or as it stood at the state that the address names. */
const Item = ({ type, id }: ItemRef) => {
  const { client } = useSession()
  const { handle } = useParams({ from: '/brains/$handle' })
  const { search } = useLocation()
  const asOf = search.has('asOf') ? Number(search.get('asOf')) : undefined
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [brain, ref] = [client.brain(handle), { type, id }]
      const [shown, live] = await Promise.all([
        readItem(brain, ref, { handle, asOf, signal }),
        asOf === undefined ? undefined : readLiveVersion(brain, ref, { handle, asOf: undefined, signal }),
      ])
      return { shown, live, asOf }
    },
    [client, handle, type, id, asOf],
  )
  const { data, error } = useLoaded(load)
  if (error !== undefined) return <FailureNotice error={error} />
  if (!data) return <Loading />
  const { shown, live } = data
  const { title, kind, version, at, value, text, rests, record } = shown
  return (
    <section aria-label={type} className="thing" data-family={type}>
      <div>
        <h2>{title}</h2>
        <p className="hit-about">
          <span className="family">{type}</span>
          {kind !== undefined && <span>{kind}</span>}
          <span>version {version}</span>
          <Time iso={at} />
          <CopyId id={id} />
        </p>
      </div>
      {data.asOf !== undefined && (
        <Since at={data.asOf} shown={shown} live={live} to={itemPath(handle, { type, id })} />
      )}
      {rests}
      {record && <Neighbours client={client} handle={handle} asOf={data.asOf} record={record} />}
      {text !== undefined && <MarkedText label={`Text of version ${version}`} text={text} span={spanIn(search)} />}
      <Json label={text === undefined ? `Version ${version}` : 'Details'} value={value} />
      <p>
        <Link to={receiptsPath(handle, { type, id })}>Receipts of reads that returned it</Link>
      </p>
      <ViewAsCode example={readCode({ baseUrl, handle }, { what: `${type}s`, id, asOf })} />
    </section>
  )
}

export const RecordPage = () => <Item type="record" id={useParams({ from: '/brains/$handle/records/$id' }).id} />
export const StatementPage = () => (
  <Item type="statement" id={useParams({ from: '/brains/$handle/statements/$id' }).id} />
)
export const DocumentPage = () => <Item type="document" id={useParams({ from: '/brains/$handle/documents/$id' }).id} />
