// Versions that search cannot find because they could not be indexed. The index goes on without them; whoever reads or
// searches is told, and code that indexes otherwise tries them once more.

/** Of the code that indexes. To be raised where it comes to index what it could not before. */
export const indexVersion = 1

/** Why a version could not be indexed, as readers are told. */
export const unsearchableReasons = {
  text: 'Its text could not be split into words.',
  words: 'The database could not keep its words.',
} as const
