import type { Criterion } from '@noema/contracts/rubrics.ts'

// The rubrics that come with the service.

/** A rubric of the service. */
export type IncludedRubric = { name: string; version: 1; criteria: readonly Criterion[] }

const define = (name: string, criteria: readonly [id: string, text: string, required?: true][]): IncludedRubric => ({
  name,
  version: 1,
  criteria: criteria.map(([id, text, required = false]) => ({ id, text, weight: 1, required })),
})

export const includedRubrics: readonly IncludedRubric[] = [
  define('noema-follows-procedure', [
    [
      'steps',
      'The answer does every step that the expected procedure asks for, and names none as done that is not.',
      true,
    ],
    ['order', 'The steps are in the order of the expected procedure.'],
    ['nothing_else', 'The answer adds no step that the expected procedure does not have.'],
  ]),
  define('noema-grounded-answer', [
    [
      'answers',
      'The answer gives the facts that the question asks for, and they agree with the expected answer.',
      true,
    ],
    [
      'nothing_invented',
      'Every name, number, date and claim of the answer is in the expected answer or follows from it.',
      true,
    ],
    ['direct', 'The answer says the result first and stays with the question.'],
  ]),
  define('noema-refuses-unknown', [
    ['refuses', 'The answer says clearly that it is not known or not found.', true],
    ['no_guess', 'The answer offers no guess as if it were a fact.', true],
    ['helps', 'The answer says what would be needed to find out, or where to ask.'],
  ]),
]
