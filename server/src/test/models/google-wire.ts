import { readUsage, type Wire } from './step.ts'

/** Google's Gemini API. Its tool calls have no ids, and its thoughts are counted apart from the output. */
export const googleWire: Wire = (said) => {
  const { text = [], toolCalls = [] } = said
  const { input, output, cacheRead, reasoning } = readUsage(said)
  const chunk = (parts: object[], rest: object = {}) => ({
    data: { candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }] },
  })
  const usageMetadata = {
    promptTokenCount: input,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + output,
  }
  const last = chunk([], { finishReason: 'STOP' })
  return {
    events: [
      ...text.map((piece) => chunk([{ text: piece }])),
      ...toolCalls.map(({ name, input: args }) => chunk([{ functionCall: { name, args } }])),
    ],
    end: [{ data: { ...last.data, usageMetadata } }],
  }
}
