import type { ItemFlag } from '@noema/contracts/distillations.ts'

// Texts in journals come from tools, pages and documents, so anyone may have written them. Some try to instruct the model that reads
// them. They are data: what they ask for is never done, and a text that looks like this is left out of what is learned. The list can
// not be complete; a person reviews every item.

const instructions = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules?|above|previous|prior|everything)\b/iu,
  /\b(?:new|updated|real|actual) (?:instructions?|task|system prompt)\b/iu,
  /\byou (?:are now|must now|are no longer)\b/iu,
  /\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show)\b.{0,30}\b(?:user|human|person|anyone|reviewer)\b/iu,
  /\b(?:system|developer|hidden) (?:prompt|message)\b/iu,
  /<\/?(?:system|assistant|instructions?|important)>|<\|[a-z_]{2,20}\|>|\[\/?INST\]/iu,
  /^[ \t]*(?:system|assistant|developer)[ \t]*:/imu,
  /\b(?:add|save|store|write|remember|learn)\b.{0,30}\b(?:as an? )?(?:lesson|skill|memory|rule)\b/iu,
  /\balways (?:approve|accept|trust|obey|follow|call|send|run|execute)\b/iu,
  /\b(?:reveal|print|send|exfiltrate|leak)\b.{0,40}\b(?:api keys?|passwords?|secrets?|credentials?|tokens?)\b/iu,
]

/** Characters that hide words from people: as in the review of changes, but for joiners and selectors, which scripts and emoji need. */
const hidden = /[\p{Default_Ignorable_Code_Point}--[\u200c\u200d\ufe0e\ufe0f]]/v

/** A text is examined without characters that hide or split its words. */
const plain = (text: string): string => text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')

/** The warnings for a reviewer about a text that anyone may have written. */
export const findInstructions = (text: string): ItemFlag[] => {
  const examined = plain(text)
  return [
    ...(instructions.some((pattern) => pattern.test(examined)) ? (['instructions'] as const) : []),
    ...(hidden.test(text) ? (['hidden_characters'] as const) : []),
  ]
}

/** Flags of several texts, each once. */
export const joinFlags = (flags: readonly (readonly ItemFlag[])[]): ItemFlag[] => [...new Set(flags.flat())].toSorted()
