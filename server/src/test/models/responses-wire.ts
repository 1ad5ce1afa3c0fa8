import { readUsage, type Wire } from './step.ts'

/** OpenAI's Responses API. */
export const responsesWire: Wire = (said) => {
  const { text = [], toolCalls = [] } = said
  const { input, output, cacheRead, reasoning } = readUsage(said)
  let sequence = 0
  const event = (type: string, rest: object) => ({ event: type, data: { type, sequence_number: sequence++, ...rest } })
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'scripted', service_tier: null }
  const message = { id: 'msg_1', type: 'message', role: 'assistant' }
  const texts =
    text.length === 0
      ? []
      : [
          event('response.output_item.added', {
            output_index: 0,
            item: { ...message, status: 'in_progress', content: [] },
          }),
          ...text.map((delta) =>
            event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
          ),
          event('response.output_item.done', {
            output_index: 0,
            item: {
              ...{ ...message, status: 'completed' },
              content: [{ type: 'output_text', text: text.join(''), annotations: [] }],
            },
          }),
        ]
  const calls = toolCalls.flatMap(({ id, name, input: given }, index) => {
    const place = { output_index: index + 1 }
    const item = { id: `fc_${index}`, type: 'function_call', call_id: id, name }
    return [
      event('response.output_item.added', { ...place, item: { ...item, status: 'in_progress', arguments: '' } }),
      event('response.output_item.done', {
        ...place,
        item: { ...item, status: 'completed', arguments: JSON.stringify(given) },
      }),
    ]
  })
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
  }
  return {
    events: [event('response.created', { response }), ...texts, ...calls],
    end: [event('response.completed', { response: { ...response, usage, incomplete_details: null, output: [] } })],
  }
}
