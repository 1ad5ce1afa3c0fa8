import { expect, test } from 'vitest'
import { FieldProblem, InvalidBody, showProblems } from './problems.ts'

const names = ['name', 'maxSteps', 'types']

test('a problem is shown at the field whose path contains it', () => {
  const error = new InvalidBody([
    { path: 'body.name', message: 'Expected at least 1 character.' },
    { path: 'body.limits.maxSteps', message: 'Expected a number up to 1000.' },
    { path: 'body.types.0', message: 'Unknown event type.' },
    { path: 'body.types.1', message: 'Another.' },
  ])
  expect(showProblems(error, names, { maxSteps: 'limits.maxSteps' })).toEqual({
    fields: {
      name: 'Expected at least 1 character.',
      maxSteps: 'Expected a number up to 1000.',
      types: 'Unknown event type.',
    },
    failure: undefined,
  })
})

test('a problem without a shown field keeps the error for the notice', () => {
  const error = new InvalidBody([
    { path: 'body.name', message: 'Too long.' },
    { path: 'body.nameless', message: 'Not known.' },
  ])
  expect(showProblems(error, names)).toEqual({ fields: { name: 'Too long.' }, failure: error })
})

test('an error without details is shown unchanged', () => {
  const error = new Error('The service cannot be reached.')
  expect(showProblems(error, names)).toEqual({ fields: {}, failure: error })
  expect(showProblems('late', names)).toEqual({ fields: {}, failure: 'late' })
})

test('a value that no body can contain is a problem of its field', () => {
  const error = new FieldProblem('name', 'This is not JSON.')
  expect(showProblems(error, names)).toEqual({ fields: { name: 'This is not JSON.' }, failure: undefined })
  expect(showProblems(error, [])).toEqual({ fields: {}, failure: error })
})
