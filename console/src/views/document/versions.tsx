import { toAmount } from '../../plural.ts'
import '../../styles/inline-inputs.css'
import type { BrainDocument } from '@noema/contracts/documents.ts'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextComparison } from '../../components/text-comparison.tsx'
import { Time } from '../../components/time.tsx'
import { documentQuery, documentVersionsQuery } from '../../data/documents.ts'
import { ChangeAuthor, ChangeReason } from '../../items/change-author.tsx'
import { useSession } from '../../session/session.tsx'

type Pair = { before: number; after: number }
type Place = { handle: string; id: string }

/** The differences between the texts of two versions. */
const Comparison = ({ handle, id, before, after }: Place & Pair) => {
  const session = useSession()
  const [was, is] = useQueries({
    queries: [before, after].map((version) => documentQuery(session, handle, id, { version })),
  })
  const error = was?.error ?? is?.error
  if (error) return <FailureNotice error={error} />
  if (!was?.data || !is?.data) return <Skeleton lines={8} />
  const [earlier, later] = [was.data.document, is.data.document]
  return (
    <div className="comparison">
      <h3>
        Version {before} and version {after}
      </h3>
      {earlier.title !== later.title && (
        <p>
          Title: <del>{earlier.title}</del> <ins>{later.title}</ins>
        </p>
      )}
      {earlier.text === later.text ? (
        <p className="muted">The text is the same.</p>
      ) : (
        <TextComparison
          before={{ name: `Version ${before}`, text: earlier.text }}
          after={{ name: `Version ${after}`, text: later.text }}
        />
      )}
    </div>
  )
}

type VersionRowProps = Place & {
  one: BrainDocument
  shown: number | undefined
  before: number | undefined
  after: number | undefined
  onChoose: (side: 'before' | 'after') => void
}

const VersionRow = ({ handle, id, one, shown, before, after, onChoose }: VersionRowProps) => (
  <tr>
    <th scope="row">
      <Link to="/brains/$handle/documents/$id" params={{ handle, id }} search={{ version: one.version }}>
        {one.version}
      </Link>
      {one.version === shown && <span className="muted"> shown</span>}
      {one.status === 'retired' && <span className="muted"> retired</span>}
    </th>
    {(['before', 'after'] as const).map((side) => (
      <td key={side}>
        <input
          type="radio"
          name={side}
          aria-label={`Compare ${side === 'before' ? 'from' : 'to'} version ${one.version}`}
          checked={one.version === (side === 'before' ? before : after)}
          onChange={() => onChoose(side)}
        />
      </td>
    ))}
    <td>
      <ChangeAuthor handle={handle} change={one.provenance.change} provenance={one.provenance} />
      <ChangeReason handle={handle} change={one.provenance.change} />
    </td>
    <td className="number wide">{toAmount(one.length)}</td>
    <td>
      <Time iso={one.updatedAt} />
    </td>
  </tr>
)

type VersionsProps = Place & { shown: number | undefined }

/** The versions of a document, newest first, two of which are compared. */
export const Versions = ({ handle, id, shown }: VersionsProps) => {
  const query = useInfiniteQuery(documentVersionsQuery(useSession(), handle, id))
  const [chosen, setChosen] = useState<Partial<Pair>>({})
  if (query.error) return <FailureNotice error={query.error} />
  if (!query.data) return <Skeleton lines={4} />
  const versions = query.data.pages.flatMap((page) => page.versions)
  const after = chosen.after ?? versions[0]?.version
  const before = chosen.before ?? versions[1]?.version
  return (
    <section aria-label="Versions" className="document-versions">
      <table className="dense">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">By</th>
            <th scope="col" className="number wide">
              Characters
            </th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {versions.map((one) => (
            <VersionRow
              key={one.version}
              {...{ handle, id, one, shown, before, after }}
              onChoose={(side) => setChosen((pair) => ({ ...pair, [side]: one.version }))}
            />
          ))}
        </tbody>
      </table>
      {query.hasNextPage && (
        <Button size="small" onClick={() => void query.fetchNextPage()}>
          Show earlier versions
        </Button>
      )}
      {before !== undefined && after !== undefined && before !== after && (
        <Comparison handle={handle} id={id} before={before} after={after} />
      )}
      {versions.length === 1 && <p className="muted">There is only one version.</p>}
    </section>
  )
}
