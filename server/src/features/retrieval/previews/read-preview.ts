import type { ReadSource } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { BrainReads } from '../../kernel/replica-reads/replica-reads.ts'
import { describePreview, type Preview, type PreviewDeps, withPreview } from '../../writing/previews/previews.ts'
import { embeddedText } from '../lexical-index/split-version.ts'
import { type AddedPassages, readAdded } from '../lexical-index/unindexed.ts'
import type { PreviewedChange, SearchDeps } from '../search/open-brain.ts'

// Reads a Brain as if a pending change were published. The texts of the change are searched as those that are newer than the index
// are; their vectors are made for the read and kept nowhere.

export type PreviewReads = PreviewDeps & { brainReads: BrainReads; vectors: SearchDeps['vectors'] }

/** Passages that are embedded for a preview. Others are found by their words. */
const maxEmbedded = 200

/** The Brain, the sources and the description that reads of a preview get. */
export type ReadOfPreview = {
  brain: BrainRow
  /** The rows as they would be. */
  source: ReadSource
  /** The rows as they are: search reads its index there. */
  base: ReadSource
  preview: Pick<PreviewedChange, 'described' | 'served'>
}

const toRead = (preview: Preview, base: ReadSource): ReadOfPreview => ({
  brain: preview.brain,
  base,
  source: preview.overlay(base),
  preview: {
    described: describePreview(preview),
    served: {
      change: preview.change,
      isPreviewed: ({ type, id }) => preview.written.has(`${type} ${id}`),
    },
  },
})

/** Reads rows of a Brain as if a change were published. Rows that were staged a moment ago are on the primary alone. */
export const readWithChange = <Found>(
  deps: PreviewReads,
  target: { brain: BrainRow; change: string },
  read: (read: ReadOfPreview) => Promise<Found>,
): Promise<Found> => withPreview(deps, target, (preview) => read(toRead(preview, deps.brainReads.primary)))

const embed = ({ vectors }: PreviewReads, { passages }: AddedPassages) =>
  passages.length === 0
    ? undefined
    : vectors?.embedAdded(passages.slice(0, maxEmbedded).map(({ passage }) => embeddedText(passage)))

/** The same for searches. `isByMeaning`: whether the texts of the change are embedded. */
export const searchWithChange = <Found>(
  deps: PreviewReads,
  target: { brain: BrainRow; change: string; isByMeaning: boolean },
  read: (read: ReadOfPreview & { preview: PreviewedChange }) => Promise<Found>,
): Promise<Found> =>
  withPreview(deps, target, async (opened) => {
    const own = toRead(opened, deps.brainReads.primary)
    const { events, brain } = opened
    const added = await readAdded(own.source, brain.brainId, { events, position: brain.position })
    const vectors = target.isByMeaning ? await embed(deps, added) : undefined
    return read({ ...own, preview: { ...own.preview, added: { ...added, source: own.source }, vectors } })
  })
