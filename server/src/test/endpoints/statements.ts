import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { newRecord } from './records.ts'
import { type EndpointRows, inStream, plain, planted } from './row.ts'

// Statements.

const newStatement = async (brain: TestBrain): Promise<string> => {
  const body = {
    subject: { id: await newRecord(brain), kind: 'sample' },
    predicate: 'is',
    object: { value: fresh('value') },
  }
  return (await brain.call('POST', '/statements', body)).body.data.statement.id
}

const onStatement = async (_test: TestApp, brain: TestBrain) => ({ params: { id: await newStatement(brain) } })

export const statementsRows = {
  'brain.statements.get': {
    needs: ['read'],
    call: onStatement,
    aimed: () => [planted, { params: { id: 'over' }, query: { retracted: 'true' } }],
  },
  'brain.statements.list': {
    needs: ['read'],
    call: plain,
    aimed: () => [{}, { query: { retracted: 'true' } }, { query: { subject: 'planted' } }],
  },
  'brain.statements.assert': {
    needs: ['write'],
    call: async (_test, brain) => ({
      body: {
        subject: { id: await newRecord(brain), kind: 'sample' },
        predicate: 'is',
        object: { value: fresh('value') },
      },
    }),
    aimed: ({ statement }) => [
      { body: statement },
      { body: { ...statement, object: { value: 'another' } } },
      { body: { ...statement, subject: { id: 'planted', kind: 'company' } } },
    ],
    example: {
      body: {
        subject: { id: 'voyager-1', kind: 'spacecraft' },
        predicate: 'carries',
        object: { value: 'golden record' },
        validFrom: '2012-08-25T00:00:00Z',
        confidence: 1,
      },
    },
    unaudited: inStream,
  },
  'brain.statements.retract': {
    needs: ['write'],
    call: async (test, brain) => ({ ...(await onStatement(test, brain)), body: { reason: 'The source was wrong.' } }),
    aimed: () => [{ ...planted, body: {} }],
    unaudited: inStream,
  },
} satisfies EndpointRows
