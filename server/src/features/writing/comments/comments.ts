import { type ChangeComment, maxComments } from '@noema/contracts/change-comments.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db } from '../../../storage/database.ts'
import type { StoredComment } from '../commit/change-store.ts'
import { insertComment, selectComments } from './queries.ts'

// Comments are for the reviewers of a change. They are no content: they make no state, and no event.

const show = ({ by, ...comment }: StoredComment): ChangeComment => ({ ...comment, by: summarizeActor(by) })

/** The comments on a change, the oldest first. */
export const listComments = async (db: Db, brainId: number, id: string): Promise<ChangeComment[]> =>
  (await selectComments(db, { brainId, id })).map(show)

/** Adds a comment to a change of a Brain, whether it is decided or not. The same one of the same writer is added once. */
export const addComment = async (
  { db, clock }: { db: Db; clock: Clock },
  { brainId, id }: { brainId: number; id: string },
  { text, by }: { text: string; by: Actor },
): Promise<ChangeComment> => {
  const at = clock.now()
  const comment = { id: newId('cmt', at), text, by, at: at.toISOString() }
  const found = await insertComment(db, { brainId, id, max: maxComments }, comment)
  if (!found) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
  if (found.equal) return show(found.equal)
  if (found.before >= maxComments)
    throw conflict(`This change has ${maxComments} comments, as many as it may have.`, { code: 'too_many_comments' })
  return show(comment)
}
