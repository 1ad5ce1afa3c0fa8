import { commentOnChange } from './change-comments.ts'
import { previewChange } from './change-previews.ts'
import {
  cancelChange,
  decideChange,
  getChange,
  listChanges,
  publishChange,
  rebaseChange,
  revertChange,
} from './changes.ts'

/** The changes of a Brain, and their review. */
export const changeEndpoints = {
  list: listChanges,
  get: getChange,
  preview: previewChange,
  comment: commentOnChange,
  decide: decideChange,
  publish: publishChange,
  cancel: cancelChange,
  rebase: rebaseChange,
  revert: revertChange,
}
