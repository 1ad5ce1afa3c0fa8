import type { readCorpusContext, searchCorpus } from '@noema/contracts/corpora.ts'
import type { Result } from '@noema/contracts/endpoint.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../address.tsx'
import { Code } from '../../components/code.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { corpusContextQuery, corpusSearchQuery } from '../../data/corpora.ts'
import { itemPath, receiptPath } from '../../data/item-paths.ts'
import { plural } from '../../plural.ts'
import { HitRow } from '../../search/hit-row.tsx'
import { type SearchParams, toContextBody, toSearchQuery } from '../../search/search-params.ts'
import { useSession } from '../../session/session.tsx'

// The search results and the context of a corpus: those of several Brains, each with its own receipt.

type PanelProps = { corpus: string; params: SearchParams }
type Parts = Pick<Result<typeof searchCorpus>, 'parts' | 'failed'>

const contextTokens = 4_000

/** The Brains that were read, each with its receipt, and the parts that could not be. */
const Read = ({ parts, failed }: Parts) => (
  <>
    <p className="muted small">
      Receipts:{' '}
      {parts.map(({ brain: { handle }, receipt }, index) => (
        <span key={receipt}>
          {index > 0 && ', '}
          <Link to={receiptPath(handle, receipt)}>{handle}</Link>
        </span>
      ))}
    </p>
    {failed.length > 0 && (
      <div className="notice degraded">
        {failed.map(({ part, brain, message }) => (
          <p key={part}>
            Part {part}
            {brain !== null && ` (${brain})`} was left out: {message}
          </p>
        ))}
      </div>
    )}
  </>
)

const findState = ({ parts }: Pick<Parts, 'parts'>, handle: string): number =>
  parts.find(({ brain }) => brain.handle === handle)?.stateVersion ?? 0

/** The results of a search in a corpus; each names its Brain. */
export const CorpusSearchPanel = ({ corpus, params }: PanelProps) => {
  const { types, asOf: _asOf, ...query } = toSearchQuery(params)
  const body = { ...query, ...(types && { types: [...types] }) }
  const { data, error, isFetching } = useQuery({
    ...corpusSearchQuery(useSession(), corpus, body),
    enabled: params.q !== '',
    placeholderData: (before) => before,
  })
  const answer = params.q === '' ? undefined : data
  return (
    <section aria-label="Search" className="playground-panel" aria-busy={isFetching}>
      <div className="results-head">
        <h2>Search</h2>
        <p role="status">
          {answer && `${plural(answer.results.length, 'result')} in the corpus ${corpus}, ${answer.milliseconds} ms`}
        </p>
        {params.q === '' && <p>Type to search all Brains of the corpus.</p>}
      </div>
      {error && params.q !== '' && <FailureNotice error={error} />}
      {params.q !== '' && !answer && !error && <Skeleton lines={5} />}
      {answer && (
        <>
          <Read {...answer} />
          <ol className="hits">
            {answer.results.map((hit) => (
              <HitRow
                key={`${hit.brain.id} ${hit.type} ${hit.id}`}
                hit={{ ...hit, title: `${hit.brain.handle}: ${hit.title}` }}
                handle={hit.brain.handle}
                stateVersion={findState(answer, hit.brain.handle)}
              />
            ))}
          </ol>
        </>
      )}
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
  const { asOf: _asOf, ...body } = toContextBody(params, contextTokens)
  const { data, error, isFetching } = useQuery({
    ...corpusContextQuery(useSession(), corpus, body),
    enabled: params.q !== '',
    placeholderData: (before) => before,
  })
  const answer = params.q === '' ? undefined : data
  return (
    <section aria-label="Context" className="playground-panel" aria-busy={isFetching}>
      <h2>Context</h2>
      {params.q === '' && <p className="muted">The context that a model gets for the same query.</p>}
      {error && params.q !== '' && <FailureNotice error={error} />}
      {params.q !== '' && !answer && !error && <Skeleton lines={5} />}
      {answer && (
        <>
          <Items answer={answer} />
          <Code label={`Context for the model, evidence ${answer.evidence}`} code={answer.context} />
        </>
      )}
    </section>
  )
}
