import type { ChangeFlag } from '@noema/contracts/changes.ts'
import type { ResolvedOperation } from '../../brain/versioning/types.ts'

// Zero-width and joining characters, bidirectional controls, soft hyphens, tags and the like: what hides words from a
// reviewer that an agent then reads.
const hidden = /\p{Default_Ignorable_Code_Point}/u

// Emoji are made with a joiner and a variation selector; beside a pictograph these hide nothing.
const emoji = /(?:\p{Extended_Pictographic}[\ufe0e\ufe0f]?\u200d?)+|[#*0-9]\ufe0f/gu

const readTexts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, item]) => [name, ...readTexts(item)])
}

/** Whether anything that an operation writes holds characters that do not show. */
const hidesCharacters = (operation: ResolvedOperation): boolean =>
  readTexts(operation).some((text) => hidden.test(text.replaceAll(emoji, '')))

/** What a reviewer is warned of. `isServed` tells whether a document's text is served already, under another id. */
export const findFlags = (operation: ResolvedOperation, isServed: boolean): ChangeFlag[] => {
  const isUnverified = 'provenance' in operation && operation.provenance?.trust === 'unverified'
  return [
    ...(isServed ? (['duplicate_text'] as const) : []),
    ...(hidesCharacters(operation) ? (['hidden_characters'] as const) : []),
    ...(isUnverified ? (['unverified_source'] as const) : []),
  ]
}
