import { BaseListChatMessageHistory } from '@langchain/core/chat_history'
import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from '@langchain/core/messages'
import type { BrainClient } from '@noema/sdk'
import { type MessageLog, openMessageLog } from '@noema/sdk/message-log'

/** Options of a history. */
export type BrainChatHistoryOptions = {
  /** The id of the conversation. */
  sessionId: string
  /** The kind of the records; default `message`. */
  kind?: string | undefined
}

/** The messages of one conversation, stored in a Brain; for `RunnableWithMessageHistory`. */
export class BrainChatHistory extends BaseListChatMessageHistory {
  lc_namespace: string[] = ['noema', 'history']
  private readonly log: MessageLog

  constructor(brain: BrainClient, { sessionId, kind }: BrainChatHistoryOptions) {
    super()
    this.log = openMessageLog(brain, { id: sessionId, kind })
  }

  async getMessages(): Promise<BaseMessage[]> {
    // The log holds only what `addMessages` stored.
    return mapStoredMessagesToChatMessages((await this.log.list()) as StoredMessage[])
  }

  async addMessage(message: BaseMessage): Promise<void> {
    await this.addMessages([message])
  }

  override async addMessages(messages: BaseMessage[]): Promise<void> {
    if (messages.length > 0) await this.log.append(mapChatMessagesToStoredMessages(messages))
  }

  override async clear(): Promise<void> {
    await this.log.clear()
  }
}
