import type { readCorpusContext, searchCorpus } from '@noema/contracts/corpora.ts'
import type { Result } from '@noema/contracts/endpoint.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '../../address.tsx'
import { baseUrl } from '../../base-path.ts'
import { corpusContextExample, corpusSearchExample } from '../../code/retrieval-examples.ts'
import { Code, ViewAsCode } from '../../components/code.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { corpusContextQuery, corpusSearchQuery } from '../../data/corpora.ts'
import { itemPath, receiptPath } from '../../data/item-paths.ts'
import { HitRow } from '../../search/hit-row.tsx'
import { type SearchParams, toContextBody, toSearchQuery } from '../../search/search-params.ts'
import { useSession } from '../../session/session.tsx'
import { ContextHead, readBudget } from './context-budget.tsx'
import { Degraded, describeCount, describeEvidence, ShowMore, WiderSearch } from './judgement.tsx'

// The search results and the context of a corpus: those of several Brains, each with its own receipt.

type PanelProps = { corpus: string; params: SearchParams }
type SearchAnswer = Result<typeof searchCorpus>
type Parts = Pick<SearchAnswer, 'parts' | 'failed' | 'degraded'>

/** The reasons why answers of Brains may be incomplete, each once with its Brains unless it is true of all. */
const listDegraded = ({ parts, degraded = [] }: Parts) => {
  const brains = new Map<string, { reason: string; handles: string[] }>()
  for (const { brain, degraded: own = [] } of parts)
    for (const { reason, message } of own) {
      const known = brains.get(message) ?? { reason, handles: [] }
      brains.set(message, { reason, handles: [...known.handles, brain.handle] })
    }
  const ofBrains = [...brains].map(([message, { reason, handles }]) => ({
    reason,
    message: handles.length === parts.length ? message : `${handles.join(', ')}: ${message}`,
  }))
  return [...ofBrains, ...degraded]
}

/** The Brains that were read, each with its receipt, and the parts that could not be. */
const Read = ({ answer, searchAgain }: { answer: Parts; searchAgain: () => void }) => (
  <>
    <p className="muted small">
      Receipts:{' '}
      {answer.parts.map(({ brain: { handle }, receipt }, index) => (
        <span key={receipt}>
          {index > 0 && ', '}
          <Link to={receiptPath(handle, receipt)}>{handle}</Link>
        </span>
      ))}
    </p>
    {answer.failed.length > 0 && (
      <div className="notice degraded">
        {answer.failed.map(({ part, brain, message }) => (
          <p key={part}>
            Part {part}
            {brain !== null && ` (${brain})`} was left out: {message}
          </p>
        ))}
      </div>
    )}
    <Degraded degraded={listDegraded(answer)} searchAgain={searchAgain} />
  </>
)

const findState = ({ parts }: Pick<Parts, 'parts'>, handle: string): number =>
  parts.find(({ brain }) => brain.handle === handle)?.stateVersion ?? 0

const Hits = ({ answer, params }: { answer: SearchAnswer; params: SearchParams }) => {
  const { results } = answer
  if (results.length === 0)
    return (
      <div className="empty">
        <WiderSearch params={params} />
      </div>
    )
  return (
    <>
      <ol className="hits">
        {results.map((hit) => (
          <HitRow
            key={`${hit.brain.id} ${hit.type} ${hit.id}`}
            hit={{ ...hit, title: `${hit.brain.handle}: ${hit.title}` }}
            handle={hit.brain.handle}
            stateVersion={findState(answer, hit.brain.handle)}
          />
        ))}
      </ol>
      <ShowMore length={results.length} params={params} />
    </>
  )
}

/** The results of a search in a corpus; each names its Brain. */
export const CorpusSearchPanel = ({ corpus, params }: PanelProps) => {
  const { types, asOf: _none, ...query } = toSearchQuery(params)
  const body = { ...query, ...(types && { types: [...types] }) }
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...corpusSearchQuery(useSession(), corpus, body),
    enabled: params.q !== '',
    placeholderData: (before) => before,
  })
  const answer = params.q === '' || error ? undefined : data
  return (
    <section aria-label="Search" className="playground-panel" aria-busy={isFetching}>
      <div className="results-head">
        <h2>Search</h2>
        <p role="status">{answer && !isPlaceholderData && describeCount(answer.results.length, params)}</p>
        {params.q === '' && <p>Type to search all Brains of the corpus.</p>}
        {answer && <p>{answer.milliseconds} ms</p>}
      </div>
      <p className="judgement" role="status" data-evidence={answer?.evidence}>
        {answer && describeEvidence(answer)}
      </p>
      {error && params.q !== '' && <FailureNotice error={error} />}
      {params.q !== '' && !answer && !error && <Skeleton lines={5} />}
      {answer && (
        <>
          <Read answer={answer} searchAgain={refetch} />
          <Hits answer={answer} params={params} />
        </>
      )}
      <ViewAsCode example={corpusSearchExample({ baseUrl, corpus }, body)} />
    </section>
  )
}

const Items = ({ answer }: { answer: Result<typeof readCorpusContext> }) => (
  <ol className="context-items">
    {answer.items.map((item) => {
      const { handle } = item.brain
      const shown = { asOf: findState(answer, handle), span: item.spans?.[0] }
      return (
        <li key={item.item}>
          <Link to={itemPath(handle, item, shown)}>
            {handle}: {item.title}
          </Link>
          <span className="hit-about">
            <span>{item.type}</span>
            <span className="evidence" data-evidence={item.evidence}>
              {item.evidence}
            </span>
            <span>{item.tokens} tokens</span>
          </span>
        </li>
      )
    })}
  </ol>
)

/** The context that a model gets from a corpus. */
export const CorpusContextPanel = ({ corpus, params }: PanelProps) => {
  const { search: address } = useLocation()
  const tokens = readBudget(address)
  const { asOf: _none, ...body } = toContextBody(params, tokens)
  const { data, error, isFetching, refetch } = useQuery({
    ...corpusContextQuery(useSession(), corpus, body),
    enabled: params.q !== '',
    placeholderData: (before) => before,
  })
  const answer = params.q === '' || error ? undefined : data
  return (
    <section aria-label="Context" className="playground-panel" aria-busy={isFetching}>
      <ContextHead tokens={tokens} answer={answer} />
      {params.q === '' && <p className="muted">The context that a model gets for the same query.</p>}
      {error && params.q !== '' && <FailureNotice error={error} />}
      {params.q !== '' && !answer && !error && <Skeleton lines={5} />}
      {answer && (
        <>
          <Read answer={answer} searchAgain={refetch} />
          <Items answer={answer} />
          <Code label={`Context for the model, evidence ${answer.evidence}`} code={answer.context} />
        </>
      )}
      <ViewAsCode example={corpusContextExample({ baseUrl, corpus }, body)} />
    </section>
  )
}
