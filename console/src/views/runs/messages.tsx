import type { Message, MessagePart } from '@noema/contracts/messages.ts'
import { Markdown } from '../../components/markdown.tsx'
import { Time } from '../../components/time.tsx'
import { AskedText } from '../../items/asked.tsx'

const Part = ({ part, role }: { part: MessagePart; role: Message['role'] }) => {
  if (part.type === 'text') return role === 'user' ? <AskedText text={part.text} /> : <Markdown text={part.text} />
  if (part.type === 'reasoning')
    return (
      <details className="message-aside">
        <summary>Reasoning</summary>
        <p className="message-text">{part.text}</p>
      </details>
    )
  if (part.type === 'source') return <p className="muted">Source: {part.title ?? part.url ?? part.id}</p>
  if (part.type === 'tool-call')
    return (
      <p className="muted">
        Calls <code>{part.toolName}</code>
      </p>
    )
  return (
    <p className={part.isError ? 'message-failed' : 'muted'}>
      <code>{part.toolName}</code> {part.isError ? 'failed' : 'answered'}
    </p>
  )
}

/** One message and its author. */
export const MessageLine = ({ message: { role, parts, createdAt } }: { message: Message }) => (
  <li className="message" data-role={role}>
    <p className="message-head">
      <strong>{role}</strong> <Time iso={createdAt} />
    </p>
    {parts.map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message never change their order
      <Part key={index} part={part} role={role} />
    ))}
  </li>
)

/** The messages of people and models, and the tool calls between them. The operations have the contents of calls. */
export const Messages = ({ messages, live }: { messages: readonly Message[]; live: string }) => (
  <ol className="messages" aria-label="Messages">
    {messages.map((message) => (
      <MessageLine key={message.id} message={message} />
    ))}
    {live !== '' && (
      <li className="message" data-role="assistant" aria-live="polite">
        <p className="message-head">
          <strong>assistant</strong> <span className="muted">now</span>
        </p>
        <Markdown text={live} />
      </li>
    )}
  </ol>
)
