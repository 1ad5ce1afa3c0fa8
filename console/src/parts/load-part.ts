// Files of the build that are loaded when they are needed. One that does not arrive is asked for again, for as long as the service
// cannot be reached: it may be restarting. A new build has other files, so only a reload of the page leads to them.

/** A file of the console that cannot be loaded. `isOutdated`: the service has another build by now. */
export class PartError extends Error {
  readonly isOutdated: boolean

  constructor(isOutdated: boolean, cause: unknown) {
    super('Reload the page to load its files again.', { cause })
    this.isOutdated = isOutdated
  }
}

/** The answer of the service about the build that this page comes from. */
export type Build = 'same' | 'other' | 'unreachable'

/** The surroundings of the page; tests replace them. */
type Surroundings = {
  readBuild(): Promise<Build>
  restoreStyles(): Promise<void>
  pause(milliseconds: number): Promise<void>
}

/** The failures of imports in Chromium, Firefox and Safari, and of a style sheet in Vite. */
const isLoadFailure = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message)

/** A file that is missing three times while the service answers stays missing. */
const maxRefusals = 3
const maxPause = 8_000

/** Loads a part of the console, and tries again while its files do not arrive. Throws a `PartError` if they never will. */
export const createPartLoader =
  ({ readBuild, restoreStyles, pause }: Surroundings) =>
  async <Part>(load: () => Promise<Part>): Promise<Part> => {
    let refusals = 0
    for (let milliseconds = 250; ; milliseconds = Math.min(maxPause, milliseconds * 2)) {
      try {
        await restoreStyles()
        return await load()
      } catch (error) {
        if (!isLoadFailure(error)) throw error
        const build = await readBuild()
        if (build !== 'unreachable') refusals++
        if (build === 'other' || refusals >= maxRefusals) throw new PartError(build === 'other', error)
        await pause(milliseconds)
      }
    }
  }
