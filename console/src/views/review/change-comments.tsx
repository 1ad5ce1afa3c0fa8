import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { TextArea } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { type ChangeDetail, refreshChanges } from '../../data/changes.ts'
import { Who } from '../../items/who.tsx'
import { useSession } from '../../session/session.tsx'

const AddComment = ({ handle, id }: { handle: string; id: string }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const { run, isRunning, error } = useAction(async () => {
    await session.client.brain(handle).changes.comment(id, { text })
    setText('')
    await refreshChanges(queries, session, handle)
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '' && !isRunning) void run()
  }
  return (
    <form onSubmit={send}>
      <TextArea
        label="Comment"
        isLabelHidden
        placeholder="Comment for the reviewers"
        rows={2}
        maxLength={4_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" size="small" isBusy={isRunning}>
        Comment
      </Button>
      <FailureNotice error={error} />
    </form>
  )
}

/** The comments of people and agents on a change. */
export const ChangeComments = ({ handle, change }: { handle: string; change: ChangeDetail }) => (
  <section className="change-comments" aria-label="Comments">
    {change.comments.map(({ id, text, by, at }) => (
      <article key={id}>
        <p className="change-meta">
          <strong>
            <Who id={by.userId ?? by.id} />
          </strong>{' '}
          {by.type === 'run' && <Badge tone="info">run</Badge>} <Time iso={at} />
        </p>
        <p>{text}</p>
      </article>
    ))}
    <AddComment handle={handle} id={change.id} />
  </section>
)
