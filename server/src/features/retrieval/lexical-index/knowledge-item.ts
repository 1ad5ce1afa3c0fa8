import type { FoundContent } from '../../brain/content/content-text.ts'

// What search finds is a version of a record, statement or document.

export type ThingType = 'record' | 'statement' | 'document'

/** Which version of what. A statement has one version, 1. */
export type Address = { type: ThingType; id: string; version: number }

/** What a version says, as its table holds it. The records of a statement are those that were valid when it was asserted. */
export type Content = FoundContent

/** A version and the Brain states in which it is valid. */
export type Version = Address & { fromState: number; toState: number | null; content: Content }
