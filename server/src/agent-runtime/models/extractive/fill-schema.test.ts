import type { JSONSchema7 } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { readWorked } from '../../../test/worked.ts'
import { createExtractiveModel } from './extractive.ts'
import { MissingEvidence } from './missing-evidence.ts'
import { answered, contextOutput } from './prompts.fixture.ts'

const model = createExtractiveModel()

const invoice = contextOutput([
  {
    ...{ type: 'record', id: 'inv_1', title: 'Invoice 17 of Acme' },
    text: 'title: Invoice 17 of Acme\nnet amount: 1200.5\npaid: false\ncustomer name: Acme Ltd\ntags: urgent, export',
  },
  {
    ...{ type: 'document', id: 'mail', title: 'Mail about the invoice of Acme' },
    text: 'The invoice of Acme is due on 5 March 2027. Its shipping costs are 1,250 euros for 3 parcels. The invoice of Globex has the priority low. Acme gave invoice 17 the priority high.',
  },
  { type: 'statement', id: 'sta_1', text: 'Invoice 17 of Acme is_handled_by Bob' },
])

const fill = async (schema: JSONSchema7, question = 'What does invoice 17 of Acme say?', found: object = invoice) => {
  const { content } = await model.doGenerate({
    ...answered(question, [found]),
    responseFormat: { type: 'json', schema },
  })
  const [text] = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const sources = content.flatMap((part) => (part.type === 'source' ? [part.providerMetadata?.noema?.id] : []))
  return { output: JSON.parse(text ?? ''), sources }
}

const object = (properties: { [name: string]: JSONSchema7 }, required: string[] = []): JSONSchema7 => ({
  type: 'object',
  properties,
  required,
})

test('D-71 fields are filled from fields of records and from statements of their names, with their sources', async () => {
  const { output, sources } = await fill(
    object({
      netAmount: { type: 'number' },
      paid: { type: 'boolean' },
      customer: object({ name: { type: 'string' } }, ['name']),
      tags: { type: 'array', items: { type: 'string' } },
      isHandledBy: { type: 'string' },
    }),
  )
  expect(output).toEqual({
    ...{ netAmount: 1200.5, paid: false, customer: { name: 'Acme Ltd' } },
    ...{ tags: ['urgent', 'export'], isHandledBy: 'Bob' },
  })
  expect(sources.toSorted()).toEqual(['inv_1', 'sta_1'])
})

test('days and words of a list are taken from a sentence about them, not from one about something else', async () => {
  const { output } = await fill(
    object({
      due: { type: 'string', format: 'date' },
      priority: { type: 'string', enum: ['low', 'high'] },
    }),
    'What is known of the invoice of Acme?',
  )
  expect(output).toEqual({ due: '2027-03-05', priority: 'high' })
})

test('answers and citations are filled with quotes and their addresses', async () => {
  const citation = object({ type: { type: 'string' }, id: { type: 'string' }, version: { type: 'integer' } }, ['id'])
  const { output } = await fill(
    object({ answer: { type: 'string' }, citations: { type: 'array', items: citation } }, ['answer', 'citations']),
    'When is the invoice of Acme due?',
  )
  expect(output.answer).toContain('The invoice of Acme is due on 5 March 2027.')
  expect(output.citations).toContainEqual({ type: 'document', id: 'mail', version: 1 })
})

test('D-71 a required field without evidence ends the run, and the error names each such field', async () => {
  const failure = fill(
    object(
      {
        netAmount: { type: 'number' },
        discount: { type: 'number' },
        customer: object({ name: { type: 'string' }, vatId: { type: 'string' } }, ['name', 'vatId']),
      },
      ['netAmount', 'discount', 'customer'],
    ),
  )
  await expect(failure).rejects.toBeInstanceOf(MissingEvidence)
  await expect(failure).rejects.toMatchObject({ fields: ['discount', 'customer.vatId'] })
  await expect(failure).rejects.toThrow(/what these fields of the output are: discount, customer.vatId\./)
})

test('a field without evidence is left out where it may be, null where that is allowed, and never empty or zero', async () => {
  const { output } = await fill(
    object(
      {
        discount: { type: 'number' },
        vatId: { type: ['string', 'null'] },
        seller: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        notes: { type: 'array', items: { type: 'string' } },
        shipped: { type: 'boolean' },
      },
      ['vatId', 'seller'],
    ),
  )
  expect(output).toEqual({ vatId: null, seller: null })
})

test('without an answer to the question, no field is filled', async () => {
  const nothing = contextOutput([], { evidence: 'none' })
  const schema = object({ answer: { type: 'string' }, form: { const: 'v1' } }, ['answer', 'form'])
  await expect(fill(schema, 'Who won?', nothing)).rejects.toMatchObject({ fields: ['answer'] })
})

test('a schema that leads back to itself, and one with a thousand fields, cost little', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `field ${index}`)
  const inner: JSONSchema7 = { $ref: '#/$defs/node' }
  const node = object(Object.fromEntries(names.slice(0, 50).map((name) => [name, inner])))
  const began = readWorked()
  await fill({ ...object({ node: inner }), $defs: { node } })
  await fill(object(Object.fromEntries(names.map((name) => [name, { enum: names }]))))
  expect(readWorked() - began).toBeLessThan(2_000)
})
