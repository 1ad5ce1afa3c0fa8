import type { DerivedPage } from '@noema/contracts/derived-pages.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'

/** A version that a run read. */
export type Used = [type: ContentType, id: string, version: number]

export type PageKey = { brainId: number; documentId: string }

/** A derived page as its row holds it. */
export type PageRow = PageKey & {
  id: string
  agentId: string
  question: string | null
  addresses: NonNullable<DerivedPage['addresses']> | null
  setBy: Actor
  updatedAt: Date
  used: Used[]
  examined: number
  next: number | null
  revision: number
  lineage: string[]
  reason: string | null
  runId: string | null
  isRunning: boolean
  change: string | null
  pausedReason: string | null
  failures: number
  dueAt: Date | null
}

/** The part of a page that a turn stores. */
export type PageState = Pick<
  PageRow,
  | 'used'
  | 'examined'
  | 'next'
  | 'revision'
  | 'lineage'
  | 'reason'
  | 'runId'
  | 'isRunning'
  | 'change'
  | 'pausedReason'
  | 'failures'
  | 'dueAt'
>
