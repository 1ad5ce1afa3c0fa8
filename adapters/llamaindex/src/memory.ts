import { BaseMemoryBlock, type MemoryMessage } from '@llamaindex/core/memory'
import type { BrainClient } from '@noema/sdk'
import { type MessageLog, openMessageLog } from '@noema/sdk/message-log'
import { type RecallOptions, recall } from '@noema/sdk/retrieval'
import { toText } from './text.ts'

/** Options of a memory block: what it reads, and where it stores what leaves the short-term memory. */
export type BrainMemoryBlockOptions = RecallOptions & {
  /** The id of the block and of its conversation. Without it the block only reads. */
  sessionId?: string | undefined
  /** The kind of the records of messages; default `message`. */
  messageKind?: string | undefined
  /** The priority among memory blocks; 0, the default, always includes this one. */
  priority?: number | undefined
}

const roles = { system: 'system', user: 'user', assistant: 'assistant', developer: 'system', memory: 'system' } as const

/**
 * A memory block over a Brain. It gives the model what is relevant to the latest messages, as one message of quoted data, and
 * stores messages that leave the short-term memory, each once. Rejects with an `ApiError`.
 */
export class BrainMemoryBlock extends BaseMemoryBlock {
  private readonly brain: BrainClient
  private readonly options: RecallOptions
  private readonly log: MessageLog | undefined

  constructor(brain: BrainClient, options: BrainMemoryBlockOptions = {}) {
    const { sessionId, messageKind, priority = 0, ...recallOptions } = options
    super({ priority, isLongTerm: true, ...(sessionId === undefined ? {} : { id: sessionId }) })
    this.brain = brain
    this.options = recallOptions
    this.log = sessionId === undefined ? undefined : openMessageLog(brain, { id: sessionId, kind: messageKind })
  }

  async get(messages: MemoryMessage[] = []): Promise<MemoryMessage[]> {
    const conversation = messages.map(({ role, content }) => ({ role: roles[role], text: toText(content) }))
    const known = await recall(this.brain, conversation, this.options)
    return known ? [{ id: known.receipt, role: 'memory', content: known.text }] : []
  }

  async put(messages: MemoryMessage[]): Promise<void> {
    if (!this.log || messages.length === 0) return
    // Ids of messages are random: a block that gets the same messages again adds nothing.
    const ids = messages.map(({ id }) => id)
    await this.log.append(messages, { idempotencyKey: `${this.id}:${ids[0]}:${ids.at(-1)}:${ids.length}` })
  }
}
