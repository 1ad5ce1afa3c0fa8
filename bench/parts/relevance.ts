import type { Question } from './collections.ts'
import { createRandom } from './random.ts'
import { median, percentile } from './statistics.ts'

/** The answer to one question: the ids in its order, and its duration. */
export type Answered = { question: Question; ids: readonly string[]; milliseconds: number }

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / (values.length || 1)

const recallAt = (limit: number, { question: { relevant }, ids }: Answered): number =>
  ids.slice(0, limit).filter((id) => relevant.has(id)).length / relevant.size

/** Normalized discounted cumulative gain with gains of 1 (Järvelin & Kekäläinen 2002). */
const ndcgAt = (limit: number, { question: { relevant }, ids }: Answered): number => {
  const gain = (place: number) => 1 / Math.log2(place + 2)
  const found = ids.slice(0, limit).reduce((sum, id, place) => sum + (relevant.has(id) ? gain(place) : 0), 0)
  const ideal = Array.from({ length: Math.min(limit, relevant.size) }, (_, place) => gain(place))
  return found / (ideal.reduce((sum, value) => sum + value, 0) || 1)
}

/** The mean nDCG@10 of answers. */
export const meanNdcg = (answered: readonly Answered[]): number => mean(answered.map((one) => ndcgAt(10, one)))

const resamples = 2_000

/** A mean difference and the interval that has 95 % of its resamples. */
export type Difference = { mean: number; low: number; high: number }

/**
 * The difference of the nDCG@10 of two ways to answer the same questions, with the percentile interval of a paired bootstrap (Sakai
 * 2006): where it includes 0, so many questions cannot tell one from the other.
 */
export const compareNdcg = (one: readonly Answered[], other: readonly Answered[]): Difference => {
  const differences = one.map((answered, at) => ndcgAt(10, answered) - ndcgAt(10, other[at] ?? answered))
  const random = createRandom(1)
  const means = Array.from({ length: resamples }, () =>
    mean(differences.map(() => differences[Math.floor(random() * differences.length)] ?? 0)),
  ).sort((a, b) => a - b)
  return { mean: mean(differences), low: percentile(means, 0.025), high: percentile(means, 0.975) }
}

/** The share of questions whose first result is right. */
export const meanFirst = (answered: readonly Answered[]): number =>
  mean(answered.map(({ question: { relevant }, ids }) => (relevant.has(ids[0] ?? '') ? 1 : 0)))

const shown = (value: number): string => value.toFixed(3)

/** The figures of one way of searching as a row: quality over all questions, recall by category, and latency. */
export const toRow = (name: string, answered: readonly Answered[]): string[] => {
  const judged = answered.filter(({ question }) => question.relevant.size > 0)
  const categories = [...new Set(judged.map(({ question }) => question.category))].sort()
  const byCategory = categories.map((category) => {
    const those = judged.filter(({ question }) => question.category === category)
    return `${category}: ${shown(mean(those.map((one) => recallAt(10, one))))}`
  })
  const times = answered.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
  return [
    name,
    shown(mean(judged.map((one) => ndcgAt(10, one)))),
    ...[5, 10, 100].map((limit) => shown(mean(judged.map((one) => recallAt(limit, one))))),
    `${median(times).toFixed(1)} / ${percentile(times, 0.99).toFixed(1)}`,
    categories.length > 1 ? byCategory.join(', ') : '',
  ]
}

/** The heads of the columns of `toRow`. */
export const columns = ['search', 'nDCG@10', 'recall@5', '@10', '@100', 'ms p50 / p99', 'recall@10 by category']
