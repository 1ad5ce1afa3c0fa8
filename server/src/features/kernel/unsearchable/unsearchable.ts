// Versions that search cannot find because indexing failed. The index continues without them, and answers to readers report
// them. When the version of the indexing code changes, they are tried again.

/** The version of the indexing code. Raise it when the code can index more than before. */
export const indexVersion = 1

/** Reasons why a version could not be indexed, in messages for readers. */
export const unsearchableReasons = {
  text: 'Its text could not be split into words.',
  words: 'The database could not keep its words.',
} as const
