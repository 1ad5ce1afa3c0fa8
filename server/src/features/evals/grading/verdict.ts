/** The decision of a grader: a score from 0 to 1, and the reason if it is not 1; undefined if the case expects nothing of it. */
export type Verdict = { score: number; reason?: string } | undefined
