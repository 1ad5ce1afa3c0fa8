import type { BrainClient } from '@noema/sdk'
import { type MessageLog, openMessageLog } from '@noema/sdk/message-log'
import type { AgentInputItem, Session } from '@openai/agents-core'

/** Options of a session. */
export type BrainSessionOptions = {
  /** The id of the conversation: a session with the same id continues it. Random when left out. */
  sessionId?: string | undefined
  /** The kind of the records; default `message`. */
  kind?: string | undefined
}

/**
 * A session in a Brain: `run(agent, input, { session })`. Several processes may use one session at once. Rejects with an
 * `ApiError`, and with a `NoemaError` in a Brain under review, where a message would wait for a decision.
 */
export class BrainSession implements Session {
  private readonly sessionId: string
  private readonly log: MessageLog

  constructor(brain: BrainClient, { sessionId = crypto.randomUUID(), kind }: BrainSessionOptions = {}) {
    this.sessionId = sessionId
    this.log = openMessageLog(brain, { id: sessionId, kind })
  }

  async getSessionId(): Promise<string> {
    return this.sessionId
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    // The log holds only what `addItems` stored.
    return (await this.log.list({ limit })) as AgentInputItem[]
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length > 0) await this.log.append(items)
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    return (await this.log.pop()) as AgentInputItem | undefined
  }

  async clearSession(): Promise<void> {
    await this.log.clear()
  }
}
