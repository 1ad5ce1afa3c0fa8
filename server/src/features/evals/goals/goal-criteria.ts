import type { Grader } from '@noema/contracts/graders.ts'
import { invalidArgument, refuseAt } from '../../../shared/errors.ts'

// Graders of a goal have no case that says what is expected, so each says it itself.

/** The most bytes of JSON text of all criteria of a goal. */
const maxCriteriaBytes = 128 * 1024

/** The properties of a grader of which one must be there, by type. */
const needed: Partial<Record<Grader['type'], readonly string[]>> = {
  equals: ['value'],
  contains: ['values'],
  not_contains: ['values'],
  regex: ['pattern'],
  found: ['items'],
  not_found: ['items'],
  operations: ['called', 'notCalled'],
  limits: ['maxCostCents', 'maxMilliseconds'],
}

/** Refuses graders that would grade nothing. */
export const checkValues = (criteria: readonly Grader[]): void => {
  for (const [index, grader] of criteria.entries()) {
    if (grader.type === 'person')
      throw invalidArgument(
        ['criteria', index, 'type'],
        'People do not grade each attempt at a goal; one that makes no progress asks a person. Use a rubric.',
      )
    const names = needed[grader.type]
    if (names && !names.some((name) => (grader as { [name: string]: unknown })[name] !== undefined))
      throw invalidArgument(
        ['criteria', index, names[0] ?? ''],
        `${grader.type} needs ${names.join(' or ')} in a goal.`,
      )
  }
  if (Buffer.byteLength(JSON.stringify(criteria)) > maxCriteriaBytes)
    throw refuseAt(['criteria'], `The criteria of a goal have at most ${maxCriteriaBytes / 1024} KiB of JSON text.`)
}
