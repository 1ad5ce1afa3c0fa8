import type { Eval, EvalCase } from '@noema/contracts/evals.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { later } from '../../components/later.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { casesQuery, type EvalWithCases, evalWithCasesQuery } from '../../data/evals.ts'
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

const NewCasesForm = later(async () => (await import('./new-cases.tsx')).NewCasesForm)
const EditCaseForm = later(async () => (await import('./edit-case.tsx')).EditCaseForm)

type FormDialogProps = {
  tested: Eval
  title: string
  onClose: () => void
  children: (opened: EvalWithCases) => ReactNode
}

/** A form on top of the newest version of an eval. It stays as it is while others change the eval. */
const FormDialog = ({ tested, title, onClose, children }: FormDialogProps) => {
  const { data, error } = useQuery(evalWithCasesQuery(useSession(), tested.id))
  const opened = useRef<EvalWithCases | undefined>(undefined)
  opened.current ??= data
  return (
    <Dialog isOpen title={title} onClose={onClose} size="wide">
      {!opened.current && <FailureNotice error={error} />}
      {!opened.current && !error && <Skeleton lines={8} />}
      {opened.current && children(opened.current)}
    </Dialog>
  )
}

const AddCases = ({ tested }: { tested: Eval }) => {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button size="small" icon="plus" onClick={() => setOpen(true)}>
        Add cases
      </Button>
      {isOpen && (
        <FormDialog tested={tested} title={`Add cases to ${tested.name}`} onClose={close}>
          {(opened) => <NewCasesForm opened={opened} onClose={close} />}
        </FormDialog>
      )}
    </>
  )
}

const EditCase = ({ tested, id }: { tested: Eval; id: string }) => {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const renderForm = (opened: EvalWithCases) => {
    const one = opened.cases.find((other) => other.id === id)
    return one ? <EditCaseForm opened={opened} one={one} onClose={close} /> : <p>Someone removed this case.</p>
  }
  return (
    <>
      <Button size="small" aria-label={`Edit the case ${id}`} onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && (
        <FormDialog tested={tested} title={`Edit the case ${id}`} onClose={close}>
          {renderForm}
        </FormDialog>
      )}
    </>
  )
}

type CaseProps = { one: EvalCase; tested: Eval; isArchived: boolean }

const Case = ({ one: { id, input, expected }, tested, isArchived }: CaseProps) => (
  <li className="eval-result">
    <div className="eval-result-head">
      <strong>{id}</strong>
      <span className="actions">
        {!isArchived && <EditCase tested={tested} id={id} />}
        {!isArchived && tested.cases > 1 && <Remove evalId={tested.id} caseId={id} />}
      </span>
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
  const isArchived = tested.archivedAt !== null
  return (
    <Panel title="Cases" actions={!isArchived && <AddCases tested={tested} />}>
      <div className="stack">
        <FailureNotice error={query.error} />
        {!cases && !query.error && <Skeleton lines={4} />}
        <ul className="eval-results" aria-label="Cases">
          {cases?.map((one) => (
            <Case key={one.id} one={one} tested={tested} isArchived={isArchived} />
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
