/** How one question was judged: whether the Brain has an answer to it, and what the search made of it. */
export type Judged = {
  /** What was asked of what, as it is told in tables. */
  group: string
  collection: string
  /** Undefined where the question is of another Brain about similar things: then it is told, and not part of the curve. */
  isAnswerable: boolean | undefined
  /** In which half of the questions it is. */
  half: 0 | 1
  evidence: 'strong' | 'weak' | 'none'
  /** The support of the best result. */
  support: number
}

const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`)

const count = (judged: readonly Judged[], evidence: Judged['evidence']): number =>
  judged.filter((one) => one.evidence === evidence).length

/** A row for each group: how many questions, and how they were judged. */
export const toGroupRows = (judged: readonly Judged[]): string[][] =>
  [...Map.groupBy(judged, ({ group }) => group)].map(([group, ones]) => [
    group,
    String(ones.length),
    ...(['strong', 'weak', 'none'] as const).map((evidence) => share(count(ones, evidence), ones.length)),
  ])

export const groupColumns = ['questions', 'number', 'strong', 'weak', 'none']

/** What part of the answerable questions has this support at least, and what part of the others has less. */
const atThreshold = (judged: readonly Judged[], threshold: number): { answered: number; refused: number } => {
  const answerable = judged.filter(({ isAnswerable }) => isAnswerable === true)
  const others = judged.filter(({ isAnswerable }) => isAnswerable === false)
  return {
    answered: answerable.filter(({ support }) => support >= threshold).length / answerable.length,
    refused: others.filter(({ support }) => support < threshold).length / others.length,
  }
}

/** The curve of both parts over thresholds (a ROC curve, as a table). */
export const toCurveRows = (judged: readonly Judged[], thresholds: readonly number[]): string[][] =>
  thresholds.map((threshold) => {
    const { answered, refused } = atThreshold(judged, threshold)
    return [threshold.toFixed(2), share(answered, 1), share(refused, 1)]
  })

export const curveColumns = ['support from', 'answerable: strong or weak', 'others: none']

/** The threshold at which the smaller of both parts is largest: the middle of those, as there are many. */
const fitThreshold = (judged: readonly Judged[], thresholds: readonly number[]): number => {
  const worth = thresholds.map((threshold) => {
    const { answered, refused } = atThreshold(judged, threshold)
    return Math.min(answered, refused)
  })
  const best = thresholds.filter((_threshold, index) => worth[index] === Math.max(...worth))
  return best[Math.floor(best.length / 2)] ?? Number.NaN
}

/** A row of what a threshold that was fitted to some questions does with others. */
export const toFitRow = (
  name: string,
  fittedTo: readonly Judged[],
  reportedOn: readonly Judged[],
  thresholds: readonly number[],
): string[] => {
  const threshold = fitThreshold(fittedTo, thresholds)
  const { answered, refused } = atThreshold(reportedOn, threshold)
  return [name, threshold.toFixed(2), share(answered, 1), share(refused, 1)]
}

export const fitColumns = ['fitted to, reported on', ...curveColumns]

/** Lines of a table whose columns are as wide as they need to be. */
export const toTable = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_cell, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
