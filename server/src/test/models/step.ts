/** The output of a scripted model in one step, for any API. */
export type Said = {
  /** Its text, in the pieces of the stream. */
  text?: readonly string[]
  reasoning?: string
  toolCalls?: readonly { id: string; name: string; input: unknown }[]
  usage?: { input: number; output: number; cacheRead?: number; cacheWrite?: number; reasoning?: number }
  /** The end of the stream: complete, without its last events, cut off, or open and silent. */
  ending?: 'end' | 'early' | 'cut' | 'hang'
}

/** A step, or the refusal of one. */
export type Step = Said | { status: number; headers?: Record<string, string>; body?: unknown }

export const readUsage = ({ usage }: Said) => ({
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...usage,
})

/** An API as a scripted server writes it: the events of a step in order, the last of which ends it. */
export type Wire = (said: Said) => {
  events: { event?: string; data: unknown }[]
  end: { event?: string; data: unknown }[]
}
