import '../../styles/runs.css'
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Empty } from '../../components/empty.tsx'
import { later } from '../../components/later.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { agentQuery } from '../../data/agents.ts'
import { conversationMessagesQuery } from '../../data/conversations.ts'
import { hasEnded, runsQuery } from '../../data/runs.ts'
import { useSession } from '../../session/session.tsx'
import { MessageLine } from '../runs/messages.tsx'
import { LiveRun } from './live-run.tsx'

const route = getRouteApi('/agents/$id/chat')
// The chat library alone is as large as a view may be.
const QuestionForm = later(async () => (await import('./question-form.tsx')).QuestionForm)

/** Asks the agent in the conversation. The first question creates the conversation. */
const useAsk = (agentId: string, conversationId: string | undefined) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const navigate = route.useNavigate()
  const read = useCallback(async () => {
    await Promise.all(
      ['conversations', 'runs'].map((area) => queries.invalidateQueries({ queryKey: [organization.id, area] })),
    )
  }, [queries, organization.id])
  const ask = async (input: string) => {
    const id =
      conversationId ?? (await client.conversations.create({ agentId, title: input.slice(0, 80) })).conversation.id
    await client.runs.start({ agentId, conversationId: id, input })
    await read()
    if (conversationId === undefined) await navigate({ search: { conversation: id }, replace: true })
  }
  return { ask, read }
}

const Conversation = ({ id, onEnd }: { id: string; onEnd: () => void }) => {
  const session = useSession()
  const { data: runs, error: runsError } = useInfiniteQuery(runsQuery(session, { conversationId: id }))
  const all = runs?.pages[0]?.runs
  const current = all?.find((run) => !hasEnded(run))?.runId
  // Messages that were read before the newest run ended may lack its answer, and nothing would ask for them again.
  const messagesQuery = conversationMessagesQuery(session, id, all?.find(hasEnded)?.runId)
  const { data: messages, error } = useQuery({
    ...messagesQuery,
    enabled: runs !== undefined,
    placeholderData: keepPreviousData,
  })
  // The stream shows the open run, so the list has only its question.
  const shown = messages?.filter(({ runId, role }) => runId !== current || role === 'user')
  return (
    <>
      <FailureNotice error={error ?? runsError} />
      <ol className="messages" aria-label="Messages">
        {shown?.map((message) => (
          <MessageLine key={message.id} message={message} />
        ))}
        {current !== undefined && <LiveRun key={current} runId={current} onEnd={onEnd} />}
      </ol>
    </>
  )
}

/** A conversation with an agent. Each question is a run that sees the earlier ones. */
export const Chat = () => {
  const { id } = route.useParams()
  const { conversation } = route.useSearch()
  const { data: agent } = useQuery(agentQuery(useSession(), id))
  useCrumbName(`/agents/${id}`, agent?.name)
  const { ask, read } = useAsk(id, conversation)
  const onEnd = useCallback(() => void read(), [read])
  return (
    <div className="page stack chat">
      <PageHeader
        title={agent ? `Chat with ${agent.name}` : 'Chat'}
        actions={
          <>
            <LinkButton to="/conversations">Conversations</LinkButton>
            {conversation !== undefined && (
              <LinkButton to="/agents/$id/chat" params={{ id }} search={{}}>
                New conversation
              </LinkButton>
            )}
          </>
        }
      />
      {conversation === undefined ? (
        <Empty title={agent ? `Ask ${agent.name}` : 'Ask a question'}>
          {agent && agent.brains.length > 0
            ? `Answers come from ${agent.brains.map(({ handle }) => handle).join(', ')}, with their sources. Each question is a run, and sees the earlier ones.`
            : 'Each question is a run that sees the earlier ones. You can follow its steps while it works.'}
        </Empty>
      ) : (
        <Conversation key={conversation} id={conversation} onEnd={onEnd} />
      )}
      <QuestionForm onAsk={ask} />
    </div>
  )
}
