import { readUsage, type Wire } from './step.ts'

/** OpenAI's chat completions, which all compatible servers speak. */
export const chatWire: Wire = (said) => {
  const { text = [], reasoning, toolCalls = [] } = said
  const { input, output, cacheRead, reasoning: thought } = readUsage(said)
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  const chunk = (delta: object, finish: string | null = null) => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason: finish }] },
  })
  const calls = toolCalls.map(({ id, name, input: given }, index) =>
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(given) } }] }),
  )
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: thought },
  }
  return {
    events: [
      chunk({ role: 'assistant', content: '' }),
      ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
      ...text.map((content) => chunk({ content })),
      ...calls,
    ],
    end: [
      chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      { data: { ...base, choices: [], usage } },
      { data: '[DONE]' },
    ],
  }
}
