import type { ContextItem } from '@noema/contracts/context.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '../../address.tsx'
import { baseUrl } from '../../base-path.ts'
import { contextExample } from '../../code/retrieval-examples.ts'
import { Code, ViewAsCode } from '../../components/code.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { itemPath, receiptPath } from '../../data/item-paths.ts'
import { contextQuery } from '../../data/retrieval.ts'
import { type SearchParams, toContextBody } from '../../search/search-params.ts'
import { useSession } from '../../session/session.tsx'
import { ContextHead, readBudget } from './context-budget.tsx'

type ItemsProps = { handle: string; items: readonly ContextItem[]; stateVersion: number }

/** The items of a context, with their share of the budget and their evidence. */
const Items = ({ handle, items, stateVersion }: ItemsProps) => (
  <ol className="context-items">
    {items.map((item) => (
      <li key={item.item}>
        <Link to={itemPath(handle, item, { asOf: stateVersion, span: item.spans?.[0] })}>{item.title}</Link>
        <span className="hit-about">
          <span>{item.type}</span>
          <span className="evidence" data-evidence={item.evidence}>
            {item.evidence}
          </span>
          <span>score {item.score.toFixed(3)}</span>
          <span>
            {item.tokens} tokens{item.cut && ', cut'}
          </span>
        </span>
      </li>
    ))}
  </ol>
)

/** The context that a model gets for the same question, within a budget of tokens. */
export const ContextPanel = ({ handle, params }: { handle: string; params: SearchParams }) => {
  const { search: address } = useLocation()
  const tokens = readBudget(address)
  const body = toContextBody(params, tokens)
  const { data, error, isFetching } = useQuery({
    ...contextQuery(useSession(), handle, body),
    enabled: params.q !== '',
    placeholderData: (before) => before,
  })
  const answer = params.q === '' ? undefined : data
  return (
    <section aria-label="Context" className="playground-panel" aria-busy={isFetching}>
      <ContextHead tokens={tokens} answer={answer}>
        {answer && (
          <>
            {' '}
            · <Link to={receiptPath(handle, answer.receipt)}>Receipt of the context</Link>
          </>
        )}
      </ContextHead>
      {params.q === '' && <p className="muted">The context that a model gets for the same query.</p>}
      {error && params.q !== '' && <FailureNotice error={error} />}
      {params.q !== '' && !answer && !error && <Skeleton lines={5} />}
      {answer && (
        <>
          <Items handle={handle} items={answer.items} stateVersion={answer.stateVersion} />
          <Code label={`Context for the model, evidence ${answer.evidence}`} code={answer.context} />
        </>
      )}
      <ViewAsCode example={contextExample({ baseUrl, handle }, body)} />
    </section>
  )
}
