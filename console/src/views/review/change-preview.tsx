import '../../styles/change-preview.css'
import type { QuestionPreview } from '@noema/contracts/change-previews.ts'
import { type FormEvent, useState } from 'react'
import { Link } from '../../address.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { TextArea } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { itemPath } from '../../data/item-paths.ts'
import { useSession } from '../../session/session.tsx'

// Questions about a pending change: what the Brain answers without it and with it, side by side.

type Side = QuestionPreview['before']
type Place = QuestionPreview['entered'][number]

const evidences = { strong: 'Strong evidence', weak: 'Weak evidence', none: 'No evidence' } as const

const isAmong = (places: readonly Place[], { type, id }: Place): boolean =>
  places.some((one) => one.type === type && one.id === id)

type Mark = 'entered' | 'left' | 'changed'
const tones = { entered: 'good', left: 'danger', changed: 'info' } as const

type ResultsProps = { title: string; side: Side; marked: Partial<Record<Mark, readonly Place[]>>; handle: string }

const findMark = (marked: ResultsProps['marked'], result: Place): Mark | undefined =>
  (['entered', 'left', 'changed'] as const).find((mark) => isAmong(marked[mark] ?? [], result))

const Results = ({ title, side, marked, handle }: ResultsProps) => (
  <section>
    <h4>
      {title} <span className="muted">{evidences[side.evidence]}</span>
    </h4>
    {side.results.length === 0 && <p className="muted">Nothing found.</p>}
    <ol>
      {side.results.map((result) => {
        const mark = findMark(marked, result)
        // An item that only the change has is not in the Brain yet.
        const name = mark === 'entered' ? result.title : <Link to={itemPath(handle, result)}>{result.title}</Link>
        return (
          <li key={`${result.type} ${result.id}`} data-mark={mark}>
            <strong>{name}</strong> {mark && <Badge tone={tones[mark]}>{mark}</Badge>}
            <p>{result.snippet}</p>
          </li>
        )
      })}
    </ol>
  </section>
)

const Answer = ({ answer, handle }: { answer: QuestionPreview; handle: string }) => {
  const { question, before, after, entered, left, changed, moved } = answer
  const isSame = entered.length + left.length + changed.length + moved.length === 0
  return (
    <article className="preview-answer" aria-label={question}>
      <h3>{question}</h3>
      {isSame && <p className="muted">The change does not alter these results.</p>}
      <div className="preview-sides">
        <Results title="Now" side={before} marked={{ left }} handle={handle} />
        <Results title="With the change" side={after} marked={{ entered, changed }} handle={handle} />
      </div>
    </article>
  )
}

/** The questions of a text: one on each line. */
const toQuestions = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Asks questions before and after a pending change. */
export const ChangePreview = ({ handle, id }: { handle: string; id: string }) => {
  const { client } = useSession()
  const [text, setText] = useState('')
  const [found, setFound] = useState<Awaited<ReturnType<ReturnType<typeof client.brain>['changes']['preview']>>>()
  const { run, isRunning, error } = useAction(async () => {
    setFound(await client.brain(handle).changes.preview(id, { questions: toQuestions(text) }))
  })
  const ask = (event: FormEvent) => {
    event.preventDefault()
    if (toQuestions(text).length > 0 && !isRunning) void run()
  }
  return (
    <div className="change-preview">
      <form onSubmit={ask}>
        <TextArea
          label="Questions"
          hint="One on each line, 50 at most."
          rows={3}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" isBusy={isRunning}>
          Compare answers
        </Button>
      </form>
      <FailureNotice error={error} />
      <div aria-live="polite">
        {found?.preview?.blockedBy !== undefined && (
          <Notice tone="warning" title="Publishing it now would be blocked">
            <p>{found.preview.blockedBy}</p>
          </Notice>
        )}
        {found?.questions.map((answer) => (
          <Answer key={answer.question} answer={answer} handle={handle} />
        ))}
        {found && found.unanswered > 0 && (
          <p className="muted">There was no time for {found.unanswered} more. Ask fewer questions at once.</p>
        )}
      </div>
    </div>
  )
}
