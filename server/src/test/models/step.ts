/** What a scripted model says in one step, whatever its API. */
export type Said = {
  /** Its text, in the pieces in which it comes. */
  text?: readonly string[]
  reasoning?: string
  toolCalls?: readonly { id: string; name: string; input: unknown }[]
  usage?: { input: number; output: number; cacheRead?: number; cacheWrite?: number; reasoning?: number }
  /** What becomes of the stream after that: it ends properly, or without its last events, is cut off, or stays open and silent. */
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

/** An API as a scripted server speaks it: the events of a step in their order, the last of which ends it. */
export type Wire = (said: Said) => {
  events: { event?: string; data: unknown }[]
  end: { event?: string; data: unknown }[]
}
