import { startCitusCluster as start } from '../../../dev/citus-cluster.ts'
import { findFreePort } from './free-port.ts'
import { killProcesses, signalProcesses } from './guardian/run-folder.ts'

/** Starts a Citus cluster below a folder; `changed` replaces settings of its servers. */
export const startCitusCluster = async (folder: string, changed: Readonly<Record<string, string>> = {}) => {
  const cluster = await start(folder, { findPort: findFreePort, changed })
  return {
    ...cluster,
    /** Kills a server with all of its processes, as when its machine is lost: 0 is the coordinator. */
    kill: async (index: number) => {
      await cluster.end(index, 'SIGKILL')
      await killProcesses(cluster.paths[index] as string)
    },
    /** Suspends a server with all of its processes, as when its machine freezes: it takes connections and answers none. */
    freeze: (index: number) => signalProcesses(cluster.paths[index] as string, 'SIGSTOP'),
    thaw: (index: number) => signalProcesses(cluster.paths[index] as string, 'SIGCONT'),
  }
}
