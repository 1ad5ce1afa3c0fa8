import type { BoundStatement } from '../../../storage/statements.ts'

// Citus refuses inserts within a statement that does more, and gathers rows that come from no table on the coordinator before it sends
// them to a server, which takes a two-phase commit. So a commit to divided tables is a transaction of several statements, and each of
// its inserts takes the number of the Brain from the Brain's own row: Citus sends it whole to the one server that has this row.

const beginsInsert = /^\s*insert into [^(]+\([^)]*\)\s*select (\$\d+::bigint),/

/** Finds the first of these words that is outside of parentheses, from this place on; -1 if there is none. */
export const findOutside = (text: string, words: string, begin: number): number => {
  let depth = 0
  for (const { 0: token, index } of text.slice(begin).matchAll(new RegExp(`[()]|\\b${words}\\b`, 'g'))) {
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (depth === 0) return begin + index
  }
  return -1
}

/** An insert of rows of one Brain that one server runs whole; other statements stay as they are. */
export const toRouted = (statement: BoundStatement<object>): BoundStatement<object> => {
  const { text } = statement
  const found = beginsInsert.exec(text)
  if (!found) return statement
  const [head, brainId = ''] = found
  const from = findOutside(text, 'from', head.length)
  if (from === -1) return statement
  const begin = `${head.slice(0, head.length - brainId.length - 1)}owner.owner_id,`
  const owner = `(select brain_id as owner_id from brains where brain_id = ${brainId}) as owner`
  const rest = text.slice(from + 'from'.length)
  return { ...statement, text: `${begin}${text.slice(head.length, from)}from ${owner} cross join ${rest.trimStart()}` }
}
