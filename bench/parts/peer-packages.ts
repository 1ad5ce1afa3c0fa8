import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the packages of peers are installed that are not dependencies of this project. */
export const peersFolder = fileURLToPath(new URL('../peers/packages/', import.meta.url))

/** Whether a peer is installed; what needs one that is not is left out of the table. */
export const isInstalled = (name: string): boolean => existsSync(`${peersFolder}node_modules/${name}/package.json`)
