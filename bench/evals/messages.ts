/** The message to the server whose memory is sampled. `collects`: from now on garbage is collected before each sample. */
export type ToMemory = { do: 'memory'; collects: boolean }

type Megabytes = { resident: number; heap: number }

/** The most since the last answer, and what is left after a collection of garbage. */
export type Memory = { peak: Megabytes; live: Megabytes }
