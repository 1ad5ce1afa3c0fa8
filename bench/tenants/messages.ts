/** The messages to the watched server, and its answers. */
export type ToWatch = { do: 'begin' | 'end'; isProfiled: boolean }
export type FromWatch = { begun: true } | { watched: Watched }

/** One turn of an event loop: the processor time that it took, and what took it where that was asked for. */
export type Block = { milliseconds: number; causes: string[] }

/** The longest turns, the longest first, and the time of all. */
export type Watched = { blocks: Block[]; total: number }
