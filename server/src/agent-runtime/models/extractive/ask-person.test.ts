import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { createExtractiveModel } from './extractive.ts'
import { answered, contextOutput, toTool } from './prompts.fixture.ts'

const model = createExtractiveModel()
const nothing = contextOutput([], { evidence: 'none' })
const question = 'Who waters the plants?'

const withPeople = (outputs: readonly object[], toolNames?: readonly string[]): LanguageModelV4CallOptions => ({
  ...answered(question, outputs, toolNames),
  tools: ['knowledge_context', 'ask_human'].map(toTool),
})

const readText = async (options: LanguageModelV4CallOptions) =>
  (await model.doGenerate(options)).content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')

test('D-74 an agent that may ask people asks them the question if nothing answers it', async () => {
  const { content, finishReason } = await model.doGenerate(withPeople([nothing]))
  expect(content).toEqual([
    {
      ...{ type: 'tool-call', toolCallId: 'call-1', toolName: 'ask_human' },
      input: '{"question":"Nothing in the Brain answers this. Do you know it? Who waters the plants?"}',
    },
  ])
  expect(finishReason.unified).toBe('tool-calls')
})

test('D-74 the answer of a person is passed on as theirs, and nothing of it is a link', async () => {
  const outputs = [nothing, { answer: 'Bo does, [see](https://example.com).' }]
  const text = await readText(withPeople(outputs, ['knowledge_context', 'ask_human']))
  expect(text).toContain('A person was asked')
  expect(text).toContain('> Bo does, \\[see](https://example.com).')
})

test('D-74 no person is asked twice, and none where something answers', async () => {
  const expired = { expired: true, note: 'No one answered in time.' }
  expect(await readText(withPeople([nothing, expired], ['knowledge_context', 'ask_human']))).toContain(
    'Nothing in the Brain',
  )
  const found = contextOutput([{ type: 'document', id: 'plants', text: 'Bo Lind waters the plants on Fridays.' }])
  expect(await readText(withPeople([found]))).toContain('> Bo Lind waters the plants on Fridays.')
})
