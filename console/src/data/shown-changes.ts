/** What is listed: changes that wait, those that were approved and are not published, or that were decided otherwise. */
export const shownWords = ['waiting', 'approved', 'scheduled', 'blocked', 'rejected', 'published', 'all'] as const
export type Shown = (typeof shownWords)[number]
