/**
 * Milliseconds that this thread has had a processor so far. What takes long because of what it is given takes long by this
 * measure; what takes long because others have the processor does not.
 */
export const readWorked = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
