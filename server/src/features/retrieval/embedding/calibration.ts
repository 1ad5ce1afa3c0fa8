// The meaning of a cosine differs between models: for texts that have nothing in common it is 0 with one and 0.7 with another. A few
// pairs of question and answer show the cosines of related and unrelated texts.

/** The mean cosine of a question and texts about something else, and that of a question and its answer. */
export type Calibration = { unrelated: number; related: number }

/** The calibrations of models that come with the service, by space: the results of `measureCalibration` for `probes`. */
export const knownCalibrations: ReadonlyMap<string, Calibration> = new Map([
  ['all-MiniLM-L6-v2-q8', { unrelated: 0.04, related: 0.515 }],
])

const pairs: readonly (readonly [question: string, answer: string])[] = [
  ['When does the library open?', 'The reading rooms are open from nine on weekdays.'],
  ['Who pays for travel?', 'Employees hand in receipts, and the company refunds trains and hotels.'],
  ['Which database do we use?', 'All services store their data in PostgreSQL.'],
  ['What did Maria cook for dinner?', 'Maria made a soup of lentils and carrots last night.'],
  ['How are passwords stored?', 'Only a salted hash of each password is kept.'],
  [
    'Why do leaves change colour in autumn?',
    'As days grow short, trees break down chlorophyll and other pigments show.',
  ],
  ['Where does the contract say how it ends?', 'Either party may terminate the agreement with three months notice.'],
  ['What is the lift of a thin wing?', 'The lift coefficient of a thin airfoil grows with the angle of attack.'],
  ['How is the dog doing?', 'Our puppy has recovered and plays in the garden again.'],
  ['Which medicine helps against fever?', 'Paracetamol lowers the temperature of a patient within an hour.'],
  ['Who won the match on Sunday?', 'The home team beat the visitors by two goals at the weekend.'],
  ['When is the invoice due?', 'Payment has to be made within thirty days of billing.'],
]

/** The texts of a calibration: questions, and their answers in the same order. */
export const probes = { questions: pairs.map(([question]) => question), answers: pairs.map(([, answer]) => answer) }

/** The minimum of difference between both for cosines to mean anything. */
const minDifference = 0.02

const multiply = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, axis) => sum + value * (other[axis] ?? 0), 0)

/** The calibration of a model by the vectors of `probes`, of length 1; undefined where its cosines mean nothing. */
export const measureCalibration = (
  questions: readonly Float32Array[],
  answers: readonly Float32Array[],
): Calibration | undefined => {
  const { length: count } = questions
  let [own, others] = [0, 0]
  for (const [at, question] of questions.entries())
    for (const [index, answer] of answers.entries())
      if (at === index) own += multiply(question, answer)
      else others += multiply(question, answer)
  const [related, unrelated] = [own / count, others / (count * (count - 1))]
  return related - unrelated > minDifference ? { unrelated, related } : undefined
}
