import { useChat } from '@ai-sdk/react'
import { isObject } from '@noema/contracts/json.ts'
import { useQuery } from '@tanstack/react-query'
import { DefaultChatTransport, getToolName, isToolUIPart, type UIMessage } from 'ai'
import { useEffect, useMemo, useRef } from 'react'
import { baseUrl } from '../../base-path.ts'
import { Markdown } from '../../components/markdown.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { runTasksQuery } from '../../data/runs.ts'
import { useSession } from '../../session/session.tsx'
import { Question } from '../runs/question.tsx'

type Part = UIMessage['parts'][number]

const LivePart = ({ part }: { part: Part }) => {
  if (part.type === 'text') return <Markdown text={part.text} />
  if (isToolUIPart(part))
    return (
      <p className="muted">
        Calls <code>{getToolName(part)}</code>
      </p>
    )
  return null
}

const isQuestion = (part: Part): boolean =>
  part.type === 'data-task' && 'data' in part && isObject(part.data) && part.data.state === 'open'

const Questions = ({ runId }: { runId: string }) => {
  const { data } = useQuery(runTasksQuery(useSession(), runId))
  return data?.map((task) => <Question key={task.taskId} task={task} />)
}

/** A running run: the AI SDK sees it as one message with a resumable stream. */
export const LiveRun = ({ runId, onEnd }: { runId: string; onEnd: () => void }) => {
  const { organization } = useSession()
  const transport = useMemo(
    () =>
      new DefaultChatTransport({
        api: `${baseUrl}/v1/runs`,
        credentials: 'include',
        headers: { 'x-organization-id': organization.id },
      }),
    [organization.id],
  )
  const { messages, status, error } = useChat({ id: runId, transport, resume: true })
  const parts = messages.flatMap((message) => message.parts)
  const hasBegun = useRef(false)
  useEffect(() => {
    if (status === 'streaming' || status === 'submitted') hasBegun.current = true
    else if (hasBegun.current) onEnd()
  }, [status, onEnd])
  return (
    <li className="message" data-role="assistant" aria-live="polite" aria-busy={status === 'streaming'}>
      <p className="message-head">
        <strong>assistant</strong> <span className="muted">now</span>
      </p>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message never change their order
        <LivePart key={index} part={part} />
      ))}
      {parts.length === 0 && <p className="muted">Working…</p>}
      {parts.some(isQuestion) && <Questions runId={runId} />}
      <FailureNotice error={error} />
    </li>
  )
}
