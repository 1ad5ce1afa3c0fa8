/**
 * Milliseconds of processor time of this thread so far. Expensive input shows in this measure; waiting for other processes
 * does not.
 */
export const readWorked = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
