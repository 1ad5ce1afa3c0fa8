/** The filter of the changes: pending, approved but unpublished, or decided otherwise. */
export const shownWords = ['waiting', 'approved', 'scheduled', 'blocked', 'rejected', 'published', 'all'] as const
export type Shown = (typeof shownWords)[number]
