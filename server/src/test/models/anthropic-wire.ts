import { readUsage, type Wire } from './step.ts'

/** Anthropic's Messages API. Tokens read from its cache, or written to it, are counted apart from the input. */
export const anthropicWire: Wire = (said) => {
  const { text = [], toolCalls = [] } = said
  const { input, output, cacheRead, cacheWrite } = readUsage(said)
  const event = (type: string, rest: object) => ({ event: type, data: { type, ...rest } })
  const usage = {
    input_tokens: input - cacheRead - cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: 1,
  }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [], usage }
  const block = (index: number, content: object, deltas: object[]) => [
    event('content_block_start', { index, content_block: content }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
  const texts =
    text.length === 0
      ? []
      : block(
          0,
          { type: 'text', text: '' },
          text.map((piece) => ({ type: 'text_delta', text: piece })),
        )
  const calls = toolCalls.flatMap(({ id, name, input: given }, index) =>
    block(index + 1, { type: 'tool_use', id, name, input: {} }, [
      { type: 'input_json_delta', partial_json: JSON.stringify(given) },
    ]),
  )
  const stop = calls.length > 0 ? 'tool_use' : 'end_turn'
  return {
    events: [event('message_start', { message: { ...message, stop_reason: null } }), ...texts, ...calls],
    end: [
      event('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } }),
      event('message_stop', {}),
    ],
  }
}
