import { Link, withQuery } from '../../address.tsx'
import { baseUrl } from '../../base-path.ts'
import { searchExample } from '../../code/retrieval-examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { receiptPath } from '../../data/item-paths.ts'
import { toAmount } from '../../plural.ts'
import { HitRow } from '../../search/hit-row.tsx'
import { isNarrowed, type SearchParams, toSearchQuery } from '../../search/search-params.ts'
import type { Found, useSearch } from '../../search/use-search.ts'
import { AddCase } from '../eval-cases/add-case.tsx'
import { Degraded, describeCount, describeEvidence, ShowMore, WiderSearch } from './judgement.tsx'

export const NothingYet = ({ handle }: { handle: string }) => (
  <div className="empty">
    <p>Nothing has been written to {handle} yet, so there is nothing to find. Copy a folder of texts into it:</p>
    <p>
      <code>npx noema sync ./docs --brain {handle}</code>
    </p>
    <p>
      Or write a first record or document from <Link to={`/?brain=${handle}`}>Start</Link>.
    </p>
  </div>
)

/** Suggestions for a search without results. */
const NothingFound = ({ found: { params, answer }, handle }: { found: Found; handle: string }) => {
  if (answer.stateVersion === 0 && params.asOf === '') return <NothingYet handle={handle} />
  return (
    <div className="empty">
      <WiderSearch params={params} />
      {answer.mode !== params.mode || params.mode === 'hybrid' || isNarrowed(params) || (
        <p>
          This search used {params.mode === 'lexical' ? 'keywords' : 'meaning'} only.{' '}
          <Link to={withQuery({ mode: undefined })}>Search by keywords and meaning</Link>
        </p>
      )}
    </div>
  )
}

type ResultsProps = { found: Found; handle: string; isLoading: boolean; searchAgain: () => void }

const Results = ({ found, handle, isLoading, searchAgain }: ResultsProps) => {
  const { params, answer } = found
  const { results, stateVersion } = answer
  return (
    <div className="results" aria-busy={isLoading}>
      <Degraded degraded={answer.degraded} searchAgain={searchAgain} />
      {results.length === 0 && <NothingFound found={found} handle={handle} />}
      {results.length > 0 && (
        <ol className="hits">
          {results.map((hit) => (
            <HitRow key={`${hit.type} ${hit.id}`} hit={hit} handle={handle} stateVersion={stateVersion} />
          ))}
        </ol>
      )}
      <ShowMore length={results.length} params={params} />
    </div>
  )
}

type ResultsHeadProps = { found: Found | undefined; handle: string; isEmpty: boolean }

const ResultsHead = ({ found, handle, isEmpty }: ResultsHeadProps) => (
  <div className="results-head">
    <h2>Search</h2>
    <p role="status">{found && describeCount(found.answer.results.length, found.params)}</p>
    {isEmpty && <p>Type to search records, statements and documents.</p>}
    {found && (
      <p>
        {found.milliseconds} ms · State {toAmount(found.answer.stateVersion)} ·{' '}
        <Link to={receiptPath(handle, found.answer.receipt)}>Receipt</Link>
      </p>
    )}
  </div>
)

type SearchPanelProps = { handle: string; params: SearchParams; search: ReturnType<typeof useSearch> }

/** The results of a search, with reasons and evidence. */
export const SearchPanel = ({ handle, params, search: { data, error, isLoading, reload } }: SearchPanelProps) => {
  const found = params.q === '' ? undefined : data
  return (
    <section aria-label="Search" className="playground-panel">
      <ResultsHead found={found} handle={handle} isEmpty={params.q === ''} />
      <p className="judgement" role="status" data-evidence={found?.answer.evidence}>
        {found && describeEvidence(found.answer)}
      </p>
      {error !== undefined && params.q !== '' && <FailureNotice error={error} />}
      {params.q !== '' && !found && error === undefined && <Skeleton height={560} />}
      {found && (
        <div className="actions">
          <AddCase
            isSmall
            key={found.params.q}
            asked={{
              input: found.params.q,
              target: { brain: handle, read: 'search', mode: found.params.mode },
              found: found.answer.results,
            }}
          />
        </div>
      )}
      {found && <Results found={found} handle={handle} isLoading={isLoading} searchAgain={reload} />}
      <ViewAsCode example={searchExample({ baseUrl, handle }, toSearchQuery(params))} />
    </section>
  )
}
