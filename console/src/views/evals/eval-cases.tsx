import type { Eval, EvalCase } from '@noema/contracts/evals.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { casesQuery } from '../../data/evals.ts'
import { useSession } from '../../session/session.tsx'

type Expected = Exclude<NonNullable<EvalCase['expected']>, string>
type Item = NonNullable<Expected['found']>[number]

const quote = (texts: readonly string[] = []): string => texts.map((text) => `“${text}”`).join(', ')

const toItems = (items: readonly Item[] = []): string => items.map(({ type, id }) => `${type} ${id}`).join(', ')

const toList = (names: readonly string[] = []): string => names.join(', ')

/** The expectations of a case, in words. */
const describeExpected = (expected: EvalCase['expected']): string[] => {
  if (expected === undefined) return []
  if (typeof expected === 'string') return [`answer “${expected}”`]
  const { answer, contains, notContains, pattern, found, notFound, evidence, called, notCalled } = expected
  const parts = [
    ['answer', answer === undefined ? '' : quote([answer])],
    ['contains', quote(contains)],
    ['does not contain', quote(notContains)],
    ['matches', pattern ?? ''],
    ['finds', toItems(found)],
    ['does not find', toItems(notFound)],
    ['evidence', evidence ?? ''],
    ['calls', toList(called)],
    ['does not call', toList(notCalled)],
  ] as const
  return parts.flatMap(([words, text]) => (text === '' ? [] : `${words} ${text}`))
}

const Remove = ({ evalId, caseId }: { evalId: string; caseId: string }) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const remove = async () => {
    await client.evals.addCases(evalId, { remove: [caseId] })
    await queries.invalidateQueries({ queryKey: [organization.id, 'evals'] })
  }
  return (
    <ConfirmButton label="Remove" title={`Remove the case ${caseId}?`} confirm="Remove case" onConfirm={remove}>
      <p>The next version of the eval is without it. Former runs keep it.</p>
    </ConfirmButton>
  )
}

type CaseProps = { one: EvalCase; evalId: string; mayRemove: boolean }

const Case = ({ one: { id, input, expected }, evalId, mayRemove }: CaseProps) => (
  <li className="eval-result">
    <div className="eval-result-head">
      <strong>{id}</strong>
      {mayRemove && <Remove evalId={evalId} caseId={id} />}
    </div>
    <p className="eval-input">{input}</p>
    {describeExpected(expected).map((line) => (
      <p key={line} className="eval-reason muted">
        {line}
      </p>
    ))}
  </li>
)

/** The cases of the newest version of an eval. */
export const EvalCases = ({ tested }: { tested: Eval }) => {
  const query = useInfiniteQuery({ ...casesQuery(useSession(), tested), placeholderData: (former) => former })
  const cases = query.data?.pages.flatMap((page) => page.cases)
  const mayRemove = tested.archivedAt === null && tested.cases > 1
  return (
    <Panel title="Cases">
      <div className="stack">
        <FailureNotice error={query.error} />
        {!cases && !query.error && <Skeleton lines={4} />}
        <ul className="eval-results" aria-label="Cases">
          {cases?.map((one) => (
            <Case key={one.id} one={one} evalId={tested.id} mayRemove={mayRemove} />
          ))}
        </ul>
        {query.hasNextPage && (
          <div className="actions">
            <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
    </Panel>
  )
}
