/** Quotes a text for a shell: within single quotes nothing has a meaning. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Quotes a word for a shell, if it needs that. */
export const quoteWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word))
